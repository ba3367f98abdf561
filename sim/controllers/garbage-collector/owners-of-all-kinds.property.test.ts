/**
 * Owners of kinds that come and go, owners in circles, owners that are made anew, heard of or not, owners that somebody else
 * lets go: in the end nothing is left whose owners are gone, nothing waits for ever to be let go, and what nobody deleted is
 * there, if nobody owned it, or its only owner was to leave it and had been known to have it.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiObject, OwnerReference } from '../../api/object.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager, unseen } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { milliseconds, minutes, seconds } from '../../engine/time.ts';
import { FOREGROUND } from './graph-node.ts';

const { configMaps, customResourceDefinitions } = BUILTIN_HANDLES;
const WEBSITES: ResourceHandle = {
  group: 'example.com',
  version: 'v1',
  resource: 'websites',
  kind: 'Website',
  isNamespaced: true,
};
const HANDLES = { ConfigMap: configMaps as ResourceHandle, Website: WEBSITES } as const;
const API_VERSIONS = { ConfigMap: 'v1', Website: 'example.com/v1' } as const;
type Kind = keyof typeof HANDLES;
const POLICIES = ['Background', 'Foreground', 'Orphan'] as const;
type Policy = (typeof POLICIES)[number];

interface Place {
  readonly kind: Kind;
  readonly name: string;
}

/** By then everybody knows of it, in peace, if it is of a kind that was there from the beginning. */
const HEARD_MS = 1_000;

/** The former of that name goes, known to be going or not, and so does the next. */
interface Succession {
  readonly of: Place;
  readonly child: Place;
  readonly policy: Policy;
  readonly isFormerHeard: boolean;
  readonly isHindered: boolean;
}

class World extends TroubledManager {
  /** Made without owners, or left by the only one, and never deleted. */
  readonly #free = new Set<string>();

  /** When each was made. */
  readonly #madeMs = new Map<string, number>();
  readonly #isInPeace: boolean;
  /** Of whom nobody hears any more who does not hear at once: when the kind comes back, they are not asked for. */
  readonly #unheardEnd = new Set<string>();

  constructor(isInPeace: boolean) {
    super(['garbage-collector-controller']);
    this.#isInPeace = isInPeace;
    this.define();
  }

