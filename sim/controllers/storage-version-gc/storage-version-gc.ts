/**
 * Takes out of StorageVersions what API servers have said that are gone: those whose identity lease was deleted, or is
 * not there. StorageVersions are an alpha API, so it runs where it is named. Specification: not shown: Kubernetes 1.31.
 */
import { formatTime } from '../../api/time-format.ts';
import type { Lease } from '../../api/types/coordination-k8s-io-v1.ts';
import type { StorageVersion } from '../../api/types/internal-apiserver-k8s-io-v1alpha1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { defineController } from '../manager/controller.ts';
import { withoutGone } from './stale-versions.ts';

const { leases } = BUILTIN_HANDLES;
const NAMESPACE = 'kube-system';
const STORAGE_VERSIONS: ResourceHandle<StorageVersion> = {
  group: 'internal.apiserver.k8s.io',
  version: 'v1alpha1',
  resource: 'storageversions',
  kind: 'StorageVersion',
  isNamespaced: false,
};

export const STORAGE_VERSION_GC = defineController({
  name: 'storageversion-garbage-collector-controller',
  formerNames: ['storage-version-gc'],
  serviceAccount: 'storage-version-garbage-collector',
  isNamedOnly: true,
  *start({ context, client, informerOf }) {
    const gone = new WorkQueue(context);
    const versions = new WorkQueue(context);
    const identities = informerOf(leases);
    const known = informerOf(STORAGE_VERSIONS);
    const note = ({ metadata: { name = '' }, status }: StorageVersion): void => {
      const isThere = ({ apiServerID = '' }: { readonly apiServerID?: string }): boolean =>
        isIdentity(identities.store.get(`${NAMESPACE}/${apiServerID}`));
      if (!(status.storageVersions ?? []).every(isThere)) versions.add(name);
    };
    identities.addHandler({
      removed: (lease) => {
        if (isIdentity(lease)) gone.add(lease.metadata.name ?? '');
      },
    });
    known.addHandler({ added: note, changed: note });
    for (const informer of [identities, known]) yield* informer.waitUntilSynced();
    startWorkers(context, gone, { workers: 1, reconcile: (name) => forgetServer(client, name) });
    startWorkers(context, versions, { workers: 1, reconcile: (name) => check(client, name) });
  },
});

const isIdentity = (lease: Lease | undefined): boolean =>
  lease?.metadata.namespace === NAMESPACE &&
  lease.metadata.labels?.['apiserver.kubernetes.io/identity'] === 'kube-apiserver';

/** Every StorageVersion without what the server said; one that fails does not hold up the others. */
function* forgetServer(client: ApiClient, server: string): Process<undefined> {
  if (yield* leaseOf(client, server)) return undefined;
  const { items } = yield* client.list(STORAGE_VERSIONS);
  let failure: unknown;
  for (const object of items) {
    try {
      yield* clear(client, object, (id) => id === server);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      failure = error;
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}

function* check(client: ApiClient, name: string): Process<undefined> {
  let object: StorageVersion;
  try {
    object = yield* client.get(STORAGE_VERSIONS, name);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
  const present = new Set<string>();
  for (const { apiServerID = '' } of object.status.storageVersions ?? []) {
    const isThere = yield* hasIdentity(client, apiServerID);
    if (isThere) present.add(apiServerID);
  }
  yield* clear(client, object, (id) => !present.has(id));
  return undefined;
}

/** A server whose lease cannot be read counts as gone, as in 1.31. */
function* hasIdentity(client: ApiClient, server: string): Process<boolean> {
  try {
    return isIdentity(yield* leaseOf(client, server));
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    return false;
  }
}

function* leaseOf(client: ApiClient, name: string): Process<Lease | undefined> {
  try {
    return yield* client.get(leases, { namespace: NAMESPACE, name });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function* clear(
  client: ApiClient,
  object: StorageVersion,
  isGone: (server: string) => boolean,
): Process<void> {
  const step = withoutGone(object, isGone, formatTime(client.context.wallMs()));
  if (step.kind === 'delete') yield* client.delete(STORAGE_VERSIONS, object.metadata.name ?? '');
  else if (step.kind === 'update')
    yield* client.update(STORAGE_VERSIONS, step.object, { subresource: 'status' });
}
