/**
 * Definitions that come, change, go and are back, whatever else happens to their servers: what a server serves of them after
 * all that, in documents and in answers, is what one serves that has just begun and knows nothing but what is stored.
 *
 * @holds sim/apiserver/discovery sim/apiserver/openapi sim/apiserver/surface sim/apiserver/registry sim/apiserver/aggregation
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Act, actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { type Micros, milliseconds, seconds } from '../../index.ts';
import type { ApiObject } from '../../api/object.ts';
import type { CustomResourceDefinition } from '../../api/types/apiextensions-k8s-io-v1.ts';
import type { WatchLog } from '../../cluster/watch-log.ts';
import { OwnServers } from '../own-work/own-servers.fixture.ts';

const GROUP = 'anew.example.com';
const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
/** The second is called as something that is built in. */
const PLURALS = ['gears', 'configmaps'] as const;
const VERSIONS = ['v1', 'v2'] as const;
const NAMES = ['a', 'b'] as const;
const STORED = '/registry/apiextensions.k8s.io/customresourcedefinitions/';
const HOLD = `${GROUP}/hold`;
/** Longer than definitions are on their way, and services are looked at. */
const SETTLED = seconds(12);
const OLD = 'apiserver/0';
const YOUNG = 'apiserver/1';

type Plural = (typeof PLURALS)[number];
type Version = (typeof VERSIONS)[number];

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';

interface Wish {
  readonly plural: Plural;
  readonly kind: 'Gear' | 'Wheel';
  readonly shortNames: readonly string[];
  readonly served: readonly string[];
  readonly stored: Version;
  readonly most: number;
  readonly hasStatus: boolean;
  readonly hasScale: boolean;
  readonly hasColumn: boolean;
  readonly isSelectable: boolean;
  readonly isDeprecated: boolean;
}

const specOf = (wish: Wish): object => ({
  group: GROUP,
  scope: 'Cluster',
  names: { plural: wish.plural, kind: wish.kind, shortNames: wish.shortNames, categories: wish.shortNames },
  versions: VERSIONS.map((name) => ({
    name,
    served: wish.served.includes(name),
    storage: name === wish.stored,
    deprecated: wish.isDeprecated && name === 'v1',
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: {
              size: { type: 'integer', maximum: wish.most, default: wish.most },
              // What another version does not know is not shown in it.
              [`only${name}${wish.most}`]: { type: 'string', default: 'x' },
            },
          },
          status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    },
    subresources: {
      ...(wish.hasStatus && { status: {} }),
      ...(wish.hasScale && {
        scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' },
      }),
    },
    ...(wish.hasColumn && {
      additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
    }),
    ...(wish.isSelectable && { selectableFields: [{ jsonPath: `.spec.only${name}${wish.most}` }] }),
  })),
});

interface Question {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly accept?: string;
  readonly body?: object;
}

function* questions(wishes: ReadonlyMap<Plural, Wish>): Generator<Question> {
  yield { path: '/apis', accept: AGGREGATED };
  yield { path: '/apis' };
  yield { path: `/apis/${GROUP}` };
  yield { path: '/openapi/v3' };
  yield { path: '/api/v1/namespaces/default/configmaps/none' };
  for (const version of VERSIONS) {
    yield { path: `/apis/${GROUP}/${version}` };
    yield { path: `/openapi/v3/apis/${GROUP}/${version}` };
    for (const plural of PLURALS)
      yield* questionsOf(`/apis/${GROUP}/${version}/${plural}`, version, wishes.get(plural));
  }
}

function* questionsOf(path: string, version: Version, wish: Wish | undefined): Generator<Question> {
  yield { path };
  yield { path: `${path}?resourceVersion=0` };
  yield { path: `${path}?fieldSelector=spec.only${version}${wish?.most ?? 0}%3Dx` };
  yield { path, accept: TABLE };
  yield { path: `${path}/a/status` };
  yield { path: `${path}/a/scale` };
  const dry = {
    ...{ apiVersion: `${GROUP}/${version}`, kind: wish?.kind ?? 'Gear' },
    ...{ metadata: { name: 'dry' }, spec: { size: 5 } },
  };
  yield { method: 'POST', path: `${path}?dryRun=All&fieldValidation=Strict`, body: dry };
}

interface Watched {
  readonly plural: Plural;
  /** Which of what its definition said was said then. */
  readonly since: number;
  readonly log: WatchLog;
}

/** What a definition says, and which it is. */
function meaningOf(stored: ApiObject): string {
  const { metadata, spec, status } = stored as CustomResourceDefinition;
  return JSON.stringify([metadata.uid, spec, status?.acceptedNames]);
}

class World {
  readonly #servers = new OwnServers(2);
  readonly #wishes = new Map<Plural, Wish>();
  readonly #watches = new Map<string, Watched>();
  /** Of each definition all that it ever said, the last one last. */
  readonly #said = new Map<Plural, string[]>(PLURALS.map((plural) => [plural, ['']]));

