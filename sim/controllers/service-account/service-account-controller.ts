/**
 * The service account controller: it sees to it that every active namespace has the service account
 * `default`, which pods run as unless they say otherwise. Specification: "Namespace", "Authentication".
 */
import type { Namespace, ServiceAccount } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { hasReason, isAlreadyExists } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { defineController } from '../manager/controller.ts';

const { namespaces, serviceAccounts } = BUILTIN_HANDLES;
const NAME = 'default';

export const SERVICE_ACCOUNTS = defineController({
  name: 'serviceaccount-controller',
  formerNames: ['service-account', 'serviceaccount'],
  serviceAccount: 'service-account-controller',
  leaves: ({ namespaces: names }) => ({
    handle: serviceAccounts,
    objects: names.map((namespace) => ({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: NAME, namespace },
    })),
  }),
  *start({ context, client, informerOf }) {
    const queue = new WorkQueue(context);
    const spaces = informerOf(namespaces);
    const accounts = informerOf(serviceAccounts);
    const note = (namespace: Namespace): void => queue.add(storeKeyOf(namespace));
    spaces.addHandler({ added: note, changed: note });
    accounts.addHandler({
      removed: ({ metadata: { name, namespace = '' } }) => {
        if (name === NAME) queue.add(namespace);
      },
    });
    for (const informer of [spaces, accounts]) yield* informer.waitUntilSynced();
    startWorkers(context, queue, {
      reconcile: (name) => ensure(client, spaces.store.get(name), accounts.store.get(`${name}/${NAME}`)),
    });
  },
});

function* ensure(
  client: ApiClient,
  namespace: Namespace | undefined,
  present: ServiceAccount | undefined,
): Process<undefined> {
  if (!namespace || present || namespace.status?.phase === 'Terminating') return undefined;
  try {
    const metadata = { name: NAME, namespace: namespace.metadata.name ?? '' };
    yield* client.create(serviceAccounts, { metadata });
  } catch (error) {
    // Somebody was faster, or the namespace is ending after all.
    if (!isAlreadyExists(error) && !hasReason(error, 'Forbidden')) throw error;
  }
  return undefined;
}
