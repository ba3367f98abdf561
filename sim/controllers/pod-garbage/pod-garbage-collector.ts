/**
 * The pod garbage collector: it looks every 20 s for pods that nobody will ever end, marks them Failed and
 * deletes them. A node is asked for at the API before its pods are taken for orphans. What is garbage is decided in
 * `pod-garbage.ts`.
 */
import { disruptionTarget } from '../../api/pod/disruption-target.ts';
import { formatTime } from '../../api/time-format.ts';
import type { Node, Pod } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { seconds, type Micros } from '../../engine/time.ts';
import { type ControllerContext, defineController, type SharedInformer } from '../manager/controller.ts';
import { garbageIn, isFinished, missingNodes, type PodGarbage, type PodsAndNodes } from './pod-garbage.ts';

const { nodes, pods } = BUILTIN_HANDLES;
const BY_COLLECTOR = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' };
const LOOK_EVERY = seconds(20);
const KEEPS_FINISHED = 12_500;

export const POD_GARBAGE_COLLECTOR = defineController({
  name: 'pod-garbage-collector-controller',
  formerNames: ['pod-garbage', 'podgc'],
  serviceAccount: 'pod-garbage-collector',
  start: (world) => new PodGarbageCollector(world).run(),
});

class PodGarbageCollector {
  readonly #context: Context;
  readonly #client: ApiClient;
  readonly #nodes: SharedInformer<Node>;
  readonly #pods: SharedInformer<Pod>;
  #missing: ReadonlyMap<string, Micros> = new Map();

  constructor({ context, client, informerOf }: ControllerContext) {
    this.#context = context;
    this.#client = client;
    this.#nodes = informerOf(nodes);
    this.#pods = informerOf(pods);
  }

  *run(): Process<void> {
    for (const informer of [this.#nodes, this.#pods]) yield* informer.waitUntilSynced();
    for (;;) {
      yield* this.#look();
      yield* this.#context.sleep(LOOK_EVERY);
    }
  }

  *#look(): Process<void> {
    this.#missing = missingNodes(this.#view());
    for (const garbage of garbageIn(this.#view())) {
      try {
        if (garbage.why === 'orphaned' && (yield* this.#isThere(garbage.pod.spec?.nodeName ?? ''))) continue;
        yield* this.#collect(garbage);
      } catch (error) {
        // The next look finds it again, if it is still there.
        if (!isCallFailure(error)) throw error;
      }
    }
  }

  #view(): PodsAndNodes {
    return {
      pods: this.#pods.store.list(),
      nodes: new Map(this.#nodes.store.list().map((node) => [storeKeyOf(node), node])),
      missing: this.#missing,
      now: this.#context.now(),
      keepsFinished: KEEPS_FINISHED,
    };
  }

  /** The informer may be late. */
  *#isThere(node: string): Process<boolean> {
    try {
      yield* this.#client.get(nodes, node);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  *#collect({ pod, why }: PodGarbage): Process<void> {
    const { name = '', namespace = '', uid = '' } = pod.metadata;
    const key = { name, namespace };
    if (!isFinished(pod)) {
      const condition = disruptionTarget(pod, BY_COLLECTOR, formatTime(this.#context.wallMs()));
      const status = { phase: 'Failed', ...(why === 'orphaned' && { conditions: [condition] }) };
      const body = { metadata: { uid }, status };
      yield* this.#client.patch(pods, key, { type: 'strategic', body }, { subresource: 'status' });
    }
    yield* this.#client.delete(pods, key, { gracePeriodSeconds: 0, preconditions: { uid } });
  }
}
