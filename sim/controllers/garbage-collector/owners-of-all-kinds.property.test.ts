/**
 * Owners of kinds that come and go or are not served for a time, that their dependents mean in one version or another,
 * owners in circles, owners that are made anew, heard of or not, owners that somebody else lets go: in the end nothing is left
 * whose owners are gone, nothing waits for ever to be let go, and what nobody deleted is there, if nobody owned it, or its
 * only owner was to leave it and had been known to have it.
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

const { configMaps, customResourceDefinitions } = BUILTIN_HANDLES;
const WEBSITES: ResourceHandle = {
  group: 'example.com',
  version: 'v1',
  resource: 'websites',
  kind: 'Website',
  isNamespaced: true,
};
/** What is of that kind nobody else has to do with. */
const GADGETS: ResourceHandle = { ...WEBSITES, resource: 'gadgets', kind: 'Gadget' };
const OWNER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', blockOwnerDeletion: true };
const HANDLES = { ConfigMap: configMaps as ResourceHandle, Website: WEBSITES } as const;
const API_VERSIONS = { ConfigMap: 'v1', Website: 'example.com/v1' } as const;
type Kind = keyof typeof HANDLES;
const POLICIES = ['Background', 'Foreground', 'Orphan'] as const;
type Policy = (typeof POLICIES)[number];

/** What one of that name calls its owners: a kind may be served in two versions. */
const versionOf = (kind: Kind, dependent: string): string =>
  kind === 'Website' && dependent === 'q' ? 'example.com/v1beta1' : API_VERSIONS[kind];

const SCHEMA = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };

const versionsThatAre = (served: boolean) => [
  { name: 'v1', served, storage: true, schema: SCHEMA },
  { name: 'v1beta1', served, storage: false, schema: SCHEMA },
];

interface Child {
  readonly kind: string;
  readonly uid: string;
}

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
  /** Of so many tries that the collector makes nothing comes. */
  readonly hindered: number;
}

class World extends TroubledManager {
  /** Made without owners, or left by the only one, and never deleted. */
  readonly #free = new Set<string>();

  /** When each was made. */
  readonly #madeMs = new Map<string, number>();
  readonly #isInPeace: boolean;
  /** Of whom somebody wanted that they wait for their dependents. */
  readonly #toldToWait = new Set<string>();
  #isHidden = false;
  /** Of whom nobody hears any more who does not hear at once: when the kind comes back, they are not asked for. */
  readonly #unheardEnd = new Set<string>();

  constructor(isInPeace: boolean) {
    super(['garbage-collector-controller']);
    this.#isInPeace = isInPeace;
    this.define();
    // Until the collector follows the kind; it does not so soon when the kind comes back.
    this.cluster.advance(seconds(35));
  }

  define(): void {
    this.#define(WEBSITES);
    this.show();
  }

