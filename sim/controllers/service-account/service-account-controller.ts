/**
 * The service account controller: an actor that sees to it that every active namespace has the service account
 * `default`, which pods run as unless they say otherwise. Specification: "Namespace", "Authentication".
 */
import type { Namespace, ServiceAccount } from '../../api/types/core-v1.ts';
import { ApiClient } from '../../client/api-client.ts';
import { hasReason, isAlreadyExists } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { Informer } from '../../client/informer/informer.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import type { Simulation } from '../../engine/simulation.ts';

const { namespaces, serviceAccounts } = BUILTIN_HANDLES;
const NAME = 'default';
const USER = {
  name: 'system:serviceaccount:kube-system:service-account-controller',
  groups: ['system:masters', 'system:authenticated'],
};

/** Runs it as the actor `controller/service-account`. */
export function startServiceAccounts(simulation: Simulation, servers: readonly string[]): void {
  simulation.actor('controller/service-account', {
    *start(context) {
      const client = new ApiClient({ context, servers, user: USER, userAgent: 'kube-controller-manager' });
      const queue = new WorkQueue(context);
      const spaces = new Informer<Namespace>({ client, handle: namespaces });
      const accounts = new Informer<ServiceAccount>({
        client,
        handle: serviceAccounts,
        fieldSelector: `metadata.name=${NAME}`,
      });
      const note = (namespace: Namespace): void => queue.add(storeKeyOf(namespace));
      spaces.addHandler({ added: note, changed: note });
      accounts.addHandler({ removed: ({ metadata }) => queue.add(metadata.namespace ?? '') });
      for (const informer of [spaces, accounts]) informer.start();
      for (const informer of [spaces, accounts]) yield* informer.waitUntilSynced();
      startWorkers(context, queue, {
        reconcile: (name) => ensure(client, spaces.store.get(name), accounts.store.get(`${name}/${NAME}`)),
      });
    },
  });
}

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
