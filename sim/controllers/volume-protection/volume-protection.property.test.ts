/**
 * Claims, volumes and pods that come, go and are made anew under their names in any order, claims among them that belong to a
 * pod, and pods that somebody else holds when they are over, whatever comes between their protection and the API: what is in
 * use stays, what is to go and is not in use any more is gone soon, and what somebody has laid bare is protected again.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiObject } from '../../api/object.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/types/core-v1.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager, unseen } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { milliseconds, seconds } from '../../engine/time.ts';

const CLAIMS = ['c', 'd'] as const;
const PODS = ['p', 'q', 'r'] as const;
const VOLUMES = ['v', 'w'] as const;
const PHASES = ['Available', 'Bound', 'Released'] as const;
const FINALIZERS = {
  PersistentVolumeClaim: 'kubernetes.io/pvc-protection',
  PersistentVolume: 'kubernetes.io/pv-protection',
} as const;
type Kind = keyof typeof FINALIZERS;
const HOLD = 'example.com/hold';
/** Of a pod's own claim, which is named after both. */
const OWN = 'own';
const CLAIM_SPEC = {
  accessModes: ['ReadWriteOnce'],
  storageClassName: '',
  resources: { requests: { storage: '1Gi' } },
} as const;

class World extends TroubledManager {
  constructor() {
    super(['persistentvolumeclaim-protection-controller', 'persistentvolume-protection-controller']);
    for (const name of CLAIMS) this.claim(name);
    this.use('p', ['c']);
    // The claim is the former one's.
    for (let time = 1; time <= 2; time++) this.useOwn('q', false);
    this.useOwn('r', true);
    for (const name of VOLUMES) this.volume(name, 'Available');
    this.cluster.advance(seconds(1));
  }

  claim(name: string): void {
    tryTo(() => this.cluster.client.persistentVolumeClaims.create({ metadata: { name }, spec: CLAIM_SPEC }));
  }

  volume(name: string, phase: (typeof PHASES)[number]): void {
    const { persistentVolumes } = this.cluster.client;
    const spec = {
      accessModes: CLAIM_SPEC.accessModes,
      capacity: { storage: '1Gi' },
      hostPath: { path: '/tmp/v' },
    };
    tryTo(() => persistentVolumes.create({ metadata: { name }, spec }));
    tryTo(() =>
      persistentVolumes.patch(
        name,
        { type: 'merge', body: { status: { phase } } },
        { subresource: 'status' },
      ),
    );
  }

  /** A pod with a claim of its own; whoever holds it lets it go in the end. */
  useOwn(name: string, isHeld: boolean): void {
    const volumes = [{ name: OWN, ephemeral: { volumeClaimTemplate: { spec: CLAIM_SPEC } } }];
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }], volumes };
    this.release(name);
    this.letGo(name);
    tryTo(() => {
      const { metadata } = this.cluster.client.pods.create({
        metadata: { name, finalizers: isHeld ? [HOLD] : [] },
        spec,
      });
      const owner = { apiVersion: 'v1', kind: 'Pod', name, uid: metadata.uid ?? '', controller: true };
      this.cluster.client.persistentVolumeClaims.create({
        metadata: { name: `${name}-${OWN}`, ownerReferences: [owner] },
        spec: CLAIM_SPEC,
      });
    });
  }

  /** Its own claim first, which stays as long as it uses that. */
  removeWithOwn(name: string): void {
    this.remove('PersistentVolumeClaim', `${name}-${OWN}`);
    this.cluster.advance(milliseconds(500));
    this.release(name);
  }

  letGo(name: string): void {
    const body = { metadata: { finalizers: null } };
    tryTo(() => this.cluster.client.pods.patch(name, { type: 'merge', body }));
  }

  use(name: string, claims: readonly string[]): void {
    const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }], volumes };
    tryTo(() => this.cluster.client.pods.create({ metadata: { name }, spec }));
  }

  release(name: string): void {
    tryTo(() => this.cluster.client.pods.delete(name, { gracePeriodSeconds: 0 }));
  }

  end(name: string): void {
    const body = { status: { phase: 'Succeeded' } };
    tryTo(() => this.cluster.client.pods.patch(name, { type: 'merge', body }, { subresource: 'status' }));
  }

  reuse(name: string, claims: readonly string[]): void {
    this.release(name);
    this.use(name, claims);
  }

  remove(kind: Kind, name: string): void {
    tryTo(() => this.#clientOf(kind).delete(name));
  }

  /** Somebody takes away what protects what does not go. */
  layBare(kind: Kind, name: string): void {
    const client = this.#clientOf(kind);
    tryTo(() => {
      if (client.get(name).metadata.deletionTimestamp === undefined)
        client.patch(name, { type: 'merge', body: { metadata: { finalizers: null } } });
    });
  }

  /** What is used keeps its finalizer, once it has had it. */
  expectKept(): void {
    for (const { kind, name, isGoing, isProtected, isUsed } of this.#protectable)
      if (isGoing && isUsed) expect(isProtected, `${kind} ${name}, which is used, is protected`).toBe(true);
  }

  expectRight(): void {
    this.expectKept();
    for (const { kind, name, isGoing, isProtected, isUsed } of this.#protectable) {
      if (!isUsed) expect(isGoing, `${kind} ${name}, which nobody uses, goes`).toBe(false);
      expect(isProtected, `${kind} ${name} is protected`).toBe(true);
    }
  }

  get #protectable() {
    const facts = (kind: Kind, { metadata }: ApiObject, isUsed: boolean) => ({
      kind,
      name: metadata.name ?? '',
      isGoing: metadata.deletionTimestamp !== undefined,
      isProtected: metadata.finalizers?.includes(FINALIZERS[kind]) === true,
      isUsed,
    });
    const users = this.of('Pod');
    return [
      ...this.of('PersistentVolumeClaim').map((claim) =>
        facts(
          'PersistentVolumeClaim',
          claim,
          users.some((pod) => uses(pod, claim)),
        ),
      ),
      ...this.of('PersistentVolume').map((volume) =>
        facts('PersistentVolume', volume, volume.status?.phase === 'Bound'),
      ),
    ];
  }

  #clientOf(kind: Kind) {
    const { persistentVolumes, persistentVolumeClaims } = this.cluster.client;
    return kind === 'PersistentVolume' ? persistentVolumes : persistentVolumeClaims;
  }
}