  #define({ group, resource, kind }: ResourceHandle): void {
    tryTo(() =>
      this.cluster.client.resource(customResourceDefinitions).create({
        metadata: { name: `${resource}.${group}` },
        spec: {
          group,
          scope: 'Namespaced',
          names: { plural: resource, kind },
          versions: versionsThatAre(true),
        },
      }),
    );
    this.cluster.advance(seconds(2));
  }

  /** A kind comes of which the collector knows that it is there, and not what there is of it: until then nothing goes. */
  ownUnheard(policy: Policy): void {
    const { cluster } = this;
    const { client, faults } = cluster;
    const lists = { actor: this.actor.name, resource: GADGETS.resource, verb: 'list' } as const;
    faults.failRequests(lists);
    this.#define(GADGETS);
    cluster.advance(seconds(35));
    const { metadata } = client.configMaps.create({ metadata: { name: 'owner' } });
    const owner = { ...OWNER, uid: metadata.uid ?? '' };
    client.resource(GADGETS).create({
      ...{ apiVersion: 'example.com/v1', kind: 'Gadget' },
      metadata: { name: 'owned', ownerReferences: [owner] },
    });
    client.configMaps.delete('owner', { propagationPolicy: policy });
    cluster.advance(seconds(5));
    const left = (): readonly string[] =>
      this.objects.flatMap(({ metadata: { name = '', ownerReferences = [] } }) =>
        name === 'owner' || name === 'owned' ? [`${name} of ${ownerReferences.length}`] : [],
      );
    const unheard = policy === 'Background' ? ['owned of 1'] : ['owner of 0', 'owned of 1'];
    expect(left(), `while nobody knows all dependents: ${policy}`).toEqual(unheard);
    faults.allowRequests(lists);
    // Whoever lists in vain waits ever longer.
    cluster.advance(seconds(45));
    expect(left(), `when they are known: ${policy}`).toEqual(policy === 'Orphan' ? ['owned of 0'] : []);
    client.resource(customResourceDefinitions).delete(`${GADGETS.resource}.${GADGETS.group}`);
    cluster.advance(seconds(35));
  }

  /** The kind is not served for a time, and what there is of it stays. */
  hide(): void {
    this.#serve(false);
    this.#isHidden = true;
  }

  show(): void {
    if (!this.#isHidden) return;
    this.#serve(true);
    this.#isHidden = false;
    // What goes before the collector follows the kind again it cannot hear of.
    this.cluster.advance(seconds(35));
  }

  #serve(served: boolean): void {
    const body = { spec: { versions: versionsThatAre(served) } };
    tryTo(() =>
      this.cluster.client
        .resource(customResourceDefinitions)
        .patch('websites.example.com', { type: 'merge', body }),
    );
    this.cluster.advance(seconds(2));
  }

  undefine(): void {
    tryTo(() => {
      this.cluster.client.resource(customResourceDefinitions).delete('websites.example.com');
      for (const { kind, metadata } of this.belongings)
        if (kind === 'Website') {
          this.#free.delete(metadata.uid ?? '');
          if (!this.#isInPeace || this.#isHidden) this.#unheardEnd.add(metadata.uid ?? '');
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
        metadata: { name, ...(owner && { ownerReferences: [referenceTo(name, owner, found)] }) },
      });
      if (kind === 'ConfigMap') this.#madeMs.set(metadata.uid ?? '', this.nowMs);
      if (!owner) this.#free.add(metadata.uid ?? '');
    });
  }

  /** It belongs to that one, too. */
  tie({ kind, name }: Place, owner: Place): void {
    const [own, found] = [this.#find({ kind, name }), this.#find(owner)];
    if (!own || !found || own === found) return;
    const { ownerReferences = [], uid = '' } = own.metadata;
    if (ownerReferences.some((each) => each.uid === found.metadata.uid)) return;
    const body = { metadata: { ownerReferences: [...ownerReferences, referenceTo(name, owner, found)] } };
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
      if (propagationPolicy === 'Foreground') this.#toldToWait.add(uid);
      // Whom it has not let go yet it takes with it after all.
      if (propagationPolicy !== 'Orphan') for (const child of this.#onlyOf(uid)) this.#free.delete(child.uid);
      if (propagationPolicy !== 'Orphan' || deletionTimestamp !== undefined) return;
      for (const child of this.#onlyOf(uid)) if (this.#isKnown(child, kind)) this.#free.add(child.uid);
    });
  }

  /** Whoever hears of its owner's end has heard of it: of one kind things are heard in their order. */
  #isKnown(child: Child, kind: Kind): boolean {
    if (child.kind === kind) return true;
    return this.#isInPeace && this.nowMs - (this.#madeMs.get(child.uid) ?? Infinity) > HEARD_MS;
  }

  /** Somebody else does not wait until it may go; those that it was to leave go as well. */
  letGo({ kind, name }: Place): void {
    const { uid = '', finalizers = [], deletionTimestamp } = this.#find({ kind, name })?.metadata ?? {};
    if (deletionTimestamp === undefined || finalizers.length === 0) return;
    tryTo(() => {
      this.#of(kind).patch(name, { type: 'merge', body: { metadata: { finalizers: [] } } });
      for (const child of this.#onlyOf(uid)) this.#free.delete(child.uid);
    });
  }

  /** Another one of the name, that has somebody and goes as well, before anybody has done with the former. */
  succeed({ of, child, policy, isFormerHeard, hindered }: Succession): void {
    const { cluster } = this;
    const tries = { actor: this.actor.name, verb: 'patch' } as const;
    if (hindered > 0) cluster.faults.failRequests({ ...tries, count: hindered, status: 500 });
    this.make(of, undefined);
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
    cluster.faults.allowRequests(tries);
  }

  /** One that has somebody goes, and another one of its name is there before anybody has heard of it. */
  replace(of: Place, child: Place): void {
    for (const each of [child, of]) this.remove(each, 'Background');
    this.make(of, undefined);
    this.make(child, of);
    this.cluster.advance(seconds(2));
    this.remove(of, 'Background');
    this.make(of, undefined);
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
      if (!this.#waitsForItself(object, all))
        expect(metadata.deletionTimestamp, `${what}, which goes`).toBeUndefined();
    }
    for (const uid of this.#free) expect(uids, 'what nobody deleted').toContain(uid);
  }

  #onlyOf(owner: string): readonly Child[] {
    return this.belongings.flatMap(({ kind = '', metadata: { uid = '', ownerReferences = [] } }) =>
      ownerReferences.length === 1 && ownerReferences[0]?.uid === owner ? [{ kind, uid }] : [],
    );
  }

  /** Those of a circle that were told one after the other to wait for the next wait for ever, in a real cluster, too. */
  #waitsForItself({ metadata: { uid = '' } }: ApiObject, all: readonly ApiObject[]): boolean {
    const circle = [...above(uid, all)].filter((each) => above(each, all).has(uid));
    return circle.filter((each) => this.#toldToWait.has(each)).length > 1;
  }

  #find({ kind, name }: Place): ApiObject | undefined {
    return this.belongings.find((each) => each.kind === kind && each.metadata.name === name);
  }

  #of(kind: Kind) {
    return this.cluster.client.resource(HANDLES[kind]);
  }
}

