/**
 * Claims that grow while their volumes come, are bound and go, in any order: in the end each that has less than it asks for,
 * and whose volume is its own, is left to whoever looks after such volumes, as the claim says; none else says so.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PersistentVolumeClaim, PersistentVolumeSpec } from '../../api/types/core-v1.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn } from '../../engine/any-order.arbitrary.ts';
import { milliseconds, seconds } from '../../engine/time.ts';

const NAMES = ['a', 'b'] as const;
const RESIZER = 'volume.kubernetes.io/storage-resizer';
/** Of a volume, and who makes it grow. */
const SOURCES: readonly (readonly [Partial<PersistentVolumeSpec>, string | undefined])[] = [
  [{ awsElasticBlockStore: { volumeID: 'v' } }, 'ebs.csi.aws.com'],
  [{ gcePersistentDisk: { pdName: 'v' } }, 'pd.csi.storage.gke.io'],
  [{ csi: { driver: 'csi.example.com', volumeHandle: 'v' } }, undefined],
];
const RESIZERS = ['ebs.csi.aws.com', 'pd.csi.storage.gke.io'] as const;
/** Whoever asks after that is told of nothing else. */
const SETTLED_MS = 1_000;
const SIZES = ['1Gi', '2Gi', '3Gi'] as const;
type Size = (typeof SIZES)[number];
const sizeOf = (size: string | undefined): number => SIZES.indexOf((size ?? '') as Size);

class World extends TroubledManager {
  /** When somebody last said whose a volume is. */
  readonly #saidMs = new Map<string, number>();
  /** Claims that were left to somebody although their volume was another's. */
  readonly #wrong: string[] = [];
  /** Somebody else writes. */
  #isMisleading = false;

  constructor() {
    super(['persistentvolume-expander-controller']);
    this.cluster.storage.watch({
      prefix: '/registry/persistentvolumeclaims/',
      onEvents: (events) => {
        for (const event of events)
          if (event.kind === 'put') this.#look(event.entry.value, event.previous?.value);
      },
    });
    this.cluster.client.resource(BUILTIN_HANDLES.storageClasses).create({
      metadata: { name: 'grows' },
      provisioner: 'example.com/any',
      allowVolumeExpansion: true,
    });
  }