  constructor() {
    for (const plural of PLURALS)
      this.#servers.cluster.storage.watch({
        prefix: `${STORED}${plural}.${GROUP}`,
        onEvents: (events) => {
          for (const event of events)
            this.#said.get(plural)?.push(event.kind === 'put' ? meaningOf(event.entry.value) : '');
        },
      });
    this.#servers.advance(seconds(1));
    for (const plural of PLURALS) this.define({ ...FIRST, ...FIRST_NAMES[plural] });
    this.#servers.advance(seconds(1));
    for (const name of NAMES) this.make('gears', name, name === 'a');
    this.#watchAll();
  }

  define(wish: Wish): void {
    this.#wishes.set(wish.plural, wish);
    const name = `${wish.plural}.${GROUP}`;
    const present = this.#servers.ask('GET', `${PATH}/${name}`, { server: OLD });
    const whole = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      spec: specOf(wish),
    };
    if (present?.status === 200)
      this.#servers.ask('PUT', `${PATH}/${name}`, {
        server: OLD,
        body: { ...whole, metadata: present.body.metadata },
      });
    else this.#servers.ask('POST', PATH, { server: OLD, body: { ...whole, metadata: { name } } });
  }

  /** One thing of what is wished is another. */
  change(plural: Plural, part: Partial<Wish>): void {
    const wish = this.#wishes.get(plural);
    if (wish) this.define({ ...wish, ...part });
  }

  undefine(plural: Plural): void {
    this.#servers.ask('DELETE', `${PATH}/${plural}.${GROUP}`, { server: OLD });
  }

  /** It goes and is back as another one, soon or at once. */
  defineAnew(plural: Plural, part: Partial<Wish>, after: Micros): void {
    this.undefine(plural);
    this.#servers.advance(after);
    this.change(plural, part);
  }

  make(plural: Plural, name: string, isGuarded: boolean): void {
    const kind = this.#wishes.get(plural)?.kind ?? 'Gear';
    const metadata = { name, ...(isGuarded && { finalizers: [HOLD] }) };
    for (const version of VERSIONS)
      this.#servers.ask('POST', `/apis/${GROUP}/${version}/${plural}`, {
        server: OLD,
        body: { apiVersion: `${GROUP}/${version}`, kind, metadata, spec: { size: 1 }, status: { size: 2 } },
      });
  }

  release(plural: Plural): void {
    for (const name of NAMES)
      for (const version of VERSIONS)
        this.#servers.ask('PATCH', `/apis/${GROUP}/${version}/${plural}/${name}`, {
          server: OLD,
          body: { metadata: { finalizers: null } },
        });
  }

  meddle(version: Version): void {
    this.#servers.ask('DELETE', `${SERVICES}/${version}.${GROUP}`, { server: OLD });
  }

  setMajority(has: boolean): void {
    this.#servers.setMajority(has);
  }

  restart(): void {
    this.#watches.clear();
    this.#servers.crash(0);
    this.#servers.advance(milliseconds(50));
    this.#servers.restart(0);
    this.#servers.advance(milliseconds(50));
  }

  pass(span: Micros): void {
    this.#servers.advance(span);
  }

  /** Whoever does not watch, or whose watch has ended, begins anew. */
  #watchAll(): void {
    for (const plural of PLURALS)
      for (const version of VERSIONS) if (!this.#isWatched(plural, version)) this.watch(plural, version);
  }

  #isWatched(plural: Plural, version: Version): boolean {
    return this.#watches.get(`${plural} ${version}`)?.log.isEnded === false;
  }

  /** Somebody watches it as it is now. */
  watch(plural: Plural, version: Version): void {
    // What it says is not yet served at once.
    this.#servers.advance(milliseconds(100));
    const since = (this.#said.get(plural)?.length ?? 0) - 1;
    const log = this.#servers.watch(`/apis/${GROUP}/${version}/${plural}`);
    if (log) this.#watches.set(`${plural} ${version}`, { plural, since, log });
  }

  /** A watch ends when its definition says something else, or is gone, also when that is back; and not otherwise. */
  #expectEnds(): void {
    for (const { plural, since, log } of this.#watches.values()) {
      const said = this.#said.get(plural)?.slice(since) ?? [];
      const isOther = said.some((each) => each !== said[0]);
      // What was said for a moment only nobody may have noticed.
      if (isOther === (said.at(-1) !== said[0]))
        expect(log.isEnded, `the end of a watch of ${plural}`).toBe(isOther);
    }
  }

  /** The whole document, which takes long, has the paths of those of the versions. */
  lookAtAll(): void {
    this.look();
    const parts = VERSIONS.flatMap((version) => this.#pathsOf(`/openapi/v3/apis/${GROUP}/${version}`));
    const all = this.#pathsOf('/openapi/v2').filter((path) => path.startsWith(`/apis/${GROUP}/v`));
    expect(all.toSorted(), 'paths of the whole document').toEqual(parts.toSorted());
  }

  #pathsOf(document: string): readonly string[] {
    const { paths } = (this.#servers.ask('GET', document, { server: OLD })?.body ?? {}) as { paths?: object };
    return Object.keys(paths ?? {});
  }

  look(): void {
    this.setMajority(true);
    this.#servers.advance(SETTLED);
    this.#servers.crash(1);
    this.#servers.restart(1);
    this.#servers.advance(seconds(1));
    this.#expectEnds();
    this.#watchAll();
    for (const question of questions(this.#wishes)) this.#expectAlike(question);
  }

  #expectAlike({ method = 'GET', path, accept, body }: Question): void {
    const [old, young] = [OLD, YOUNG].map((server) =>
      shown(this.#servers.ask(method, path, { server, ...(accept && { accept }), ...(body && { body }) })),
    );
    expect(old, `${method} ${path} ${accept ?? ''} of a server that has seen it all`).toEqual(young);
  }
}

/** Of a dry run nobody knows what is made up, and ages grow meanwhile. */
function shown(answer: ReturnType<OwnServers['ask']>): unknown {
  if (!answer) return undefined;
  const { status, headers, body } = answer;
  const { uid: _uid, creationTimestamp: _at, managedFields: _fields, ...metadata } = body.metadata ?? {};
  const { rows } = body as { rows?: readonly { readonly cells: readonly unknown[] }[] };
  const cells = rows?.map((row) => row.cells.map((cell) => (AGE.test(String(cell)) ? 'an age' : cell)));
  return {
    status,
    tag: headers['etag'],
    warning: headers['warning'],
    body: { ...body, metadata, rows: cells },
  };
}

const AGE = /^\d+[smh]/;

const FIRST_NAMES = {
  gears: { plural: 'gears', kind: 'Gear' },
  configmaps: { plural: 'configmaps', kind: 'Wheel' },
} as const;
const FIRST: Omit<Wish, 'plural' | 'kind'> = {
  ...{ shortNames: [], served: VERSIONS, stored: 'v1', most: 9 },
  ...{ hasStatus: true, hasScale: true, hasColumn: true, isSelectable: true, isDeprecated: false },
};

const one = <const T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const parts: fc.Arbitrary<Partial<Wish>>[] = [
  one<'Gear' | 'Wheel'>('Gear', 'Wheel').map((kind) => ({ kind })),
  one<readonly string[]>([], ['g'], ['w']).map((shortNames) => ({ shortNames })),
  one<readonly string[]>(['v1'], ['v2'], ['v1', 'v2'], []).map((served) => ({ served })),
  one(...VERSIONS).map((stored) => ({ stored })),
  one(3, 9).map((most) => ({ most })),
  fc.boolean().map((hasStatus) => ({ hasStatus })),
  fc.boolean().map((hasScale) => ({ hasScale })),
  fc.boolean().map((hasColumn) => ({ hasColumn })),
  fc.boolean().map((isSelectable) => ({ isSelectable })),
  fc.boolean().map((isDeprecated) => ({ isDeprecated })),
];
const part = fc.oneof(...parts);
const plural = one(...PLURALS);
const act = actsOn<World>();

/** Looked at at once, or after others. */
const lookedAt = (each: fc.Arbitrary<Act<World>>): fc.Arbitrary<Act<World>> =>
  fc.tuple(each, fc.nat(2)).map(([{ name, on }, often]) => {
    const text = often === 0 ? `${name}, look` : name;
    return {
      name: text,
      on: (world) => {
        on(world);
        if (often === 0) world.look();
      },
      [fc.toStringMethod]: () => text,
    };
  });

const changes = [
  act('change', fc.tuple(plural, part), (world, drawn) => world.change(...drawn)),
  act('change', fc.tuple(one('gears' as const), part), (world, drawn) => world.change(...drawn)),
  act('define', fc.tuple(plural, part), (world, [which, other]) =>
    world.define({ ...FIRST, ...FIRST_NAMES[which], ...other }),
  ),
  act('undefine', plural, (world, which) => world.undefine(which)),
  act('define anew', fc.tuple(plural, part, one(0, 1, 3, 30, 300)), (world, [which, other, ms]) =>
    world.defineAnew(which, other, milliseconds(ms)),
  ),
  act('make', fc.tuple(plural, one(...NAMES), fc.boolean()), (world, drawn) => world.make(...drawn)),
  act('release', plural, (world, which) => world.release(which)),
  act('watch', fc.tuple(plural, one(...VERSIONS)), (world, drawn) => world.watch(...drawn)),
  act('meddle', one(...VERSIONS), (world, version) => world.meddle(version)),
];

it('a server serves of definitions what one does that has just begun', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...changes.map(lookedAt),
      act('pass', one(1, 100, 3_000), (world, ms) => world.pass(milliseconds(ms))),
      act('majority', fc.boolean(), (world, has) => world.setMajority(has)),
      act('look at all', NOTHING, (world) => world.lookAtAll()),
      act('restart', NOTHING, (world) => world.restart()),
    ],
    compare: () => undefined,
    end: (world) => world.look(),
    most: 16,
    runs: 9,
    isDear: true,
  });
});