/** Its owners, and theirs. */
function above(uid: string, all: readonly ApiObject[]): ReadonlySet<string> {
  const ownersOf = (of: string): readonly string[] =>
    (all.find((each) => each.metadata.uid === of)?.metadata.ownerReferences ?? []).map((owner) => owner.uid);
  const owners = new Set(ownersOf(uid));
  for (const owner of owners) for (const next of ownersOf(owner)) owners.add(next);
  return owners;
}

/** Of one that is not there: to somebody who went long ago. */
const referenceTo = (
  dependent: string,
  { kind, name }: Place,
  found: ApiObject | undefined,
): OwnerReference => ({
  apiVersion: versionOf(kind, dependent),
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
  fc
    .record<Succession>({
      of: place,
      child: place,
      policy: fc.constantFrom(...POLICIES, 'Orphan'),
      isFormerHeard: fc.boolean(),
      hindered: fc.constantFrom(0, 4, 6, 8),
    })
    .filter(({ of, child }) => of.kind !== child.kind || of.name !== child.name),
  (world, drawn) => world.succeed(drawn),
);
const replace = act(
  'replace',
  fc.tuple(place, place).filter(([of, child]) => of.kind !== child.kind || of.name !== child.name),
  (world, drawn) => world.replace(...drawn),
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
  replace,
  act('define', NOTHING, (world) => world.define()),
  act('undefine', NOTHING, (world) => world.undefine()),
];

/** Of what goes while its kind is not served nobody hears who does not hear at once, for ever. */
const hidings = [
  act('hide', NOTHING, (world) => world.hide()),
  act('show', NOTHING, (world) => world.show()),
  act('pass', fc.constantFrom(2, 40), ({ cluster }, span) => cluster.advance(seconds(span))),
];

const ownUnheard = act('own, unheard', fc.constantFrom(...POLICIES), (world, policy) =>
  world.ownUnheard(policy),
);

it.each([
  ['in peace', [...doings, pass, ownUnheard]],
  ['in peace, of kinds that are not served for a time', [...doings, ...hidings]],
  ['amid troubles', amidTroubles<World>([...doings, unseen<World>(doings)])],
])('leaves nothing whose owners are gone, and nothing that waits: %s', (how, acts) => {
  holdsInAnyOrderAsBefore<World>({
    begin: () => new World(how.startsWith('in peace')),
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
