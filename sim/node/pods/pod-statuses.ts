/**
 * Tells the API what the pods of a node do: the newest status of each pod that has changed, one after
 * the other, again and again until it was heard. What changes meanwhile is told together.
 */
import { formatTime } from '../../api/time-format.ts';
import type { Pod, PodStatus } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { hasReason, isCallFailure, isConflict, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { Process } from '../../engine/process.ts';
import type { Signal } from '../../engine/signal.ts';
import { seconds } from '../../engine/time.ts';
import { podStatusOf } from './pod-status.ts';
import type { PodWorker } from './pod-worker.ts';

const { pods } = BUILTIN_HANDLES;
const RETRY_EVERY = seconds(10);

export class PodStatuses {
  readonly #client: ApiClient;
  readonly #changed: Signal;
  readonly #dirty = new Set<PodWorker>();

  constructor(client: ApiClient) {
    this.#client = client;
    this.#changed = client.context.signal();
  }

  note(worker: PodWorker): void {
    this.#dirty.add(worker);
    this.#changed.fire();
  }

  /** Others write to a pod's status too: what they say of its readiness is not theirs to say. */
  compare(worker: PodWorker): void {
    const { conditions = [] } = worker.pod.status ?? {};
    const own = this.#statusOf(worker, worker.pod).conditions ?? [];
    const isAsTold = own.every(({ type, status }) => {
      const present = conditions.find((condition) => condition.type === type);
      return present === undefined || present.status === status;
    });
    if (!isAsTold) this.note(worker);
  }

  /** A finished pod without a worker may go. */
  letGo(pod: Pod): void {
    this.#client.context.spawn('let go', this.#letGo(pod));
  }

  /** Without end. */
  *run(): Process<void> {
    const { context } = this.#client;
    for (;;) {
      let isStuck = false;
      for (const worker of [...this.#dirty]) {
        this.#dirty.delete(worker);
        if (yield* this.#tell(worker)) continue;
        this.#dirty.add(worker);
        isStuck = true;
      }
      if (isStuck) yield* context.race([this.#changed.wait(), context.sleep(RETRY_EVERY)]);
      else if (this.#dirty.size === 0) yield* this.#changed.wait();
    }
  }

  /** Whether it was heard, or nobody wants to hear it any more. */
  *#tell(worker: PodWorker): Process<boolean> {
    const { uid = '' } = worker.pod.metadata;
    const key = keyOf(worker.pod);
    try {
      const present = yield* this.#client.get(pods, key);
      if (present.metadata.uid !== uid) return true;
      const status = this.#statusOf(worker, present);
      const { resourceVersion } = present.metadata;
      const body = { metadata: { uid, resourceVersion }, status };
      const answer = yield* this.#client.patch(pods, key, { type: 'merge', body }, { subresource: 'status' });
      // The containers have ended, and so the pod may go.
      if (worker.isOver && answer.metadata.deletionTimestamp !== undefined) yield* this.#remove(worker.pod);
      return true;
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      if (isConflict(error)) {
        // Somebody else was faster; what is there now is looked at again.
        this.note(worker);
        return true;
      }
      return isNotFound(error) || hasReason(error, 'Invalid');
    }
  }

  *#letGo(pod: Pod): Process<void> {
    for (;;) {
      try {
        yield* this.#remove(pod);
        return;
      } catch (error) {
        if (!isCallFailure(error)) throw error;
        if (isNotFound(error) || isConflict(error)) return;
        yield* this.#client.context.sleep(RETRY_EVERY);
      }
    }
  }

  *#remove(pod: Pod): Process<void> {
    const preconditions = { uid: pod.metadata.uid ?? '' };
    yield* this.#client.delete(pods, keyOf(pod), { gracePeriodSeconds: 0, preconditions });
  }

  #statusOf(worker: PodWorker, present: Pod): PodStatus {
    const now = formatTime(this.#client.context.wallMs());
    return podStatusOf(present, worker.record, now, present.status);
  }
}

const keyOf = ({ metadata: { name = '', namespace = '' } }: Pod): { name: string; namespace: string } => ({
  name,
  namespace,
});
