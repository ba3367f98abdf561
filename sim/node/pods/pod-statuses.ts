/**
 * Tells the API what the pods of a node do: the newest status of each pod that has changed, one after
 * the other, again and again until it was heard. What changes meanwhile is told together. What others have written
 * over it is told again at the next look, ten seconds later at the latest.
 */
import { formatTime } from '../../api/time-format.ts';
import type { Pod, PodStatus } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { hasReason, isCallFailure, isConflict, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { Process } from '../../engine/process.ts';
import type { Signal } from '../../engine/signal.ts';
import { after, seconds, type Micros } from '../../engine/time.ts';
import { podStatusOf } from './pod-status.ts';
import type { PodWorker } from './pod-worker.ts';
import { statusPatch } from './status-patch.ts';

const { pods } = BUILTIN_HANDLES;
const LOOK_AGAIN_AFTER = seconds(10);

export interface PodStatusesOptions {
  readonly client: ApiClient;
  /** The pod in the API that stands for a worker's; undefined: there is none now. */
  readonly inApi: (worker: PodWorker) => Pod | undefined;
}

export class PodStatuses {
  readonly #options: PodStatusesOptions;
  readonly #client: ApiClient;
  readonly #changed: Signal;
  readonly #dirty = new Set<PodWorker>();
  /** What the API said of them when last seen was not what they do. */
  readonly #doubtful = new Set<PodWorker>();
  #lookAgainAt: Micros | undefined;

  constructor(options: PodStatusesOptions) {
    this.#options = options;
    this.#client = options.client;
    this.#changed = options.client.context.signal();
  }

  note(worker: PodWorker): void {
    this.#dirty.add(worker);
    this.#changed.fire();
  }

  /** Others write to a pod's status too, and what was told last may not have been seen yet. */
  compare(worker: PodWorker): void {
    if (this.#dirty.has(worker) || this.#doubtful.has(worker) || !this.#isDifferent(worker)) return;
    this.#doubtful.add(worker);
    this.#lookAgainSoon();
    this.#changed.fire();
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
      if (isStuck) this.#lookAgainSoon();
      else if (this.#dirty.size > 0) continue;
      if (this.#lookAgainAt === undefined) yield* this.#changed.wait();
      else {
        yield* context.race([this.#changed.wait(), context.sleepUntil(this.#lookAgainAt)]);
        if (context.now() >= this.#lookAgainAt) this.#lookAgain();
      }
    }
  }

  #lookAgainSoon(): void {
    this.#lookAgainAt ??= after(this.#client.context.now(), LOOK_AGAIN_AFTER);
  }

  #lookAgain(): void {
    this.#lookAgainAt = undefined;
    for (const worker of this.#doubtful) if (this.#isDifferent(worker)) this.#dirty.add(worker);
    this.#doubtful.clear();
  }

  #isDifferent(worker: PodWorker): boolean {
    const seen = this.#options.inApi(worker);
    return seen !== undefined && statusPatch(seen.status, this.#statusOf(worker, seen)) !== undefined;
  }

  /** Whether it was heard, or nobody wants to hear it any more. */
  *#tell(worker: PodWorker): Process<boolean> {
    const seen = this.#options.inApi(worker);
    if (!seen) return true;
    const { uid = '' } = seen.metadata;
    const key = keyOf(seen);
    try {
      const present = yield* this.#client.get(pods, key);
      if (present.metadata.uid !== uid) return true;
      const status = statusPatch(present.status, this.#statusOf(worker, present));
      const isOver = worker.isOver && !worker.isStatic;
      const body = { metadata: { uid }, status };
      const answer = status
        ? yield* this.#client.patch(pods, key, { type: 'strategic', body }, { subresource: 'status' })
        : present;
      // The containers have ended, and so the pod may go.
      if (isOver && answer.metadata.deletionTimestamp !== undefined) yield* this.#remove(seen);
      return true;
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      // A conflict is looked at again: whether another pod has its name by now, shows then.
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
        if (isNotFound(error)) return;
        if (isConflict(error) && (yield* this.#isReplaced(pod))) return;
        yield* this.#client.context.sleep(LOOK_AGAIN_AFTER);
      }
    }
  }

  /** Another pod has its name by now. */
  *#isReplaced(pod: Pod): Process<boolean> {
    try {
      const present = yield* this.#client.get(pods, keyOf(pod));
      return present.metadata.uid !== pod.metadata.uid;
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      return isNotFound(error);
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
