/**
 * The token controller: secrets of the type `kubernetes.io/service-account-token` get the token of their account, the
 * root certificate and the namespace, and go with the account. It asks as the manager itself, as nobody has accounts without it. Specification: "Authentication".
 */
import type { Secret, ServiceAccount } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isConflict, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { defineController } from '../manager/controller.ts';
import type { ManagerCredentials } from '../manager/credentials.ts';

const { secrets, serviceAccounts } = BUILTIN_HANDLES;
const TYPE = 'kubernetes.io/service-account-token';
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
const ACCOUNT_UID = 'kubernetes.io/service-account.uid';

export const SERVICE_ACCOUNT_TOKENS = defineController({
  name: 'serviceaccount-token-controller',
  formerNames: ['serviceaccount-token'],
  *start({ context, client, informerOf, credentials }) {
    const queue = new WorkQueue(context);
    const accounts = informerOf(serviceAccounts);
    const tokens = informerOf(secrets);
    const note = (secret: Secret): void => {
      if (secret.type === TYPE) queue.add(storeKeyOf(secret));
    };
    const noteAllOf = ({ metadata: { name, namespace = '' } }: ServiceAccount): void => {
      for (const secret of tokens.store.byIndex('namespace', namespace))
        if (secret.metadata.annotations?.[ACCOUNT_NAME] === name) note(secret);
    };
    tokens.addHandler({ added: note, changed: note });
    accounts.addHandler({
      added: noteAllOf,
      changed: (account, old) => {
        // Deleted and made again while nobody looked.
        if (account.metadata.uid !== old.metadata.uid) noteAllOf(account);
      },
      removed: noteAllOf,
    });
    for (const informer of [accounts, tokens]) yield* informer.waitUntilSynced();
    startWorkers(context, queue, {
      workers: 5,
      reconcile: (key) => keep(client, credentials, tokens.store.get(key)),
    });
  },
});

function* keep(
  client: ApiClient,
  credentials: ManagerCredentials,
  secret: Secret | undefined,
): Process<undefined> {
  if (secret?.type !== TYPE) return undefined;
  const { namespace = '', name = '', annotations = {}, uid, resourceVersion } = secret.metadata;
  // Asked for at the API: the informer may be late, and what is deleted is deleted.
  const account = yield* found(client, namespace, annotations[ACCOUNT_NAME] ?? '');
  const wanted = annotations[ACCOUNT_UID];
  try {
    if (!account || (wanted !== undefined && wanted !== account.metadata.uid)) {
      const preconditions = {
        ...(uid !== undefined && { uid }),
        ...(resourceVersion !== undefined && { resourceVersion }),
      };
      yield* client.delete(secrets, { namespace, name }, { preconditions });
      return undefined;
    }
    const filled = filledSecret(secret, account, credentials);
    if (filled) yield* client.update(secrets, filled);
  } catch (error) {
    // Somebody has changed it: its next event brings it back.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
  return undefined;
}

/** Undefined: nothing is missing. Pure. */
export function filledSecret(
  secret: Secret,
  { metadata: { name = '', uid = '' } }: ServiceAccount,
  { rootCertificate, accountToken }: ManagerCredentials,
): Secret | undefined {
  const { metadata, data = {} } = secret;
  const { namespace = '', annotations = {} } = metadata;
  const certificate = btoa(rootCertificate);
  const isWhole =
    data['token'] && data['ca.crt'] === certificate && data['namespace'] && annotations[ACCOUNT_UID] === uid;
  if (isWhole) return undefined;
  const subject = { namespace, account: { name, uid }, secret: { name: metadata.name ?? '' } };
  return {
    ...secret,
    metadata: { ...metadata, annotations: { ...annotations, [ACCOUNT_NAME]: name, [ACCOUNT_UID]: uid } },
    data: {
      ...data,
      'ca.crt': certificate,
      namespace: data['namespace'] || btoa(namespace),
      token: data['token'] || btoa(accountToken(subject)),
    },
  };
}

function* found(client: ApiClient, namespace: string, name: string): Process<ServiceAccount | undefined> {
  try {
    return yield* client.get(serviceAccounts, { namespace, name });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
