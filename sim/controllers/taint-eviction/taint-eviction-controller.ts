/**
 * The taint eviction controller: it deletes pods from nodes whose NoExecute taints they do not tolerate, at
 * once or after the time they do. The taint taken away in time, or the pod gone, calls the deletion off.
 * Specification: "Taints".
 */
import { disruptionTarget } from '../../api/pod/disruption-target.ts';
import { formatTime } from '../../api/time-format.ts';
import type { Node, Pod } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure, isNotFound } from '../../client/api-failure.ts';
import { Backoff } from '../../client/backoff.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import type { Task } from '../../engine/task.ts';
import { milliseconds, seconds, type Micros } from '../../engine/time.ts';
import { type ControllerContext, defineController, type SharedInformer } from '../manager/controller.ts';
import { executing, toleratedSeconds } from './toleration.ts';

const { nodes, pods } = BUILTIN_HANDLES;
const BY_TAINT = {
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
};

/** It shares the account of the node life-cycle controller, of which it was a part once. */
export const TAINT_EVICTION = defineController({
  name: 'taint-eviction-controller',
  formerNames: ['taint-eviction'],
  serviceAccount: 'node-controller',
  start: (world) => new TaintEvictionController(world).start(),
});

interface Planned {
  /** When pod and taints were first seen together, by the controller's clock. */
  readonly since: Micros;
  readonly dueAt: Micros;
  readonly task: Task<void>;
}

class TaintEvictionController {
  readonly #context: Context;
  readonly #client: ApiClient;
  readonly #events: EventRecorder;
  readonly #nodes: SharedInformer<Node>;
  readonly #pods: SharedInformer<Pod>;
  readonly #planned = new Map<string, Planned>();

  constructor({ context, client, informerOf }: ControllerContext) {
    this.#context = context;
    this.#client = client;
    this.#events = new EventRecorder(client, 'taint-eviction-controller');
    this.#nodes = informerOf(nodes);
    this.#pods = informerOf(pods);
  }

  start(): void {
    const consider = (pod: Pod): void => this.#consider(pod);
    const considerAll = (node: Node): void => {
      for (const pod of this.#pods.store.byIndex('node', storeKeyOf(node))) this.#consider(pod);
    };
    this.#pods.addHandler({
      added: consider,
      changed: (pod, old) => {
        // Deleted and made again while nobody looked.
        const isAnother = pod.metadata.uid !== old.metadata.uid;
        if (isAnother) this.#callOff(old);
        if (isAnother || !isPlacedAlike(pod, old)) this.#consider(pod);
      },
      removed: (pod) => this.#callOff(pod),
    });
    this.#nodes.addHandler({
      added: considerAll,
      changed: (node, old) => {
        if (!isTaintedAlike(node, old)) considerAll(node);
      },
    });
  }

  #consider(pod: Pod): void {
    const { nodeName, tolerations = [] } = pod.spec ?? {};
    const taints = nodeName === undefined ? [] : (this.#nodes.store.get(nodeName)?.spec?.taints ?? []);
    const allowed = toleratedSeconds(tolerations, taints);
    if (allowed === Infinity) {
      this.#callOff(pod);
      return;
    }
    const now = this.#context.now();
    const known = this.#planned.get(storeKeyOf(pod));
    // What was planned before stays as it is, unless the pod has to go at once.
    if (known && allowed !== undefined && known.since < now) return;
    this.#callOff(pod);
    this.#plan(pod, now, allowed ?? 0);
  }

  #plan(pod: Pod, since: Micros, allowedSeconds: number): void {
    const dueAt = (since + seconds(allowedSeconds)) as Micros;
    const task = this.#context.spawn('eviction', this.#evictAt(pod, dueAt));
    this.#planned.set(storeKeyOf(pod), { since, dueAt, task });
  }

  #callOff(pod: Pod): void {
    const key = storeKeyOf(pod);
    const known = this.#planned.get(key);
    if (!known) return;
    this.#planned.delete(key);
    // What has begun is finished: a pod that was marked for its deletion and stays would wait for it in vain.
    if (known.task.state !== 'active' || known.dueAt <= this.#context.now()) return;
    known.task.cancel();
    this.#tell(pod, `Cancelling deletion of Pod ${key}`);
  }

  *#evictAt(pod: Pod, dueAt: Micros): Process<void> {
    yield* this.#context.sleepUntil(dueAt);
    this.#tell(pod, `Marking for deletion Pod ${storeKeyOf(pod)}`);
    const backoff = new Backoff({ first: milliseconds(10), cap: seconds(10) });
    for (;;) {
      try {
        yield* this.#evict(pod);
        return;
      } catch (error) {
        if (!isCallFailure(error)) throw error;
        if (isNotFound(error)) return;
        yield* this.#context.sleep(backoff.next());
      }
    }
  }

  *#evict({ metadata: { name = '', namespace = '', uid = '' } }: Pod): Process<void> {
    const key = { name, namespace };
    // A try before may have been heard although its answer was lost.
    const present = yield* this.#client.get(pods, key);
    // Another has its name by now: whether that one may stay, is looked at by itself.
    if (present.metadata.uid !== uid) return;
    const condition = disruptionTarget(present, BY_TAINT, formatTime(this.#context.wallMs()));
    const body = { metadata: { uid }, status: { conditions: [condition] } };
    yield* this.#client.patch(pods, key, { type: 'strategic', body }, { subresource: 'status' });
    yield* this.#client.delete(pods, key, { preconditions: { uid } });
  }

  #tell({ metadata: { name = '', namespace = '' } }: Pod, message: string): void {
    this.#events.recordFor(
      { kind: 'Pod', apiVersion: 'v1', name, namespace },
      { type: 'Normal', reason: 'TaintManagerEviction', message },
    );
  }
}

/** On the same node, with the same tolerations. */
const isPlacedAlike = ({ spec }: Pod, { spec: old }: Pod): boolean =>
  spec === old ||
  (spec?.nodeName === old?.nodeName &&
    (spec?.tolerations === old?.tolerations ||
      JSON.stringify(spec?.tolerations) === JSON.stringify(old?.tolerations)));

const isTaintedAlike = ({ spec }: Node, { spec: old }: Node): boolean =>
  spec?.taints === old?.taints ||
  JSON.stringify(executing(spec?.taints)) === JSON.stringify(executing(old?.taints));
