/**
 * Volumes that are wiped for the next claim, in any order of claims that come and go, of wipers that end well or badly or are
 * taken away, and of troubles of whoever waits for them: nobody is given a volume that was not wiped since it was somebody
 * else's, and in the end every volume whose claim is gone is free.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/types/core-v1.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager, unseen } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const VOLUMES = ['v', 'w'] as const;
const CLAIMS = ['c', 'd'] as const;
const NAMESPACE = 'default';
const WIPER = 'recycler-for-';
/** A wiper that is found there is taken away first, and each step waits for a look at everything. */
const ROUNDS = 12;
const ROUND = seconds(20);

class World extends TroubledManager {
  /** By uid of a wiper: whose the volume was when it was made. */
  readonly #wipers = new Map<string, string>();
  /** Claims after which somebody has wiped their volume. */
  readonly #wiped = new Set<string>();
  /** The volume of each claim, by its uid. */
  readonly #given = new Map<string, string>();
  readonly #unwiped: string[] = [];

  constructor() {
    super(['persistentvolume-binder-controller']);
    this.cluster.storage.watch({
      prefix: '/registry/pods/',
      onEvents: (events) => {
        for (const event of events)
          if (event.kind === 'put') this.#noteWiper(event.entry.value, event.previous === undefined);
      },
    });
    this.cluster.storage.watch({
      prefix: '/registry/persistentvolumeclaims/',
      onEvents: (events) => {
        for (const event of events) if (event.kind === 'put') this.#gave(event.entry.value);
      },
    });
    this.cluster.storage.watch({
      prefix: '/registry/persistentvolumes/',
      onEvents: (events) => {
        for (const event of events)
          if (event.kind === 'put' && event.previous) this.#changed(event.entry.value, event.previous.value);
      },
    });
  }

  offer(name: string): void {
    tryTo(() =>
      this.cluster.client.persistentVolumes.create({
        metadata: { name },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          persistentVolumeReclaimPolicy: 'Recycle',
          hostPath: { path: '/tmp/x' },
        },
      }),
    );
  }

  want(name: string): void {
    tryTo(() =>
      this.cluster.client.persistentVolumeClaims.create({
        metadata: { name, namespace: NAMESPACE },
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: '',
          resources: { requests: { storage: '1Gi' } },
        },
      }),
    );
  }

  removeVolume(name: string): void {
    const { persistentVolumes } = this.cluster.client;
    tryTo(() => persistentVolumes.delete(name));
    tryTo(() => persistentVolumes.patch(name, { type: 'merge', body: WITHOUT_FINALIZERS }));
  }

  removeClaim(name: string): void {
    const key = { namespace: NAMESPACE, name };
    const { persistentVolumeClaims } = this.cluster.client;
    tryTo(() => persistentVolumeClaims.delete(key));
    tryTo(() => persistentVolumeClaims.patch(key, { type: 'merge', body: WITHOUT_FINALIZERS }));
  }

  /** A volume has an owner for a while. */
  lend(volume: string, claim: string): void {
    this.offer(volume);
    this.want(claim);
    this.cluster.advance(seconds(16));
    this.removeClaim(claim);
  }

  endWiper(volume: string, phase: 'Succeeded' | 'Failed'): void {
    const [name, body] = [`${WIPER}${volume}`, { status: { phase } }];
    tryTo(() => this.cluster.client.pods.patch(name, { type: 'merge', body }, { subresource: 'status' }));
  }

  removeWiper(volume: string): void {
    tryTo(() => this.cluster.client.pods.delete(`${WIPER}${volume}`, { gracePeriodSeconds: 0 }));
  }

  compare(): void {
    expect(this.#unwiped, 'free, and not wiped').toEqual([]);
  }

  end(): void {
    this.endAllTroubles();
    // Who no longer hears of a wiper waits until nothing is told of it either, which may take an hour.
    this.cluster.faults.endWatches({ expired: false });
    for (let round = 0; round < ROUNDS; round++) {
      this.cluster.advance(ROUND);
      for (const volume of VOLUMES) this.endWiper(volume, 'Succeeded');
    }
    this.calm();
    this.compare();
    this.expectRest(['volumes-rest']);
    const claims = new Set(this.of('PersistentVolumeClaim').map(({ metadata }) => metadata.uid));
    for (const { metadata, spec } of this.of('PersistentVolume')) {
      const { uid } = spec?.claimRef ?? {};
      if (uid !== undefined) expect(claims, `the claim of ${metadata.name}`).toContain(uid);
    }
    this.expectStill();
  }

  #noteWiper({ metadata: { name = '', uid = '' }, status }: Pod, isNew: boolean): void {
    if (status?.phase === 'Succeeded') this.#wiped.add(this.#wipers.get(uid) ?? '');
    if (!isNew || !name.startsWith(WIPER)) return;
    const volume = this.of('PersistentVolume').find((each) => `${WIPER}${each.metadata.name}` === name);
    this.#wipers.set(uid, ownerOf(volume));
  }

  #gave({ metadata: { uid = '' }, spec }: PersistentVolumeClaim): void {
    if (spec?.volumeName) this.#given.set(uid, spec.volumeName);
  }

  #changed(volume: PersistentVolume, before: PersistentVolume): void {
    const former = ownerOf(before);
    if (former === '' || former === ownerOf(volume) || this.#wiped.has(former)) return;
    // It was kept for a claim that got another one.
    if (this.#given.get(former) !== volume.metadata.name) return;
    this.#unwiped.push(`${volume.metadata.name}, which was of ${former}`);
  }
}

const WITHOUT_FINALIZERS = { metadata: { finalizers: null } };

const ownerOf = (volume: PersistentVolume | undefined): string => volume?.spec?.claimRef?.uid ?? '';

const act = actsOn<World>();
const volume = fc.constantFrom(...VOLUMES);
const claim = fc.constantFrom(...CLAIMS);
const lend = act('lend', fc.tuple(volume, claim), (world, drawn) => world.lend(...drawn));
const endWiper = act(
  'end wiper',
  fc.tuple(volume, fc.constantFrom('Succeeded', 'Succeeded', 'Failed')),
  (world, drawn) => world.endWiper(...drawn),
);
const doings = [
  ...[lend, lend, lend, endWiper, endWiper],
  act('offer', volume, (world, name) => world.offer(name)),
  act('want', claim, (world, name) => world.want(name)),
  act('remove volume', volume, (world, name) => world.removeVolume(name)),
  act('remove claim', claim, (world, name) => world.removeClaim(name)),
  act('remove wiper', volume, (world, name) => world.removeWiper(name)),
];

it('are given to nobody before that, and to whoever comes after it', () => {
  holdsInAnyOrderAsBefore<World>({
    begin: () => new World(),
    acts: amidTroubles<World>([...doings, unseen<World>(doings)]),
    compare: (world) => world.compare(),
    end: (world) => world.end(),
    most: 20,
    runs: 12,
  });
});
