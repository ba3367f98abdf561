/**
 * A kind in two versions whose definition says again and again otherwise who converts: a webhook here or there, one that
 * nobody answers for, or nobody; which version is stored; and which is deleted and made anew, on a server that begins anew.
 * What is shown of an object is what the present one makes of what is stored, and whoever watches has in the end what there is.
 * Documentation: "Versions in CustomResourceDefinitions".
 *
 * @holds sim/apiserver/conversion
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiObject } from '../../../api/object.ts';
import type { WatchLog } from '../../../cluster/watch-log.ts';
import { milliseconds, seconds } from '../../../index.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../../engine/any-order.arbitrary.ts';
import { converted, definition, failing, setUp, type Spoil, things } from './converted-things.fixture.ts';

const NAMES = ['a', 'b'] as const;
const VERSIONS = ['v1', 'v2'] as const;
type Version = (typeof VERSIONS)[number];
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const DEFINITION = `${DEFINITIONS}/things.example.com`;
const KIND = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const CONVERTERS = ['/one', '/two', 'nobody', 'None'] as const;
type Converter = (typeof CONVERTERS)[number];
/** Longer than a definition, or a conversion, is on its way. */
const SETTLED = seconds(2);

const urlOf = (converter: Converter): string =>
  converter === 'nobody' ? 'https://nobody.example.com/' : `https://converter.example.com${converter}`;

/** What is shown of an object, and who has made it. */
interface Shown {
  readonly name: string;
  readonly version: string;
  readonly spec: unknown;
  readonly by: string | undefined;
}

const shownOf = ({ metadata, ...rest }: ApiObject): Shown => ({
  name: metadata.name ?? '',
  version: metadata.resourceVersion ?? '',
  spec: rest['spec'],
  by: metadata.annotations?.['by'],
});

class World {
  readonly given = setUp({ url: urlOf('/one') });
  readonly #watchers = VERSIONS.map((version) => new Watcher(this, version));
  #converter: Converter = '/one';
  #stores: Version = 'v1';
  #isFailing = false;
  #count = 0;
  /** Which the present definition is, and what it says. */
  definition = '';

  constructor() {
    this.fail(false);
    this.#noteDefinition();
    this.look();
  }

  get isWell(): boolean {
    return this.#converter === 'None' || (!this.#isFailing && this.#converter !== 'nobody');
  }

  fail(does: boolean): void {
    this.#isFailing = does;
    this.given.state.spoil = does ? failing : signed;
  }

  convert(converter: Converter): void {
    this.#converter = converter;
    this.#define();
  }

  store(version: Version): void {
    this.#stores = version;
    this.#define();
  }

  defineAnew(ms: number): void {
    this.given.ask('DELETE', DEFINITION);
    this.given.cluster.advance(milliseconds(ms));
    this.#define();
  }

