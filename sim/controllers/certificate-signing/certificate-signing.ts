/**
 * Signs certificate requests that are approved, for the signers that a cluster has itself; what breaks their rules gets
 * the condition `Failed`. A certificate begins five minutes before it is made, and lasts as long as was asked for, at
 * most a year. Specification: not shown (Kubernetes: Certificates and Certificate Signing Requests).
 */
import { certificateFor } from '../../api/certificates/certificate.ts';
import { certificateRequestOf } from '../../api/certificates/certificate-request.ts';
import { encodeBase64 } from '../../api/codec/base64.ts';
import { formatTime } from '../../api/time-format.ts';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestStatus,
} from '../../api/types/certificates-k8s-io-v1.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import { type ControllerContext, defineController } from '../manager/controller.ts';
import { ruleOf } from './request-rules.ts';

const { certificateSigningRequests } = BUILTIN_HANDLES;
const WORKERS = 5;
const YEAR_SECONDS = 8_760 * 3_600;
const SHORTEST_SECONDS = 600;
const BACKDATE_MS = 300_000;
/** What lasts shorter lasts as long from now, the others from when they begin. */
const SHORT_SECONDS = 8 * 3_600;
const TEXT = new TextEncoder();

export const CERTIFICATE_SIGNING = defineController({
  name: 'certificatesigningrequest-signing-controller',
  formerNames: ['csrsigning'],
  serviceAccount: 'certificate-controller',
  *start(world) {
    const { context, client, informerOf } = world;
    const informer = informerOf(certificateSigningRequests);
    const queue = new WorkQueue(context);
    const note = (request: CertificateSigningRequest): void => queue.add(storeKeyOf(request));
    informer.addHandler({ added: note, changed: note });
    yield* informer.waitUntilSynced();
    startWorkers(context, queue, {
      *reconcile(key) {
        const request = informer.store.get(key);
        const status = request && nextStatus(request, termsOf(world));
        if (request && status)
          yield* client.update(certificateSigningRequests, { ...request, status }, { subresource: 'status' });
        return undefined;
      },
      workers: WORKERS,
    });
  },
});

interface SigningTerms extends Pick<ControllerContext, 'credentials'> {
  readonly nowMs: number;
  readonly serialNumber: () => Uint8Array;
}

function termsOf({ context, credentials }: ControllerContext): SigningTerms {
  const site = context.site('serial number');
  const serialNumber = (): Uint8Array =>
    Uint8Array.from(
      (site.uuid().replaceAll('-', '').match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)),
    );
  return { nowMs: context.wallMs(), credentials, serialNumber };
}

/** What is to be written; undefined: nothing is to be done. */
export function nextStatus(
  { spec, status = {} }: CertificateSigningRequest,
  { nowMs, credentials, serialNumber }: SigningTerms,
): CertificateSigningRequestStatus | undefined {
  const is = (type: string): boolean => status.conditions?.some((each) => each.type === type) ?? false;
  const rule = ruleOf(spec.signerName);
  if (!rule || status.certificate || !is('Approved') || is('Denied') || is('Failed')) return undefined;
  const request = certificateRequestOf(spec.request ?? '');
  if (!request) return undefined;
  const { usages = [] } = spec;
  const problem = rule(request, usages);
  if (problem !== undefined) {
    const failed = {
      type: 'Failed',
      status: 'True',
      reason: 'SignerValidationFailure',
      message: problem,
      lastUpdateTime: formatTime(nowMs),
    };
    return { ...status, conditions: [...(status.conditions ?? []), failed] };
  }
  const { expirationSeconds = YEAR_SECONDS } = spec;
  const seconds = Math.max(SHORTEST_SECONDS, Math.min(expirationSeconds, YEAR_SECONDS));
  const terms = {
    usages,
    notBeforeMs: nowMs - BACKDATE_MS,
    notAfterMs: nowMs + seconds * 1_000 - (seconds < SHORT_SECONDS ? 0 : BACKDATE_MS),
    serialNumber: serialNumber(),
  };
  const certificate = certificateFor(request, terms, credentials.signer);
  return { ...status, certificate: encodeBase64(TEXT.encode(certificate)) };
}