/** Its own claim a pod does not use any more once it only waits to be removed. */
function uses({ metadata, spec }: Pod, claim: PersistentVolumeClaim): boolean {
  const { name = '', ownerReferences = [] } = claim.metadata;
  const isOver = metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
  return (spec?.volumes ?? []).some(({ persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return persistentVolumeClaim.claimName === name;
    return ephemeral && !isOver && ownerReferences.some(({ uid }) => uid === metadata.uid);
  });
}

const act = actsOn<World>();
const claim = fc.constantFrom(...CLAIMS);
const pod = fc.constantFrom(...PODS);
const use = fc.tuple(pod, fc.subarray([...CLAIMS], { maxLength: 1 }));
const reuse = act('reuse', use, (world, drawn) => world.reuse(...drawn));
const release = act('release', pod, (world, name) => world.release(name));
const ofClaims = fc.tuple<[Kind, string]>(
  fc.constant<Kind>('PersistentVolumeClaim'),
  fc.constantFrom(...CLAIMS, ...PODS.map((name) => `${name}-${OWN}`)),
);
const ofVolumes = fc.tuple<[Kind, string]>(
  fc.constant<Kind>('PersistentVolume'),
  fc.constantFrom(...VOLUMES),
);
const remove = act('remove', fc.oneof(ofClaims, ofClaims, ofVolumes), (world, drawn) =>
  world.remove(...drawn),
);
const volume = act(
  'volume',
  fc.tuple(fc.constantFrom(...VOLUMES), fc.constantFrom(...PHASES)),
  (world, drawn) => world.volume(...drawn),
);
const doings = [
  volume,
  act('use own', fc.tuple(pod, fc.boolean()), (world, drawn) => world.useOwn(...drawn)),
  act('remove with own', pod, (world, name) => world.removeWithOwn(name)),
  act('let go', pod, (world, name) => world.letGo(name)),
  act('lay bare', fc.oneof(ofClaims, ofVolumes), (world, drawn) => world.layBare(...drawn)),
  act('claim', claim, (world, name) => world.claim(name)),
  act('use', use, (world, drawn) => world.use(...drawn)),
  act('end', pod, (world, name) => world.end(name)),
  reuse,
  release,
  remove,
  remove,
  unseen([reuse, release, remove, volume]),
];

it('goes as soon as nobody uses it', () => {
  const some = fc.oneof(...doings);
  holdsInAnyOrder({
    begin: () => new World(),
    acts: [
      some,
      some,
      act('pass', fc.constantFrom(0.02, 2), ({ cluster }, span) =>
        cluster.advance(milliseconds(span * 1_000)),
      ),
      act('lag', fc.constantFrom(0, 2), ({ cluster }, span) => cluster.lagWatchCaches(seconds(span))),
    ],
    compare: (world) => world.expectKept(),
    end: (world) => {
      world.cluster.lagWatchCaches(seconds(0));
      world.cluster.advance(seconds(30));
      world.expectRight();
    },
    most: 14,
    runs: 40,
  });
});

it('goes some time after all troubles', () => {
  holdsInAnyOrder({
    begin: () => new World(),
    acts: amidTroubles<World>(doings),
    compare: (world) => world.expectKept(),
    end: (world) => {
      world.calm();
      world.expectRight();
      world.expectStill();
    },
    most: 16,
    runs: 25,
  });
});
