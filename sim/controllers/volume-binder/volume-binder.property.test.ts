/**
 * Claims and volumes that come, go and are made anew under their names in any order, whatever comes between their binder
 * and the API: no volume passes from a claim that is gone to another, no claim is parted from its volume, and in the end
 * all that fit together have found each other.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/types/core-v1.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import {
  amidTroubles,
  type Strike,
  strike,
  struckBy,
  struck,
  TroubledManager,
} from '../../cluster/troubled-manager.fixture.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { actsOn } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const VOLUMES = ['v', 'w'] as const;
const CLAIMS = ['c', 'd'] as const;
const SIZES = ['1Gi', '2Gi'] as const;

/** What becomes of a volume after its claim; only what is below `/tmp` its keeper can delete. */
interface Manner {
  readonly policy: 'Retain' | 'Delete';
  readonly path: string;
}
const KEPT: Manner = { policy: 'Retain', path: '/x' };
const NAMESPACE = 'default';

class World extends TroubledManager {
  /** Whose each volume was, by its uid. */
  readonly #owners = new Map<string, string>();
  /** The volume of each claim, by its uid. */
  readonly #given = new Map<string, string>();
  readonly #wrong: string[] = [];

  constructor() {
    super(['persistentvolume-binder-controller']);
    this.eachWrite<PersistentVolume>('/registry/persistentvolumes/', (now, before) => {
      const { uid } = now?.spec?.claimRef ?? {};
      if (now?.status?.phase !== 'Released' || before?.status?.phase === 'Released') return;
      if (this.claims.some(({ metadata }) => metadata.uid === uid))
        this.#wrong.push(`${now.metadata.name ?? ''} is released, and its claim is there`);
    });
  }

  get volumes(): readonly PersistentVolume[] {
    return this.of('PersistentVolume');
  }

  get claims(): readonly PersistentVolumeClaim[] {
    return this.of('PersistentVolumeClaim');
  }

  offer(name: string, storage: string, claim: string | null, manner: Manner = KEPT): void {
    tryTo(() =>
      this.cluster.client.persistentVolumes.create({
        metadata: { name },
        spec: {
          capacity: { storage },
          accessModes: ['ReadWriteOnce'],
          persistentVolumeReclaimPolicy: manner.policy,
          hostPath: { path: manner.path },
          ...(claim !== null && { claimRef: { namespace: NAMESPACE, name: claim } }),
        },
      }),
    );
  }

  want(name: string, storage: string, volumeName: string | null): void {
    tryTo(() =>
      this.cluster.client.persistentVolumeClaims.create({
        metadata: { name, namespace: NAMESPACE },
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: '',
          resources: { requests: { storage } },
          ...(volumeName !== null && { volumeName }),
        },
      }),
    );
  }

  removeVolume(name: string): void {
    const body = { metadata: { finalizers: null } };
    tryTo(() => this.cluster.client.persistentVolumes.delete(name));
    tryTo(() => this.cluster.client.persistentVolumes.patch(name, { type: 'merge', body }));
  }

  removeClaim(name: string): void {
    const body = { metadata: { finalizers: null } };
    const key = { namespace: NAMESPACE, name };
    tryTo(() => this.cluster.client.persistentVolumeClaims.delete(key));
    tryTo(() => this.cluster.client.persistentVolumeClaims.patch(key, { type: 'merge', body }));
  }

  /** To whoever keeps volumes it is to go with its claim, and what it does then is struck. */
  giveAndTakeBack(path: string, by: Strike): void {
    this.removeVolume('v');
    this.offer('v', '1Gi', 'c', { policy: 'Delete', path });
    this.want('c', '1Gi', 'v');
    this.cluster.advance(seconds(16));
    struckBy(this, by, () => this.removeClaim('c'));
  }

  /** An administrator gives what was released to whoever comes. */
  free(name: string): void {
    tryTo(() => {
      if (this.cluster.client.persistentVolumes.get(name).status?.phase !== 'Released') return;
      const freed = this.cluster.client.persistentVolumes.patch(name, {
        type: 'merge',
        body: { spec: { claimRef: null } },
      });
      this.#owners.delete(freed.metadata.uid ?? '');
    });
  }

  /** Whoever makes volumes made one for a claim that is heard of late. */
  makeForUnheard(name: string, of: string): void {
    const { cluster } = this;
    this.removeVolume(name);
    this.removeClaim(of);
    cluster.advance(seconds(2));
    cluster.faults.endWatches({ resource: 'persistentvolumeclaims' });
    this.want(of, '1Gi', null);
    const claim = this.claims.find(({ metadata }) => metadata.name === of);
    tryTo(() =>
      cluster.client.persistentVolumes.create({
        metadata: { name },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          persistentVolumeReclaimPolicy: 'Retain',
          hostPath: { path: '/x' },
          claimRef: { namespace: NAMESPACE, name: of, uid: claim?.metadata.uid ?? '' },
        },
      }),
    );
    cluster.advance(seconds(5));
  }

  compare(): void {
    expect(this.#wrong).toEqual([]);
    const uids = new Set(this.claims.map(({ metadata }) => metadata.uid));
    for (const { metadata, spec } of this.volumes) {
      const [own = '', claim] = [metadata.uid, spec?.claimRef?.uid];
      const former = this.#owners.get(own);
      if (former !== undefined && !uids.has(former)) expect(claim, 'kept for whom it was').toBe(former);
      if (claim !== undefined) this.#owners.set(own, claim);
    }
    for (const { metadata, spec } of this.claims) {
      const [own = '', volume] = [metadata.uid, spec?.volumeName];
      const former = this.#given.get(own);
      if (former !== undefined) expect(volume, 'the volume of a claim').toBe(former);
      if (volume !== undefined) this.#given.set(own, volume);
    }
    const bound = this.claims
      .filter(({ status }) => status?.phase === 'Bound')
      .map(({ spec }) => spec?.volumeName);
    expect(new Set(bound).size, 'one claim to a volume').toBe(bound.length);
  }
}