  #define(): void {
    const { ask, cluster } = this.given;
    const { spec, metadata } = definition({ url: urlOf(this.#converter) }, this.#stores);
    const conversion = this.#converter === 'None' ? { strategy: 'None' } : spec.conversion;
    const present = ask('GET', DEFINITION);
    const whole = { ...KIND, spec: { ...spec, conversion } };
    const isThere = present.status === 200 && present.body.metadata.deletionTimestamp === undefined;
    if (isThere) ask('PUT', DEFINITION, { ...whole, metadata: present.body.metadata });
    else {
      cluster.advance(SETTLED);
      ask('POST', DEFINITIONS, { ...whole, metadata });
    }
    cluster.advance(milliseconds(100));
    this.#noteDefinition();
  }

  #noteDefinition(): void {
    const { uid = '', generation = 0 } = this.given.ask('GET', DEFINITION).body.metadata;
    this.definition = `${uid} ${generation}`;
  }

  write(name: string, version: Version): void {
    const port = String(++this.#count);
    const spec = version === 'v1' ? { host: 'h', port } : { hostPort: `h:${port}` };
    const whole = { apiVersion: `example.com/${version}`, kind: 'Thing', spec };
    const { ask } = this.given;
    let { status } = ask('POST', things(version), { ...whole, metadata: { name } });
    if (status === 409) {
      const { body } = ask('GET', things(version, `/${name}`));
      status = ask('PUT', things(version, `/${name}`), { ...whole, metadata: body.metadata }).status;
    }
    if (this.isWell) expect([200, 201], `a write of ${name}`).toContain(status);
  }

  remove(name: string): void {
    this.given.ask('DELETE', things(this.#stores, `/${name}`));
  }

  bounce(): void {
    const { faults } = this.given.cluster;
    faults.crash('apiserver/0');
    faults.restart('apiserver/0');
    this.given.cluster.advance(seconds(1));
  }

  pass(ms: number): void {
    this.given.cluster.advance(milliseconds(ms));
    for (const watcher of this.#watchers) watcher.read();
  }

  look(): void {
    this.given.cluster.advance(SETTLED);
    for (const version of VERSIONS)
      for (const from of ['', '?resourceVersion=0']) this.#lookAt(version, from);
    for (const watcher of this.#watchers) watcher.read();
    this.given.cluster.advance(SETTLED);
    for (const watcher of this.#watchers) {
      watcher.read();
      if (this.isWell) watcher.expectCurrent();
    }
  }

  #lookAt(version: Version, from: string): void {
    const isEasy = this.#stored.every(({ apiVersion }) => apiVersion === `example.com/${version}`);
    if (!this.isWell && from !== '') return;
    const { status, body } = this.given.ask('GET', things(version, from));
    expect(
      [200, ...(this.isWell || isEasy ? [] : [500])],
      `a list of ${version}, by ${this.#converter}`,
    ).toContain(status);
    if (status === 200)
      expect((body.items ?? []).map(shownOf), `things in ${version}${from}`).toEqual(this.shown(version));
  }

  get #stored(): readonly ApiObject[] {
    const prefix = '/registry/example.com/things/';
    return this.given.cluster.storage.range({ prefix }).entries.map(({ value }) => value);
  }

  /** As the present definition says. */
  shown(version: Version): readonly Shown[] {
    return this.#stored.map((object) => {
      const shown = shownOf(object);
      const apiVersion = `example.com/${version}`;
      if (object.apiVersion === apiVersion) return shown;
      if (this.#converter === 'None') return { ...shown, spec: pruned(object['spec'] as object, version) };
      return { ...shown, spec: converted(object, apiVersion).spec, by: this.#converter };
    });
  }
}

/** What another version knows nothing of is not shown in it; the first keeps all. */
const pruned = (spec: object, version: Version): object =>
  version === 'v1' ? spec : Object.fromEntries(Object.entries(spec).filter(([name]) => name === 'hostPort'));

/** Each says who it is. */
const signed: Spoil = ({ response }, _review, by) => {
  for (const { metadata } of response?.convertedObjects ?? [])
    metadata['annotations'] = { ...(metadata['annotations'] as object | undefined), by };
};

/** As an informer does, in one version. */
class Watcher {
  readonly #world: World;
  readonly #version: Version;
  readonly #has = new Map<string, Shown & { readonly definition: string }>();
  #since = '';
  #log: WatchLog | undefined;
  /** The definition of the list, or of the watch. */
  #definition = '';
  #read = 0;

  constructor(world: World, version: Version) {
    this.#world = world;
    this.#version = version;
  }

  read(): void {
    for (let turn = 0; turn < 2; turn++) {
      if (!this.#log) this.#open();
      const { events = [], isEnded = false } = this.#log ?? {};
      for (; this.#read < events.length; this.#read++) this.#hear(events[this.#read]);
      if (isEnded) this.#log = undefined;
    }
  }

  #open(): void {
    const { given, definition: present } = this.#world;
    this.#definition = present;
    if (this.#since === '' && !this.#list()) return;
    this.#log = given.watch(this.#version, this.#since);
    this.#read = 0;
    if (!this.#log) this.#since = '';
  }

  #list(): boolean {
    const { status, body } = this.#world.given.ask('GET', things(this.#version));
    if (status !== 200) return false;
    this.#has.clear();
    for (const item of body.items ?? []) this.#note(item);
    this.#since = body.metadata.resourceVersion ?? '';
    return true;
  }

  #hear(event: WatchLog['events'][number] | undefined): void {
    if (!event || event.type === 'ERROR') {
      this.#since = '';
      return;
    }
    const { object } = event;
    const { name = '', resourceVersion = '' } = object.metadata;
    expect(Number(resourceVersion), `${event.type} in ${this.#version}`).toBeGreaterThan(Number(this.#since));
    expect(object.apiVersion).toBe(`example.com/${this.#version}`);
    this.#since = resourceVersion;
    if (event.type === 'DELETED') this.#has.delete(name);
    else this.#note(object);
  }

  #note(object: ApiObject): void {
    this.#has.set(object.metadata.name ?? '', { ...shownOf(object), definition: this.#definition });
  }

  /** He has what there is; what he heard of under the present definition as that has it. */
  expectCurrent(): void {
    expect(this.#definition, `the definition that is watched in ${this.#version}`).toBe(
      this.#world.definition,
    );
    const names = (list: readonly Shown[]) =>
      list.map(({ name, version }) => `${name} ${version}`).toSorted();
    const shown = this.#world.shown(this.#version);
    expect(names([...this.#has.values()]), `what a watcher of ${this.#version} has`).toEqual(names(shown));
    for (const one of shown) {
      const { definition: of, ...own } = this.#has.get(one.name) ?? { definition: '' };
      if (of === this.#world.definition)
        expect(own, `what a watcher of ${this.#version} knows of ${one.name}`).toEqual(one);
    }
  }
}

const name = fc.constantFrom(...NAMES);
const version = fc.constantFrom(...VERSIONS);
const act = actsOn<World>();
const write = act('write', fc.tuple(name, version), (world, drawn) => world.write(...drawn));
const convert = act('convert', fc.constantFrom(...CONVERTERS), (world, drawn) => world.convert(drawn));

it('show what the present converter makes of what is stored, to whoever reads and watches', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[write, write, convert, convert],
      act('remove', name, (world, of) => world.remove(of)),
      act('store', version, (world, drawn) => world.store(drawn)),
      act('fail', fc.boolean(), (world, does) => world.fail(does)),
      act('define anew', fc.constantFrom(0, 5, 500, 3_000), (world, ms) => world.defineAnew(ms)),
      act('bounce', NOTHING, (world) => world.bounce()),
      act('pass', fc.constantFrom(0, 5, 1_000), (world, ms) => world.pass(ms)),
      act('look', NOTHING, (world) => world.look()),
    ],
    compare: () => undefined,
    end: (world) => {
      world.look();
      world.fail(false);
      if (!world.isWell) world.convert('/two');
      world.look();
    },
    most: 14,
    runs: 40,
  });
});
