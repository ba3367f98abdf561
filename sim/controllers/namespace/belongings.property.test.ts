/**
 * Who belongs to a namespace or to an owner, in any order of comings and goings, whatever comes between those who keep house
 * and the API: who is deleted goes with all that is his, who is let go or held stays, nobody else is touched, quotas count
 * what there is, and every namespace that lives has its account and its root certificate.
 *
 * @holds sim/controllers/garbage-collector sim/controllers/resource-quota sim/controllers/service-account sim/controllers/root-ca sim/controllers/service-account-token
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiObject } from '../../api/object.ts';
import type { Namespace } from '../../api/types/core-v1.ts';
import type { SyncClient } from '../../cluster/sync-client.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { actsOn, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { minutes } from '../../engine/time.ts';

const NAMESPACES = ['a', 'b'] as const;
const NAMES = ['p', 'q', 'r', 's'] as const;
const POLICIES = ['Background', 'Foreground', 'Orphan'] as const;
const HELD = 'example.com/held';
const ROOT = 'kube-root-ca.crt';
const KINDS = ['ConfigMap', 'Secret'] as const;
const OF_TOKENS = 'kubernetes.io/service-account-token';

type Policy = (typeof POLICIES)[number];
interface Place {
  readonly kind: (typeof KINDS)[number];
  readonly namespace: (typeof NAMESPACES)[number];
  readonly name: (typeof NAMES)[number];
}
interface Wish extends Place {
  readonly owners: readonly (typeof NAMES)[number][];
  readonly blocks: boolean;
  readonly isHeld: boolean;
}

class World extends TroubledManager {
  /** By uid: what somebody has made, and its owners' uids. */
  readonly #made = new Map<string, readonly string[]>();
  /** Users have deleted it, or its namespace. */
  readonly #deleted = new Map<string, Policy | 'namespace'>();
  /** Nobody can say what becomes of them: their owners were about to go. */
  readonly #unsure = new Set<string>();

  constructor() {
    super([
      'namespace-controller',
      'garbage-collector-controller',
      'resourcequota-controller',
      'serviceaccount-controller',
      'root-ca-certificate-publisher-controller',
      'serviceaccount-token-controller',
    ]);
  }

  open(name: string): void {
    tryTo(() => this.cluster.client.namespaces.create({ metadata: { name } }));
  }

  shut(name: string): void {
    tryTo(() => {
      this.cluster.client.namespaces.delete(name);
      for (const { metadata } of this.belongings)
        if (metadata.namespace === name) this.#deleted.set(metadata.uid ?? '', 'namespace');
    });
  }

  make({ kind, namespace, name, owners, blocks, isHeld }: Wish): void {
    const present = this.belongings.filter((each) => each.metadata.namespace === namespace);
    const all = owners.flatMap(
      (owner) => present.find((each) => each.metadata.name === owner && owner !== name) ?? [],
    );
    tryTo(() => {
      const { metadata } = this.#ofKind(kind).create({
        metadata: {
          name,
          namespace,
          ...(isHeld && { finalizers: [HELD] }),
          ownerReferences: all.map((owner) => ({
            apiVersion: 'v1',
            kind: owner.kind,
            name: owner.metadata.name ?? '',
            uid: owner.metadata.uid ?? '',
            ...(blocks && { blockOwnerDeletion: true }),
          })),
        },
      });
      const uid = metadata.uid ?? '';
      this.#made.set(
        uid,
        all.map((owner) => owner.metadata.uid ?? ''),
      );
      if (all.some((owner) => owner.metadata.deletionTimestamp !== undefined)) this.#unsure.add(uid);
    });
  }

  remove({ kind, namespace, name }: Place, propagationPolicy: Policy): void {
    const found = this.belongings.find(
      (each) => each.kind === kind && each.metadata.namespace === namespace && each.metadata.name === name,
    );
    tryTo(() => {
      this.#ofKind(kind).delete({ namespace, name }, { propagationPolicy });
      const uid = found?.metadata.uid ?? '';
      // Who goes already goes as he began to.
      if (found?.metadata.deletionTimestamp !== undefined) this.#unsure.add(uid);
      if (!this.#deleted.has(uid)) this.#deleted.set(uid, propagationPolicy);
    });
  }

  letGo({ kind, namespace, name }: Place): void {
    tryTo(() => {
      const { finalizers = [] } = this.#ofKind(kind).get({ namespace, name }).metadata;
      const body = { metadata: { finalizers: finalizers.filter((each) => each !== HELD) } };
      this.#ofKind(kind).patch({ namespace, name }, { type: 'merge', body });
    });
  }

  letAllGo(kinds: readonly Place['kind'][] = KINDS): void {
    for (const kind of kinds)
      for (const namespace of NAMESPACES) for (const name of NAMES) this.letGo({ kind, namespace, name });
  }

  /** What is given to every namespace is taken away, or changed. */
  spoil(namespace: string, what: 'account' | 'root' | 'token'): void {
    const { client } = this.cluster;
    if (what === 'account') tryTo(() => client.serviceAccounts.delete({ namespace, name: 'default' }));
    else if (what === 'root')
      tryTo(() =>
        client.configMaps.patch({ namespace, name: ROOT }, { type: 'merge', body: { data: null } }),
      );
    else
      tryTo(() =>
        client.secrets.create({
          metadata: {
            name: 'token',
            namespace,
            annotations: { 'kubernetes.io/service-account.name': 'default' },
          },
          type: OF_TOKENS,
        }),
      );
  }

  limit(namespace: string, hard: Readonly<Record<string, string>>): void {
    tryTo(() =>
      this.cluster.client.resourceQuotas.create({ metadata: { name: 'limit', namespace }, spec: { hard } }),
    );
    tryTo(() =>
      this.cluster.client.resourceQuotas.patch(
        { namespace, name: 'limit' },
        { type: 'merge', body: { spec: { hard } } },
      ),
    );
  }

  get belongings(): readonly ApiObject[] {
    return this.objects.filter(
      ({ kind, metadata: { name = '', namespace } }) =>
        KINDS.some((each) => each === kind) &&
        NAMES.some((each) => each === name) &&
        NAMESPACES.some((each) => each === namespace),
    );
  }

  expectRight(): void {
    const present = new Map(this.belongings.map((each) => [each.metadata.uid ?? '', each]));
    for (const uid of this.#made.keys()) {
      if (this.#isUnsure(uid)) continue;
      const object = present.get(uid);
      const isHeld = object?.metadata.finalizers?.includes(HELD) === true;
      if (this.#lives(uid)) {
        expect(object, 'what nobody deleted').toBeDefined();
        expect(object?.metadata.deletionTimestamp, 'what nobody deleted').toBeUndefined();
        // Who was left by his owner does not name him any more.
        for (const { uid: owner } of object?.metadata.ownerReferences ?? [])
          if (this.#deleted.get(owner) === 'Orphan' && !this.#isUnsure(owner) && !present.has(owner))
            expect(owner, 'an owner who is gone').toBe('');
      } else if (!isHeld && object && !this.#waitsForOthers(uid, present))
        expect(object.metadata, 'what was deleted').toBe('gone');
    }
    for (const namespace of this.of('Namespace')) {
      this.#expectFurnished(namespace.metadata.name ?? '');
      this.#expectTold(namespace);
    }
  }

  /** A namespace that ends says what is left in it now. */
  #expectTold({ metadata: { name = '', deletionTimestamp }, status }: Namespace): void {
    if (deletionTimestamp === undefined) return;
    const said = status?.conditions?.find(({ type }) => type === 'NamespaceContentRemaining')?.message ?? '';
    for (const kind of KINDS) {
      const left = this.of(kind).filter(({ metadata }) => metadata.namespace === name).length;
      const text = `${kind.toLowerCase()}s. has ${left} `;
      expect(said.includes(text), `whether ${name} says "${text}": ${said}`).toBe(left > 0);
    }
  }

  /** Some owner that it had is not known to live or to be gone. */
  #isUnsure(uid: string): boolean {
    return this.#unsure.has(uid) || (this.#made.get(uid) ?? []).some((owner) => this.#isUnsure(owner));
  }

  #lives(uid: string): boolean {
    if (this.#deleted.has(uid)) return false;
    const owners = this.#made.get(uid) ?? [];
    return owners.length === 0 || owners.some((owner) => this.#leaves(owner));
  }

  /** Whether this owner's dependents live on. */
  #leaves(owner: string): boolean {
    return this.#lives(owner) || this.#deleted.get(owner) === 'Orphan';
  }

  /** It goes after owners that something holds, and after those of its own that hold it. */
  #waitsForOthers(uid: string, present: ReadonlyMap<string, ApiObject>): boolean {
    return (
      (this.#made.get(uid) ?? []).some((owner) => present.has(owner)) ||
      [...present.values()].some(
        ({ metadata }) =>
          metadata.ownerReferences?.some((owner) => owner.uid === uid) === true &&
          metadata.finalizers !== undefined,
      )
    );
  }

  #expectFurnished(namespace: string): void {
    const { metadata } = this.of('Namespace').find((each) => each.metadata.name === namespace) ?? {};
    if (metadata?.deletionTimestamp !== undefined) return;
    const root = this.of('ConfigMap').find(
      (each) => each.metadata.namespace === namespace && each.metadata.name === ROOT,
    );
    expect(root?.data, `root certificate of ${namespace}`).toHaveProperty(['ca.crt']);
    const accounts = this.objects.filter(
      (each) => each.kind === 'ServiceAccount' && each.metadata.namespace === namespace,
    );
    expect(
      accounts.map((each) => each.metadata.name),
      `accounts of ${namespace}`,
    ).toContain('default');
    const uids = accounts.map((each) => each.metadata.uid);
    for (const { type, metadata: own, data } of this.of('Secret'))
      if (type === OF_TOKENS && own.namespace === namespace) {
        expect(uids, 'whose token').toContain(own.annotations?.['kubernetes.io/service-account.uid']);
        expect(Object.keys(data ?? {}).sort(), 'in a token').toEqual(['ca.crt', 'namespace', 'token']);
      }
  }

  #ofKind(kind: Place['kind']): SyncClient['configMaps'] | SyncClient['secrets'] {
    const { configMaps, secrets } = this.cluster.client;
    return kind === 'Secret' ? secrets : configMaps;
  }
}

