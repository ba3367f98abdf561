/**
 * Deletes certificate signing requests that nobody needs any more: each hour those that were issued, denied or failed
 * an hour ago, and those that nobody decided for a day. It does not look into certificates.
 * Specification: not shown: Kubernetes 1.31.
 */
import type { CertificateSigningRequest } from '../../api/types/certificates-k8s-io-v1.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { hours } from '../../engine/time.ts';
import { defineController } from '../manager/controller.ts';
import { timeMs } from '../workload/pods.ts';

const { certificateSigningRequests } = BUILTIN_HANDLES;
const ROUND = hours(1);
const DECIDED_MS = 3_600_000;
const PENDING_MS = 86_400_000;

export const CERTIFICATE_REQUEST_CLEANER = defineController({
  name: 'certificatesigningrequest-cleaner-controller',
  formerNames: ['csrcleaner'],
  serviceAccount: 'certificate-controller',
  *start({ context, client, informerOf }) {
    const informer = informerOf(certificateSigningRequests);
    yield* informer.waitUntilSynced();
    for (;;) {
      const old = informer.store.list().filter((request) => isPast(request, context.wallMs()));
      for (const { metadata } of old) {
        try {
          yield* client.delete(certificateSigningRequests, metadata.name ?? '');
        } catch (error) {
          // The next round tries again.
          if (!isCallFailure(error)) throw error;
        }
      }
      yield* context.sleep(ROUND);
    }
  },
});

function isPast({ metadata, status }: CertificateSigningRequest, nowMs: number): boolean {
  const isOlder = (time: string | null | undefined, ageMs: number): boolean => {
    const sinceMs = timeMs(time);
    return sinceMs !== undefined && nowMs - sinceMs > ageMs;
  };
  const { conditions = [], certificate = '' } = status ?? {};
  if (conditions.length === 0) return isOlder(metadata.creationTimestamp, PENDING_MS);
  return conditions.some(
    ({ type, lastUpdateTime }) =>
      (isRefusal(type) || (type === 'Approved' && certificate !== '')) && isOlder(lastUpdateTime, DECIDED_MS),
  );
}

const isRefusal = (type: string): boolean => type === 'Denied' || type === 'Failed';
