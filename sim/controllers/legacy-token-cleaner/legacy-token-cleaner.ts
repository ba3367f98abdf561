/**
 * Looks once a day for tokens of service accounts that nobody has used for a year, marks them, and a year later deletes
 * them. It does nothing before an API server has noted for a year who uses them; a token that it could not mark or
 * delete waits for the next day. Specification: not shown: Kubernetes 1.31.
 */
import type { Secret, ServiceAccount } from '../../api/types/core-v1.ts';
import { secretsOfPod } from '../../api/pod/secrets-of-pod.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { Process } from '../../engine/process.ts';
import { hours } from '../../engine/time.ts';
import { defineController } from '../manager/controller.ts';
import {
  INVALID_SINCE,
  isTrackedLongEnough,
  type LegacyTokenStep,
  legacyTokenStep,
} from './legacy-token-plan.ts';

const { configMaps, pods, secrets, serviceAccounts } = BUILTIN_HANDLES;
const EVERY = hours(24);
const TRACKING = { namespace: 'kube-system', name: 'kube-apiserver-legacy-service-account-token-tracking' };
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
const ACCOUNT_UID = 'kubernetes.io/service-account.uid';

export const LEGACY_TOKEN_CLEANER = defineController({
  name: 'legacy-serviceaccount-token-cleaner-controller',
  formerNames: ['legacy-service-account-token-cleaner'],
  serviceAccount: 'legacy-service-account-token-cleaner',
  *start({ context, client, informerOf }) {
    const accounts = informerOf(serviceAccounts);
    const tokens = informerOf(secrets);
    const users = informerOf(pods);
    for (const informer of [accounts, tokens, users]) yield* informer.waitUntilSynced();
    const stepOf = (secret: Secret): LegacyTokenStep => {
      const { namespace = '', name = '' } = secret.metadata;
      return legacyTokenStep(secret, {
        nowMs: context.wallMs(),
        account: accountOf(secret, accounts.store.get(accountKeyOf(secret))),
        isMounted: () =>
          users.store.byIndex('namespace', namespace).some((pod) => secretsOfPod(pod).has(name)),
      });
    };
    for (; ; yield* context.sleep(EVERY)) {
      if (!isTrackedLongEnough(yield* trackedSince(client), context.wallMs())) continue;
      for (const secret of tokens.store.list()) yield* take(client, secret, stepOf(secret));
    }
  },
});

const accountKeyOf = ({ metadata: { namespace = '', annotations } }: Secret): string =>
  `${namespace}/${annotations?.[ACCOUNT_NAME] ?? ''}`;

/** Undefined: another account has its name. */
function accountOf({ metadata }: Secret, found: ServiceAccount | undefined): ServiceAccount | undefined {
  const uid = metadata.annotations?.[ACCOUNT_UID] ?? '';
  return uid === '' || uid === found?.metadata.uid ? found : undefined;
}

function* trackedSince(client: ApiClient): Process<string | undefined> {
  try {
    return (yield* client.get(configMaps, TRACKING)).data?.['since'];
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    return undefined;
  }
}

function* take(client: ApiClient, { metadata }: Secret, step: LegacyTokenStep): Process<void> {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
  try {
    if (step.kind === 'mark') {
      const body = { metadata: { uid, labels: { [INVALID_SINCE]: step.since } } };
      yield* client.patch(secrets, { namespace, name }, { type: 'merge', body });
    } else if (step.kind === 'delete')
      yield* client.delete(secrets, { namespace, name }, { preconditions: { resourceVersion } });
  } catch (error) {
    if (!isCallFailure(error)) throw error;
  }
}
