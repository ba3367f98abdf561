/**
 * The namespace controller: it empties namespaces that are being deleted, kind by kind, tells by conditions what
 * is left, and takes its finalizer off when nothing is. It waits 5 s first, so that every API server knows, and does not watch the
 * content: it comes back after half of the time that what is left may take. Specification: "Namespace".
 */
import { formatTime } from '../../api/time-format.ts';
import type { Namespace } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { Discovery, type ServedResources } from '../../client/discovery/discovery.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { ItemBackoff } from '../../client/rate-limit/rate-limiter.ts';
import { type ReconcileResult, startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { seconds } from '../../engine/time.ts';
import { defineController } from '../manager/controller.ts';
import {
  type DeletionReport,
  deletionConditions,
  staleText,
  updatedConditions,
} from './deletion-conditions.ts';
import { type ContentReport, deleteContent } from './namespace-content.ts';

const { namespaces } = BUILTIN_HANDLES;
const FINALIZER = 'kubernetes';
const GRACE = seconds(5);
const WORKERS = 10;
const LONGEST_PAUSE = seconds(60);

export const NAMESPACES = defineController({
  name: 'namespace-controller',
  formerNames: ['namespace'],
  serviceAccount: 'namespace-controller',
  *start({ context, client, informerOf }) {
    const queue = new WorkQueue(context, {
      limiter: new ItemBackoff({ longest: LONGEST_PAUSE }),
    });
    const spaces = informerOf(namespaces);
    const discovery = new Discovery(client);
    const note = (namespace: Namespace): void => {
      if (namespace.metadata.deletionTimestamp) queue.addAfter(storeKeyOf(namespace), GRACE);
    };
    spaces.addHandler({ added: note, changed: note });
    yield* spaces.waitUntilSynced();
    startWorkers(context, queue, {
      workers: WORKERS,
      reconcile: (name) => end(client, discovery, name),
    });
  },
});

function* end(client: ApiClient, discovery: Discovery, name: string): Process<ReconcileResult | undefined> {
  const namespace = yield* present(client, name);
  if (!namespace?.metadata.deletionTimestamp) return undefined;
  if (!namespace.spec?.finalizers?.includes(FINALIZER)) return undefined;
  const report = yield* emptied(client, discovery, namespace);
  const told = yield* tell(client, namespace, report);
  // A failure counts more than what takes its time: it is tried again before that is over.
  if (report.discoveryFailure !== undefined || report.failures.length > 0) return { requeue: true };
  if (report.estimate > 0) return { requeueAfter: seconds(Math.floor(report.estimate / 2) + 1) };
  yield* finalize(client, told);
  return undefined;
}

function* present(client: ApiClient, name: string): Process<Namespace | undefined> {
  try {
    return yield* client.get(namespaces, name);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function* emptied(client: ApiClient, discovery: Discovery, namespace: Namespace): Process<ContentReport> {
  let served: ServedResources;
  try {
    served = yield* discovery.served();
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    const none = new Map<string, number>();
    return { discoveryFailure: error.message, failures: [], remaining: none, finalizers: none, estimate: 0 };
  }
  const own = served.preferred.filter(({ handle, verbs }) => handle.isNamespaced && verbs.includes('delete'));
  const report = yield* deleteContent(client, namespace, own);
  return served.stale.length > 0 ? { ...report, discoveryFailure: staleText(served.stale) } : report;
}

/** The namespace as it is after that. */
function* tell(client: ApiClient, namespace: Namespace, report: DeletionReport): Process<Namespace> {
  const old = namespace.status?.conditions ?? [];
  const conditions = updatedConditions(old, deletionConditions(report), formatTime(client.context.wallMs()));
  if (conditions === old) return namespace;
  const status = { ...namespace.status, conditions };
  return yield* client.update(namespaces, { ...namespace, status }, { subresource: 'status' });
}

function* finalize(client: ApiClient, namespace: Namespace): Process<void> {
  const finalizers = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
  const spec = { ...namespace.spec, finalizers };
  try {
    yield* client.update(namespaces, { ...namespace, spec }, { subresource: 'finalize' });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