const namespace = fc.constantFrom(...NAMESPACES);
const place: fc.Arbitrary<Place> = fc.record({
  kind: fc.constantFrom(...KINDS),
  namespace: fc.constantFrom('a', 'a', 'b'),
  name: fc.constantFrom(...NAMES),
});
const wish: fc.Arbitrary<Wish> = fc
  .tuple(
    place,
    fc.record({
      owners: fc.subarray([...NAMES], { maxLength: 2 }),
      blocks: fc.boolean(),
      isHeld: fc.constantFrom(false, false, false, true),
    }),
  )
  .map(([where, how]) => ({ ...where, ...how }));
const hard = fc.constantFrom<Readonly<Record<string, string>>>(
  { configmaps: '5', secrets: '9' },
  { 'count/configmaps': '7' },
  { secrets: '3', pods: '1' },
);
const act = actsOn<World>();
const make = act('make', wish, (world, drawn) => world.make(drawn));
const remove = act('remove', fc.tuple(place, fc.constantFrom(...POLICIES)), (world, [where, how]) =>
  world.remove(where, how),
);

it('takes away who belongs to what is gone, and nobody else', () => {
  holdsInAnyOrderAsBefore({
    begin: () => {
      const world = new World();
      for (const each of NAMESPACES) world.open(each);
      return world;
    },
    acts: amidTroubles<World>([
      make,
      make,
      make,
      remove,
      remove,
      act('let go', place, (world, where) => world.letGo(where)),
      act('open', namespace, (world, name) => world.open(name)),
      act('shut', namespace, (world, name) => world.shut(name)),
      act('spoil', fc.tuple(namespace, fc.constantFrom('account', 'root', 'token')), (world, drawn) =>
        world.spoil(...drawn),
      ),
      act('limit', fc.tuple(namespace, hard), (world, drawn) => world.limit(...drawn)),
      act('look again', NOTHING, (world) => world.bounce()),
    ]),
    compare: () => undefined,
    end: (world) => {
      world.calm();
      world.expectRight();
      world.letAllGo(['ConfigMap']);
      world.cluster.advance(minutes(1));
      world.expectRight();
      world.letAllGo();
      world.calm();
      world.expectRight();
      world.expectRest(['owners-rest', 'namespaces-rest', 'quotas-rest', 'deletions-rest', 'tokens-rest']);
      world.expectStill();
    },
    most: 24,
    runs: 16,
  });
});