  define(): void {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    tryTo(() =>
      this.cluster.client.resource(customResourceDefinitions).create({
        metadata: { name: 'websites.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { plural: 'websites', kind: 'Website' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      }),
    );
    this.cluster.advance(seconds(2));
  }

  undefine(): void {
    tryTo(() => {
      this.cluster.client.resource(customResourceDefinitions).delete('websites.example.com');
      for (const { kind, metadata } of this.belongings)
        if (kind === 'Website') {
          this.#free.delete(metadata.uid ?? '');
          if (!this.#isInPeace) this.#unheardEnd.add(metadata.uid ?? '');
        }
    });
    this.cluster.advance(seconds(2));
  }

  make({ kind, name }: Place, owner: Place | undefined): void {
    const found = owner && this.#find(owner);
    tryTo(() => {
      const { metadata } = this.#of(kind).create({
        apiVersion: API_VERSIONS[kind],
        kind,
        metadata: { name, ...(owner && { ownerReferences: [referenceTo(owner, found)] }) },
      });
      if (kind === 'ConfigMap') this.#madeMs.set(metadata.uid ?? '', this.#nowMs);
      if (!owner) this.#free.add(metadata.uid ?? '');
    });
  }

  /** It belongs to that one, too. */
  tie({ kind, name }: Place, owner: Place): void {
    const [own, found] = [this.#find({ kind, name }), this.#find(owner)];
    if (!own || !found || own === found) return;
    const { ownerReferences = [], uid = '' } = own.metadata;
    if (ownerReferences.some((each) => each.uid === found.metadata.uid)) return;
    const body = { metadata: { ownerReferences: [...ownerReferences, referenceTo(owner, found)] } };
    tryTo(() => {
      this.#of(kind).patch(name, { type: 'merge', body });
      this.#free.delete(uid);
    });
  }

  /** Each belongs to the other. */
  knot(one: Place, other: Place): void {
    this.make(one, undefined);
    this.make(other, undefined);
    this.tie(one, other);
    this.tie(other, one);
  }

  remove({ kind, name }: Place, propagationPolicy: Policy): void {
    const { uid = '', deletionTimestamp } = this.#find({ kind, name })?.metadata ?? {};
    tryTo(() => {
      this.#of(kind).delete(name, { propagationPolicy });
      this.#free.delete(uid);
      if (propagationPolicy !== 'Orphan' || deletionTimestamp !== undefined || !this.#isInPeace) return;
      for (const child of this.#onlyOf(uid))
        if (this.#nowMs - (this.#madeMs.get(child) ?? Infinity) > HEARD_MS) this.#free.add(child);
    });
  }

  /** Somebody else does not wait until it may go; those that it was to leave go as well. */
  letGo({ kind, name }: Place): void {
    const { uid = '', finalizers = [], deletionTimestamp } = this.#find({ kind, name })?.metadata ?? {};
    if (deletionTimestamp === undefined || finalizers.length === 0) return;
    tryTo(() => {
      this.#of(kind).patch(name, { type: 'merge', body: { metadata: { finalizers: [] } } });
      for (const child of this.#onlyOf(uid)) this.#free.delete(child);
    });
  }

  /** Another one of the name, that has somebody and goes as well, before anybody has done with the former. */
  succeed({ of, child, policy, isFormerHeard, isHindered }: Succession): void {
    const { cluster } = this;
    if (isHindered)
      cluster.faults.failRequests({ actor: this.actor.name, verb: 'patch', count: 4, status: 500 });
    if (isFormerHeard) this.remove(of, policy);
    cluster.advance(milliseconds(20));
    cluster.lagWatchCaches(minutes(1));
    this.remove(of, policy);
    this.letGo(of);
    this.make(of, undefined);
    this.make(child, of);
    this.remove(of, policy);
    cluster.advance(milliseconds(500));
    cluster.lagWatchCaches(seconds(0));
  }

  get belongings(): readonly ApiObject[] {
    return this.objects.filter(
      ({ kind = '', metadata: { name = '', namespace } }) =>
        kind in HANDLES && NAMES.includes(name) && namespace === 'default',
    );
  }

  expectRight(): void {
    const all = this.belongings;
    const uids = new Set(all.map(({ metadata }) => metadata.uid ?? ''));
    for (const object of all) {
      const { kind, metadata } = object;
      const owners = metadata.ownerReferences ?? [];
      const what = `${kind ?? ''} ${metadata.name ?? ''}`;
      if (owners.length > 0 && !owners.some(({ uid }) => this.#unheardEnd.has(uid)))
        expect(
          owners.some(({ uid }) => uids.has(uid)),
          `an owner of ${what} is there`,
        ).toBe(true);
      if (!waitsForItself(object, all))
        expect(metadata.deletionTimestamp, `${what}, which goes`).toBeUndefined();
    }
    for (const uid of this.#free) expect(uids, 'what nobody deleted').toContain(uid);
  }

  get #nowMs(): number {
    return this.cluster.userClient.context.wallMs();
  }

  #onlyOf(owner: string): readonly string[] {
    return this.belongings.flatMap(({ metadata: { uid = '', ownerReferences = [] } }) =>
      ownerReferences.length === 1 && ownerReferences[0]?.uid === owner ? [uid] : [],
    );
  }

  #find({ kind, name }: Place): ApiObject | undefined {
    return this.belongings.find((each) => each.kind === kind && each.metadata.name === name);
  }

  #of(kind: Kind) {
    return this.cluster.client.resource(HANDLES[kind]);
  }
}

/** Those of a circle that were told one after the other to wait for the next wait for ever, in a real cluster, too. */
function waitsForItself({ metadata }: ApiObject, all: readonly ApiObject[]): boolean {
  const ownersOf = (uid: string | undefined): readonly string[] =>
    (all.find((each) => each.metadata.uid === uid)?.metadata.ownerReferences ?? []).map((owner) => owner.uid);
  const above = new Set(ownersOf(metadata.uid));
  for (const uid of above) for (const owner of ownersOf(uid)) above.add(owner);
  return metadata.finalizers?.includes(FOREGROUND) === true && above.has(metadata.uid ?? '');
}

/** Of one that is not there: to somebody who went long ago. */
const referenceTo = ({ kind, name }: Place, found: ApiObject | undefined): OwnerReference => ({
  apiVersion: API_VERSIONS[kind],
  kind,
  name,
  uid: found?.metadata.uid ?? '00000000-0000-4000-8000-00000000dead',
  blockOwnerDeletion: true,
});

const NAMES: readonly string[] = ['p', 'q'];
const place: fc.Arbitrary<Place> = fc.record({
  kind: fc.constantFrom<Kind[]>('ConfigMap', 'ConfigMap', 'Website'),
  name: fc.constantFrom(...NAMES),
});
const act = actsOn<World>();
const make = act('make', fc.tuple(place, fc.option(place, { nil: undefined })), (world, drawn) =>
  world.make(...drawn),
);
const tie = act('tie', fc.tuple(place, place), (world, drawn) => world.tie(...drawn));
const remove = act('remove', fc.tuple(place, fc.constantFrom(...POLICIES)), (world, drawn) =>
  world.remove(...drawn),
);
const succeed = act(
  'succeed',
  fc.record<Succession>({
    of: place,
    child: place,
    policy: fc.constantFrom(...POLICIES),
    isFormerHeard: fc.boolean(),
    isHindered: fc.boolean(),
  }),
  (world, drawn) => world.succeed(drawn),
);
const pass = act('pass', fc.constantFrom(0.02, 2, 2), ({ cluster }, span) =>
  cluster.advance(milliseconds(span * 1_000)),
);
const doings = [
  make,
  make,
  make,
  tie,
  act('knot', fc.tuple(place, place), (world, drawn) => world.knot(...drawn)),
  remove,
  remove,
  act('let go', place, (world, of) => world.letGo(of)),
  succeed,
  act('define', NOTHING, (world) => world.define()),
  act('undefine', NOTHING, (world) => world.undefine()),
];

it.each([
  ['in peace', [...doings, pass]],
  ['amid troubles', amidTroubles<World>([...doings, unseen<World>(doings)])],
])('leaves nothing whose owners are gone, and nothing that waits: %s', (how, acts) => {
  holdsInAnyOrderAsBefore<World>({
    begin: () => new World(how === 'in peace'),
    acts,
    compare: () => undefined,
    end: (world) => {
      world.endAllTroubles();
      // A definition that goes takes its time, and connections to a server that was away break at the first call.
      world.cluster.advance(minutes(1));
      world.define();
      world.define();
      world.calm();
      world.expectRight();
    },
    most: 20,
    runs: 6,
  });
});
