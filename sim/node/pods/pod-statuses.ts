/**
 * Tells the API what the pods of a node do: the newest status of each pod that has changed, one after
 * the other, again and again until it was heard. What changes meanwhile is told together.
 */
import { formatTime } from '../../api/time-format.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { hasReason, isCallFailure, isNotFound } from '../../client/api-failure.ts';
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
  /** The pod as the API last answered it. */
  readonly #told = new WeakMap<PodWorker, Pod>();

  constructor(client: ApiClient) {
    this.#client = client;
    this.#changed = client.context.signal();
  }

  note(worker: PodWorker): void {
    this.#dirty.add(worker);
    this.#changed.fire();
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
    const { namespace = '', name = '', uid = '' } = worker.pod.metadata;
    const key = { namespace, name };
    try {
      const known = this.#told.get(worker) ?? worker.pod;
      const now = formatTime(this.#client.context.wallMs());
      const status = podStatusOf(worker.pod, worker.record, now, known.status);
      const body = { metadata: { uid }, status };
      const answer = yield* this.#client.patch(pods, key, { type: 'merge', body }, { subresource: 'status' });
      this.#told.set(worker, answer);
      // The containers have ended, and so the pod may go.
      if (worker.isOver && answer.metadata.deletionTimestamp !== undefined) {
        yield* this.#client.delete(pods, key, { gracePeriodSeconds: 0, preconditions: { uid } });
      }
      return true;
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      // Gone, or another pod of that name by now.
      return isNotFound(error) || hasReason(error, 'Conflict', 'Invalid');
    }
  }
}
