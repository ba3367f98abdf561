/**
 * Deletes Jobs some time after they have ended, where they say so. Before it deletes it asks the API: the informer may
 * be late. Specification: not shown: Kubernetes 1.31.
 */
import type { Job } from '../../api/types/batch-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { milliseconds } from '../../engine/time.ts';
import { defineController } from '../manager/controller.ts';
import { timeMs } from '../workload/pods.ts';

const { jobs } = BUILTIN_HANDLES;
const WORKERS = 5;

export const TTL_AFTER_FINISHED = defineController({
  name: 'ttl-after-finished-controller',
  formerNames: ['ttl-after-finished'],
  serviceAccount: 'ttl-after-finished-controller',
  *start({ context, client, informerOf }) {
    const informer = informerOf(jobs);
    const queue = new WorkQueue(context);
    const note = (job: Job): void => {
      const left = leftOf(job, context.wallMs());
      if (left !== undefined) queue.addAfter(storeKeyOf(job), milliseconds(Math.max(0, left)));
    };
    informer.addHandler({ added: note, changed: note });
    yield* informer.waitUntilSynced();
    startWorkers(context, queue, {
      *reconcile(key) {
        const job = informer.store.get(key);
        const left = job && leftOf(job, context.wallMs());
        if (!job || left === undefined) return undefined;
        if (left > 0) return { requeueAfter: milliseconds(left) };
        const now = yield* remove(client, job, () => context.wallMs());
        return now === undefined ? undefined : { requeueAfter: milliseconds(now) };
      },
      workers: WORKERS,
    });
  },
});

/** In ms; undefined: it has not ended, or is to stay. */
function leftOf({ metadata, spec, status }: Job, nowMs: number): number | undefined {
  const ttl = spec?.ttlSecondsAfterFinished;
  if (ttl === undefined || metadata.deletionTimestamp !== undefined) return undefined;
  const end = status?.conditions?.find(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  );
  const endedAt = timeMs(end?.lastTransitionTime);
  return endedAt === undefined ? undefined : endedAt + ttl * 1000 - nowMs;
}

/** What is left, if that has changed meanwhile. */
function* remove(client: ApiClient, { metadata }: Job, nowMs: () => number): Process<number | undefined> {
  const { namespace = '', name = '' } = metadata;
  try {
    const fresh = yield* client.get(jobs, { namespace, name });
    const left = leftOf(fresh, nowMs());
    if (left === undefined || left > 0) return left;
    const uid = fresh.metadata.uid ?? '';
    yield* client.delete(
      jobs,
      { namespace, name },
      { propagationPolicy: 'Foreground', preconditions: { uid } },
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return undefined;
}
