/**
 * Claims, volumes and pods that come, go and are made anew under their names in any order, whatever comes between their
 * protection and the API: what is in use stays, and what is to go and is not in use any more is gone soon.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager, unseen } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { milliseconds, seconds } from '../../engine/time.ts';

const CLAIMS = ['c', 'd'] as const;
const PODS = ['p', 'q'] as const;
const FINALIZER = 'kubernetes.io/pvc-protection';

class World extends TroubledManager {
  constructor() {
    super(['persistentvolumeclaim-protection-controller', 'persistentvolume-protection-controller']);
    for (const name of CLAIMS) this.claim(name);
    this.use('p', ['c']);
    this.use('q', ['d']);
    this.cluster.advance(seconds(1));
  }

  claim(name: string): void {
    const spec = {
      accessModes: ['ReadWriteOnce' as const],
      storageClassName: '',
      resources: { requests: { storage: '1Gi' } },
    };
    tryTo(() => this.cluster.client.persistentVolumeClaims.create({ metadata: { name }, spec }));
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

  remove(name: string): void {
    tryTo(() => this.cluster.client.persistentVolumeClaims.delete(name));
  }

  /** What is used keeps its finalizer, once it has had it. */
  expectKept(): void {
    for (const { metadata } of this.of('PersistentVolumeClaim'))
      if (metadata.deletionTimestamp !== undefined && this.#isUsed(metadata.name ?? ''))
        expect(metadata.finalizers, `of ${metadata.name ?? ''}, which is used`).toContain(FINALIZER);
  }

  expectRight(): void {
    this.expectKept();
    for (const { metadata } of this.of('PersistentVolumeClaim')) {
      const { name = '', deletionTimestamp, finalizers } = metadata;
      if (!this.#isUsed(name)) expect(deletionTimestamp, `${name}, which nobody uses`).toBeUndefined();
      expect(finalizers, `of ${name}`).toContain(FINALIZER);
    }
  }

  #isUsed(claim: string): boolean {
    return this.of('Pod').some((pod) =>
      pod.spec?.volumes?.some(({ persistentVolumeClaim: volume }) => volume?.claimName === claim),
    );
  }
}

const act = actsOn<World>();
const claim = fc.constantFrom(...CLAIMS);
const pod = fc.constantFrom(...PODS);
const use = fc.tuple(pod, fc.subarray([...CLAIMS], { maxLength: 1 }));
const reuse = act('reuse', use, (world, drawn) => world.reuse(...drawn));
const release = act('release', pod, (world, name) => world.release(name));
const remove = act('remove', claim, (world, name) => world.remove(name));
const doings = [
  act('claim', claim, (world, name) => world.claim(name)),
  act('use', use, (world, drawn) => world.use(...drawn)),
  act('end', pod, (world, name) => world.end(name)),
  reuse,
  release,
  remove,
  remove,
  unseen([reuse, release, remove]),
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
    runs: 20,
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
    runs: 10,
  });
});
