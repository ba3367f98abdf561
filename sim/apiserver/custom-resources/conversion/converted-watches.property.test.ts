/**
 * Watches of a kind in two versions, each in one of them, while a webhook that converts fails at times and clients go on
 * from where they were: each hears of every change once, in order and in his version, of none behind one that cannot be
 * converted yet, and of all soon after everything can be.
 *
 * @holds sim/apiserver/custom-resources/conversion
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiObject } from '../../../api/object.ts';
import { actsOn, holdsInAnyOrder } from '../../../engine/any-order.arbitrary.ts';
import { milliseconds, seconds, type WireUser } from '../../../index.ts';
import { failing, setUp, things } from './converted-things.fixture.ts';

const NAMES = ['a', 'b'] as const;
const VERSIONS = ['v1', 'v2'] as const;
type Version = (typeof VERSIONS)[number];
const MEMBERS: Readonly<Record<Version, readonly string[]>> = { v1: ['host', 'port'], v2: ['hostPort'] };
/** Longer than an event is under way and its conversion takes. */
const SETTLED = seconds(1);

class World {
  readonly given = setUp();
  /** Versions of all changes. */
  readonly changes: number[] = [];
  readonly watchers = VERSIONS.map((version) => new Watcher(this, version));
  #count = 0;

  constructor() {
    this.given.cluster.storage.watch({
      prefix: '/registry/example.com/things/',
      onEvents: (events) => {
        for (const event of events)
          this.changes.push(event.kind === 'put' ? event.entry.modRevision : event.revision);
      },
    });
  }

  fail(does: boolean): void {
    this.given.state.spoil = does ? failing : undefined;
  }

  write(name: string, version: Version): void {
    const port = String(++this.#count);
    const spec = version === 'v1' ? { host: 'h', port } : { hostPort: `h:${port}` };
    const whole = { apiVersion: `example.com/${version}`, kind: 'Thing', metadata: { name }, spec };
    const { status } = this.given.ask('POST', things(version), whole);
    if (status === 409) this.given.ask('PATCH', things(version, `/${name}`), { spec });
  }

  remove(name: string, version: Version): void {
    this.given.ask('DELETE', things(version, `/${name}`));
  }

  pass(span: number): void {
    this.given.cluster.advance(milliseconds(span));
    for (const watcher of this.watchers) watcher.read();
  }

  /** While everything can be converted, whoever has waited a little has heard of everything. */
  end(): void {
    this.fail(false);
    for (let round = 0; round < 3; round++) this.pass(1_000);
    for (const watcher of this.watchers) watcher.expectCurrent();
  }
}

class Watcher {
  readonly #world: World;
  readonly #version: Version;
  readonly #heard: number[] = [];
  #since = '';
  #log: ReturnType<WireUser['watch']>['log'];
  #read = 0;

  constructor(world: World, version: Version) {
    this.#world = world;
    this.#version = version;
  }

  read(): void {
    if (!this.#log) this.#open();
    const { events = [], isEnded = false, failure } = this.#log ?? {};
    for (; this.#read < events.length; this.#read++) this.#hear(events[this.#read]?.object as ApiObject);
    expect(failure, 'a watch waits for what cannot be converted').toBeUndefined();
    expect(isEnded, 'a watch goes on').toBe(false);
  }

  /** He begins anew, from what he heard of last. */
  goOn(): void {
    this.read();
    this.#log?.close();
    this.#log = undefined;
  }

  expectCurrent(): void {
    expect(this.#heard, `what a watch of ${this.#version} heard`).toEqual(this.#world.changes);
  }

  #open(): void {
    const { given } = this.#world;
    if (this.#since === '') {
      // Nothing is there at first, so that nobody has to be asked.
      this.#since = given.ask('GET', things(this.#version)).body.metadata.resourceVersion ?? '';
    }
    this.#log = given.watch(this.#version, this.#since);
    this.#read = 0;
    given.cluster.advance(SETTLED);
  }

  #hear({ apiVersion, metadata, ...rest }: ApiObject): void {
    expect(apiVersion).toBe(`example.com/${this.#version}`);
    expect(Object.keys(rest['spec'] as object).toSorted(), `what it says in ${this.#version}`).toEqual(
      MEMBERS[this.#version],
    );
    this.#since = metadata.resourceVersion ?? '';
    this.#heard.push(Number(this.#since));
  }
}

const name = fc.constantFrom(...NAMES);
const version = fc.constantFrom(...VERSIONS);
const act = actsOn<World>();
const write = act('write', fc.tuple(name, version), (world, drawn) => world.write(...drawn));

it('tell every change once, in order and in their version, whatever could not be converted meanwhile', () => {
  holdsInAnyOrder({
    begin: () => {
      const world = new World();
      world.pass(0);
      return world;
    },
    acts: [
      write,
      write,
      act('remove', fc.tuple(name, version), (world, drawn) => world.remove(...drawn)),
      act('pass', fc.constantFrom(0, 5, 1_000), (world, span) => world.pass(span)),
      act('fail', fc.boolean(), (world, does) => world.fail(does)),
      act('go on', fc.nat(1), ({ watchers }, index) => watchers[index]?.goOn()),
    ],
    compare: () => undefined,
    end: (world) => world.end(),
    most: 16,
    runs: 30,
  });
});
