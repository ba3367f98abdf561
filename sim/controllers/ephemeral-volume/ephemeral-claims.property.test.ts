/**
 * Claims of generic ephemeral volumes, beside what the documentation says of them: whatever becomes of pods and claims,
 * whoever had the name first, and whatever comes between, in the end each pod that lives has its claims, which are its own,
 * unless somebody else's has the name: that is left alone, and told.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ObjectMeta } from '../../api/object.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/types/core-v1.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, struck, TroubledManager, unseen } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn } from '../../engine/any-order.arbitrary.ts';
import { minutes, seconds } from '../../engine/time.ts';

const PODS = ['p', 'q'] as const;
const VOLUMES = ['v', 'w'] as const;
const NAMESPACE = 'default';
/** Between two tries of what has failed often. */
const LONGEST_PAUSE = seconds(1_000);
const FOREIGN = { foreign: 'yes' };

class World extends TroubledManager {
  /** By uid: claims that were there once. */
  readonly #made = new Map<string, string>();

  constructor() {
    super(['ephemeral-volume-controller', 'persistentvolumeclaim-protection-controller']);
  }

  run(name: string, volumes: readonly string[]): void {
    const template = {
      spec: { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } },
    };
    tryTo(() =>
      this.cluster.client.pods.create({
        metadata: { name, namespace: NAMESPACE },
        spec: {
          containers: [{ name: 'c', image: 'i' }],
          volumes: [
            { name: 'plain', emptyDir: {} },
            ...volumes.map((volume) => ({ name: volume, ephemeral: { volumeClaimTemplate: template } })),
          ],
        },
      }),
    );
  }

  /** The pod goes, and what it owns, as the garbage collector would have it. */
  end(name: string): void {
    tryTo(() => this.cluster.client.pods.delete({ namespace: NAMESPACE, name }, { gracePeriodSeconds: 0 }));
    this.#collect();
  }

  /** Another of its name comes before what the former owned has gone. */
  succeed(name: string): void {
    tryTo(() => this.cluster.client.pods.delete({ namespace: NAMESPACE, name }, { gracePeriodSeconds: 0 }));
    this.run(name, VOLUMES);
  }

  #collect(): void {
    const uids = new Set(this.of('Pod').map(({ metadata }) => metadata.uid));
    for (const claim of this.claims)
      if (claim.metadata.ownerReferences?.some(({ uid }) => !uids.has(uid)))
        this.drop(claim.metadata.name ?? '');
  }

  /** Somebody else has a claim of that name. */
  take(pod: string, volume: string): void {
    tryTo(() =>
      this.cluster.client.persistentVolumeClaims.create({
        metadata: { name: `${pod}-${volume}`, namespace: NAMESPACE, labels: FOREIGN },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }),
    );
  }

  drop(name: string): void {
    tryTo(() => this.cluster.client.persistentVolumeClaims.delete({ namespace: NAMESPACE, name }));
  }

  /** Somebody else is as fast as the controller, which hears of nothing meanwhile. */
  race(pod: string, volume: string): void {
    this.cluster.faults.endWatches({ expired: true, resource: 'persistentvolumeclaims' });
    this.take(pod, volume);
    this.run(pod, VOLUMES);
  }

  get claims(): readonly PersistentVolumeClaim[] {
    return this.of('PersistentVolumeClaim');
  }

  compare(): void {
    for (const { metadata } of this.claims) {
      const owner = metadata.ownerReferences?.[0]?.uid ?? '';
      const before = this.#made.get(metadata.uid ?? '');
      if (before !== undefined) expect(owner, 'the owner of a claim').toBe(before);
      this.#made.set(metadata.uid ?? '', owner);
    }
  }

  override calm(): void {
    super.calm();
    for (const pod of this.of('Pod'))
      for (const { metadata } of this.claims)
        if (claimNames(pod).includes(metadata.name ?? '')) this.#expectOwnOrTold(pod, metadata);
    this.#collect();
    this.cluster.advance(minutes(3));
  }

  expectRight(): void {
    for (const pod of this.of('Pod')) for (const name of claimNames(pod)) this.#expectClaimOf(pod, name);
    for (const { metadata } of this.claims)
      if (!metadata.labels) expect(metadata.ownerReferences, metadata.name).toHaveLength(1);
  }

  #expectClaimOf(pod: Pod, name: string): void {
    const { uid, name: podName } = pod.metadata;
    const claim = this.claims.find(({ metadata }) => metadata.name === name);
    expect(claim, `the claim ${name}`).toBeDefined();
    const own = { apiVersion: 'v1', kind: 'Pod', name: podName, uid, controller: true };
    expect(claim?.metadata.ownerReferences, `the owner of ${name}`).toEqual(
      claim?.metadata.labels ? undefined : [{ ...own, blockOwnerDeletion: true }],
    );
  }

  #expectOwnOrTold({ metadata: { uid } }: Pod, { name, ownerReferences }: ObjectMeta): void {
    if (ownerReferences?.[0]?.uid === uid) return;
    const told = this.cluster.client.events
      .list()
      .items.filter(({ involvedObject }) => involvedObject.uid === uid)
      .map(({ message = '' }) => message);
    expect(told.join(), `what is told of ${name}`).toContain(`PVC default/${name} was not created for pod`);
  }

  /** Whoever stood in the way goes. */
  expectFreed(): void {
    for (const { metadata } of this.claims) if (metadata.labels) this.drop(metadata.name ?? '');
    this.cluster.advance(LONGEST_PAUSE);
    this.expectRight();
    expect(this.claims.filter(({ metadata }) => metadata.labels)).toEqual([]);
  }
}

const claimNames = ({ metadata, spec }: Pod): readonly string[] =>
  (spec?.volumes ?? []).flatMap(({ name, ephemeral }) =>
    ephemeral ? [`${metadata.name ?? ''}-${name}`] : [],
  );

const act = actsOn<World>();
const pod = fc.constantFrom(...PODS);
const volume = fc.constantFrom(...VOLUMES);
const run = act('run', fc.tuple(pod, fc.subarray([...VOLUMES])), (world, drawn) => world.run(...drawn));
const doings = [
  run,
  run,
  act('end', pod, (world, name) => world.end(name)),
  act('succeed', pod, (world, name) => world.succeed(name)),
  act('take', fc.tuple(pod, volume), (world, drawn) => world.take(...drawn)),
  act('race', fc.tuple(pod, volume), (world, drawn) => world.race(...drawn)),
  act('drop', fc.tuple(pod, volume), (world, [of, name]) => world.drop(`${of}-${name}`)),
];

it('are made for each pod, are its own, and stand back for those of others', () => {
  holdsInAnyOrderAsBefore<World>({
    begin: () => {
      const world = new World();
      world.run('p', VOLUMES);
      return world;
    },
    acts: amidTroubles<World>([...doings, struck<World>(doings), unseen<World>(doings)]),
    compare: (world) => world.compare(),
    end: (world) => {
      world.calm();
      world.expectRight();
      world.expectFreed();
    },
    most: 14,
    runs: 15,
  });
});