const volume = fc.constantFrom(...VOLUMES);
const claim = fc.constantFrom(...CLAIMS);
const size = fc.constantFrom(...SIZES);
const act = actsOn<World>();
const volumeOrNone = fc.option(volume, { freq: 2 });

const offer = act('offer', fc.tuple(volume, size, fc.option(claim, { freq: 2 })), (world, drawn) =>
  world.offer(...drawn),
);
const offerToDelete = act(
  'offer to delete',
  fc.tuple(volume, size, fc.constantFrom('/tmp/x', '/x')),
  (world, [name, storage, path]) => world.offer(name, storage, null, { policy: 'Delete', path }),
);
const want = act('want', fc.tuple(claim, size, volumeOrNone), (world, drawn) => world.want(...drawn));
const removeVolume = act('remove volume', volume, (world, name) => world.removeVolume(name));
const removeClaim = act('remove claim', claim, (world, name) => world.removeClaim(name));
const giveAndTakeBack = act(
  'give and take back',
  fc.tuple(fc.constantFrom('/tmp/x', '/x'), strike),
  (world, drawn) => world.giveAndTakeBack(...drawn),
);
const doings = [
  offer,
  want,
  act('offer', fc.tuple(volume, size, fc.constant(null)), (world, drawn) => world.offer(...drawn)),
  act('want', fc.tuple(claim, size, fc.constant(null)), (world, drawn) => world.want(...drawn)),
  offerToDelete,
  giveAndTakeBack,
  removeVolume,
  removeClaim,
  act('make for unheard', fc.tuple(volume, claim), (world, drawn) => world.makeForUnheard(...drawn)),
  act('free', volume, (world, name) => world.free(name)),
];

it('gives volumes to those for whom they are, and to nobody else after them', () => {
  holdsInAnyOrderAsBefore({
    begin: () => new World(),
    acts: amidTroubles<World>([...doings, struck<World>(doings)]),
    compare: (world) => world.compare(),
    end: (world) => {
      world.calm();
      world.compare();
      world.expectRest(['volumes-rest']);
      world.expectStill();
    },
    most: 24,
    runs: 30,
  });
});

it('does with a volume whose claim is gone what it is to do, however often that fails', () => {
  holdsInAnyOrderAsBefore({
    begin: () => new World(),
    acts: [giveAndTakeBack, giveAndTakeBack, fc.oneof(want, removeClaim, ...amidTroubles<World>([offer]))],
    compare: (world) => world.compare(),
    end: (world) => {
      world.calm();
      world.expectRest(['volumes-rest']);
      world.expectStill();
    },
    most: 4,
    runs: 10,
  });
});