  offer(name: string, source: number): void {
    tryTo(() =>
      this.cluster.client.persistentVolumes.create({
        metadata: { name },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          storageClassName: 'grows',
          ...SOURCES[source]?.[0],
        },
      }),
    );
  }

  /** It says that it is bound; its volume may know nothing of it yet. */
  claim(name: string): void {
    const { persistentVolumeClaims } = this.cluster.client;
    tryTo(() => {
      persistentVolumeClaims.create({
        metadata: { name },
        spec: {
          volumeName: name,
          storageClassName: 'grows',
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
        },
      });
      this.#tell(name, '1Gi');
    });
  }

  #tell(name: string, storage: string): void {
    const body = { status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage } } };
    this.cluster.client.persistentVolumeClaims.patch(
      name,
      { type: 'merge', body },
      { subresource: 'status' },
    );
  }

  #look({ metadata }: PersistentVolumeClaim, before: PersistentVolumeClaim | undefined): void {
    const { name = '', uid, annotations } = metadata;
    if (this.#isMisleading || annotations?.[RESIZER] === undefined) return;
    if (annotations[RESIZER] === before?.metadata.annotations?.[RESIZER]) return;
    const volume = this.of('PersistentVolume').find((each) => each.metadata.name === name);
    const isSettled = this.#nowMs - (this.#saidMs.get(name) ?? -Infinity) > SETTLED_MS;
    if (volume && isSettled && volume.spec?.claimRef?.uid !== uid) this.#wrong.push(name);
  }

  get #nowMs(): number {
    return this.cluster.userClient.context.wallMs();
  }

  /** Somebody else says who makes it grow. */
  mislead(name: string, resizer: string): void {
    const body = { metadata: { annotations: { [RESIZER]: resizer } } };
    this.#isMisleading = true;
    tryTo(() => this.cluster.client.persistentVolumeClaims.patch(name, { type: 'merge', body }));
    this.#isMisleading = false;
  }

  /** Another claim of the same name asks for more than it has, and the volume is that of the former. */
  remake(name: string, source: number, storage: Size): void {
    this.offer(name, source);
    this.claim(name);
    this.bind(name, undefined);
    this.cluster.advance(milliseconds(2 * SETTLED_MS));
    this.remove(name, 'claim');
    const body = { metadata: { finalizers: null } };
    tryTo(() => this.cluster.client.persistentVolumeClaims.patch(name, { type: 'merge', body }));
    this.claim(name);
    this.grow(name, storage);
  }

  /** The volume hears of its claim, or of another. */
  bind(name: string, uid: string | undefined): void {
    tryTo(() => {
      const { metadata } = this.cluster.client.persistentVolumeClaims.get(name);
      this.#saidMs.set(name, this.#nowMs);
      const claimRef = { namespace: 'default', name, uid: uid ?? metadata.uid };
      this.cluster.client.persistentVolumes.patch(name, { type: 'merge', body: { spec: { claimRef } } });
    });
  }

  grow(name: string, storage: Size): void {
    tryTo(() =>
      this.cluster.client.persistentVolumeClaims.patch(name, {
        type: 'merge',
        body: { spec: { resources: { requests: { storage } } } },
      }),
    );
  }

  /** Whoever looks after the volume has done what was asked. */
  follow(name: string): void {
    tryTo(() => {
      const { spec } = this.cluster.client.persistentVolumeClaims.get(name);
      this.#tell(name, spec?.resources?.requests?.['storage'] ?? '1Gi');
    });
  }

  remove(name: string, what: 'claim' | 'volume'): void {
    const { persistentVolumes, persistentVolumeClaims } = this.cluster.client;
    tryTo(() => (what === 'claim' ? persistentVolumeClaims : persistentVolumes).delete(name));
  }

  expectRight(): void {
    expect(this.#wrong, 'left to somebody, with the volume of another').toEqual([]);
    for (const { metadata, spec, status } of this.of('PersistentVolumeClaim')) {
      const { name = '', uid, annotations } = metadata;
      const volume = this.of('PersistentVolume').find((each) => each.metadata.name === name);
      const [, resizer] = SOURCES.find(([source]) => isOf(source, volume?.spec)) ?? [];
      const said = annotations?.[RESIZER];
      if (said !== undefined) expect(SOURCES.map(([, driver]) => driver)).toContain(said);
      if (!volume || volume.spec?.claimRef?.uid !== uid || resizer === undefined) continue;
      const isShort = sizeOf(spec?.resources?.requests?.['storage']) > sizeOf(status?.capacity?.['storage']);
      if (isShort && status?.phase === 'Bound') expect(said, `who makes ${name} grow`).toBe(resizer);
    }
  }
}

const isOf = (source: Partial<PersistentVolumeSpec>, spec: PersistentVolumeSpec | undefined): boolean =>
  Object.keys(source).every((member) => spec !== undefined && member in spec);

const name = fc.constantFrom(...NAMES);
const act = actsOn<World>();

it('are left to whoever makes their volumes grow', () => {
  const grow = act('grow', fc.tuple(name, fc.constantFrom(...SIZES)), (world, drawn) => world.grow(...drawn));
  const bind = act('bind', fc.tuple(name, fc.constantFrom(undefined, undefined, 'other')), (world, drawn) =>
    world.bind(...drawn),
  );
  holdsInAnyOrderAsBefore<World>({
    begin: () => new World(),
    acts: amidTroubles<World>([
      ...[grow, grow, bind],
      act('offer', fc.tuple(name, fc.nat(SOURCES.length - 1)), (world, drawn) => world.offer(...drawn)),
      act('claim', name, (world, of) => world.claim(of)),
      act('remake', fc.tuple(name, fc.nat(SOURCES.length - 1), fc.constantFrom(...SIZES)), (world, drawn) =>
        world.remake(...drawn),
      ),
      act('mislead', fc.tuple(name, fc.constantFrom(...RESIZERS)), (world, drawn) => world.mislead(...drawn)),
      act('follow', name, (world, of) => world.follow(of)),
      act('remove', fc.tuple(name, fc.constantFrom('claim', 'volume')), (world, drawn) =>
        world.remove(...drawn),
      ),
    ]),
    compare: () => undefined,
    end: (world) => {
      for (const [index, each] of NAMES.entries()) {
        world.offer(each, index);
        world.claim(each);
        world.grow(each, '3Gi');
      }
      world.cluster.advance(seconds(1));
      for (const each of NAMES) world.bind(each, undefined);
      world.calm();
      world.expectRight();
      world.expectStill();
    },
    most: 20,
    runs: 10,
  });
});
