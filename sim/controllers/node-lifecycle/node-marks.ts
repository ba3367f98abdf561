/**
 * What the life-cycle controller writes: taints and labels of nodes, conditions of silent ones, the readiness of their
 * pods, and Events. A write that somebody else has overtaken is made again on what there is then.
 */
import { formatTime } from '../../api/time-format.ts';
import type { Node, NodeCondition, Pod, Taint } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isConflict, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import type { Process } from '../../engine/process.ts';
import { milliseconds } from '../../engine/time.ts';

const { nodes, pods } = BUILTIN_HANDLES;
const TAINT_TRIES = 5;
const TAINT_PAUSE = milliseconds(100);

/** The taints that a node should have, at the given wall clock; undefined: it has them. */
export type TaintPlan = (node: Node, nowMs: number) => readonly Taint[] | undefined;

export class NodeMarks {
  readonly #client: ApiClient;
  readonly #events: EventRecorder;

  constructor(client: ApiClient) {
    this.#client = client;
    this.#events = new EventRecorder(client, 'node-controller');
  }

  /** Corrects the taints of a node, first as it was `seen`. @throws CallFailure */
  *correctTaints(seen: Node, plan: TaintPlan): Process<void> {
    const name = storeKeyOf(seen);
    let node = seen;
    try {
      for (let tries = 1; ; tries++) {
        const taints = plan(node, this.#client.context.wallMs());
        if (!taints) return;
        const { resourceVersion } = node.metadata;
        const body = { metadata: { resourceVersion }, spec: { taints: taints.length > 0 ? taints : null } };
        try {
          yield* this.#client.patch(nodes, name, { type: 'merge', body });
          return;
        } catch (error) {
          if (!isConflict(error) || tries >= TAINT_TRIES) throw error;
        }
        yield* this.#client.context.sleep(TAINT_PAUSE);
        node = yield* this.#client.get(nodes, name);
      }
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** @throws CallFailure */
  *setLabels(node: Node, labels: Readonly<Record<string, string>>): Process<void> {
    try {
      yield* this.#client.patch(nodes, storeKeyOf(node), { type: 'merge', body: { metadata: { labels } } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** The node with these conditions. @throws CallFailure Conflict: it is not as it was seen */
  setConditions(node: Node, conditions: readonly NodeCondition[]): Process<Node> {
    const changed = { ...node, status: { ...node.status, conditions } };
    return this.#client.update(nodes, changed, { subresource: 'status' });
  }

  /** Takes a pod's readiness away, where it has any; reason and message stay. @throws CallFailure */
  *markNotReady(pod: Pod): Process<void> {
    if (pod.status?.conditions?.find(({ type }) => type === 'Ready')?.status !== 'True') return;
    const { name = '', namespace = '', uid } = pod.metadata;
    const lastTransitionTime = formatTime(this.#client.context.wallMs());
    const status = { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime }] };
    const body = { metadata: { uid }, status };
    try {
      yield* this.#client.patch(
        pods,
        { name, namespace },
        { type: 'strategic', body },
        { subresource: 'status' },
      );
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    this.#events.record(pod, { type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' });
  }

  /** An Event about a node. */
  tell(node: Node, reason: string, message: string): void {
    const { name = '', uid = '' } = node.metadata;
    this.#events.recordFor(
      { kind: 'Node', apiVersion: 'v1', name, uid },
      { type: 'Normal', reason, message },
    );
  }
}
