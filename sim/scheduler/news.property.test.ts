/**
 * What a scheduler knows after any news: the pods that there are, placed ones in its cache and its own others in its
 * queue, each once and none that is gone, however late it hears and whatever it has assumed meanwhile.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Pod } from '../api/types/core-v1.ts';
import { ObjectStore } from '../client/informer/object-store.ts';
import { actsOn, holdsInAnyOrder } from '../engine/any-order.arbitrary.ts';
import { Simulation } from '../engine/simulation.ts';
import { seconds } from '../engine/time.ts';
import { SchedulerCache } from './cache/scheduler-cache.ts';
import type { SchedulingWorld } from './framework/plugin.ts';
import { podNews } from './news.ts';
import { SchedulingQueue } from './queue/scheduling-queue.ts';

const NAMES = ['a', 'b'] as const;

interface Facts {
  readonly node: '' | 'n1' | 'n2';
  readonly priority: number;
  readonly isOwn: boolean;
}

const podOf = (name: string, life: number, { node, priority, isOwn }: Facts): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: `${name}-${life}` },
  spec: {
    containers: [],
    priority,
    schedulerName: isOwn ? 'own' : 'other',
    ...(node !== '' && { nodeName: node }),
  },
});

class World {
  readonly #present = new Map<string, Pod>();
  /** Where this scheduler has decided to put a pod, by its uid: until the pod is seen there, or gone. */
  readonly #assumed = new Map<string, Pod>();
  #lives = 0;
  readonly #cache = new SchedulerCache();
  readonly #queue = new SchedulingQueue({
    context: new Simulation({ seed: 1 }).actor('scheduler/0').context,
    firstPause: seconds(1),
    longestPause: seconds(10),
    gateOf: () => undefined,
    mayHelp: () => true,
  });
  readonly #news = podNews({
    world: { cache: this.#cache, listers: { namespaces: new ObjectStore() } } as unknown as SchedulingWorld,
    queue: this.#queue,
    isOwn: ({ spec }) => spec?.schedulerName === 'own',
  });

  /** Comes, or was deleted and made anew while nobody looked. */
  come(name: string, facts: Facts): void {
    const pod = podOf(name, this.#lives++, facts);
    const old = this.#present.get(name);
    this.#present.set(name, pod);
    if (old) {
      this.#assumed.delete(old.metadata.uid ?? '');
      this.#news.changed?.(pod, old);
    } else this.#news.added?.(pod);
  }

  /** A pod is placed once, and by whomever. */
  change(name: string, { node, priority }: Facts): void {
    const old = this.#present.get(name);
    if (!old) return;
    const nodeName = old.spec?.nodeName ?? (node === '' ? undefined : node);
    const spec = { ...old.spec, containers: [], priority, ...(nodeName !== undefined && { nodeName }) };
    const pod: Pod = { ...old, spec };
    this.#present.set(name, pod);
    if (nodeName !== undefined) this.#assumed.delete(pod.metadata.uid ?? '');
    this.#news.changed?.(pod, old);
  }

  go(name: string): void {
    const old = this.#present.get(name);
    if (!old) return;
    this.#present.delete(name);
    this.#assumed.delete(old.metadata.uid ?? '');
    this.#news.removed?.(old);
  }

  /** The scheduler takes the next pod and decides. */
  decide(): void {
    const [first] = this.#waiting;
    if (!first) return;
    const taken = this.#queue.take().next().value as unknown as { readonly pod: Pod };
    const assumed: Pod = { ...taken.pod, spec: { ...taken.pod.spec, containers: [], nodeName: 'n1' } };
    expect(this.#cache.assume(assumed)).toBe(true);
    this.#assumed.set(assumed.metadata.uid ?? '', assumed);
  }

  compare(): void {
    const placed = [...this.#present.values()].filter(({ spec }) => spec?.nodeName !== undefined);
    const wanted = [...placed, ...this.#assumed.values()].map(
      ({ metadata, spec }) => `${metadata.uid} on ${spec?.nodeName}`,
    );
    const counted = [...this.#cache.everyNode].flatMap(({ name, pods }) =>
      [...pods.keys()].map((uid) => `${uid} on ${name}`),
    );
    expect(counted.toSorted()).toEqual(wanted.toSorted());
    expect(this.#queue.size).toEqual({ active: this.#waiting.length, pausing: 0, unschedulable: 0 });
  }

  get #waiting(): readonly Pod[] {
    return [...this.#present.values()].filter(
      ({ spec, metadata: { uid = '' } }) =>
        spec?.nodeName === undefined && spec?.schedulerName === 'own' && !this.#assumed.has(uid),
    );
  }
}

const name = fc.constantFrom(...NAMES);
const facts = fc.record({
  node: fc.constantFrom('' as const, '' as const, 'n1' as const, 'n2' as const),
  priority: fc.constantFrom(0, 5),
  isOwn: fc.constantFrom(true, true, false),
});
const act = actsOn<World>();

it('knows each pod that there is once, where it is or in the queue, and no other', () => {
  holdsInAnyOrder({
    begin: () => new World(),
    acts: [
      act('come', fc.tuple(name, facts), (world, [of, as]) => world.come(of, as)),
      act('change', fc.tuple(name, facts), (world, [of, as]) => world.change(of, as)),
      act('go', name, (world, of) => world.go(of)),
      act('decide', fc.constant(undefined), (world) => world.decide()),
    ],
    compare: (world) => world.compare(),
    most: 25,
    runs: 300,
  });
});
