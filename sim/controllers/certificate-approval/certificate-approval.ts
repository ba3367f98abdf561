/**
 * Approves the requests of node agents for the certificates that they show the API server, if a SubjectAccessReview says
 * that whoever asks may have them. All others wait for an administrator.
 * Specification: not shown (Kubernetes: Certificates and Certificate Signing Requests).
 */
import { certificateRequestOf } from '../../api/certificates/certificate-request.ts';
import type { SubjectAccessReview } from '../../api/types/authorization-k8s-io-v1.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates-k8s-io-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { kubeletClientProblem, KUBELET_CLIENT } from '../certificate-signing/request-rules.ts';
import { defineController } from '../manager/controller.ts';

const { certificateSigningRequests } = BUILTIN_HANDLES;
const REVIEWS: ResourceHandle<SubjectAccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  resource: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
  isNamespaced: false,
};
const WORKERS = 5;

export const CERTIFICATE_APPROVAL = defineController({
  name: 'certificatesigningrequest-approving-controller',
  formerNames: ['csrapproving'],
  serviceAccount: 'certificate-controller',
  *start({ context, client, informerOf }) {
    const informer = informerOf(certificateSigningRequests);
    const queue = new WorkQueue(context);
    const note = (request: CertificateSigningRequest): void => queue.add(storeKeyOf(request));
    informer.addHandler({ added: note, changed: note });
    yield* informer.waitUntilSynced();
    startWorkers(context, queue, {
      *reconcile(key) {
        const request = informer.store.get(key);
        if (!request || isDecided(request)) return undefined;
        for (const { permission, message } of approvalsFor(request)) {
          if (!(yield* isAllowed(client, request, permission))) continue;
          yield* approve(client, request, message);
          return undefined;
        }
        return undefined;
      },
      workers: WORKERS,
    });
  },
});

const isDecided = ({ status = {} }: CertificateSigningRequest): boolean =>
  Boolean(status.certificate) ||
  (status.conditions ?? []).some(({ type }) => type === 'Approved' || type === 'Denied');

interface Approval {
  /** Subresource of the requests that whoever asks has to be allowed to create. */
  readonly permission: 'selfnodeclient' | 'nodeclient';
  readonly message: string;
}

const SELF: Approval = {
  permission: 'selfnodeclient',
  message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
};
const OTHER: Approval = {
  permission: 'nodeclient',
  message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
};

/** In the order in which they are tried; none: it is not for us to decide. */
export function approvalsFor({ spec }: CertificateSigningRequest): readonly Approval[] {
  if (spec.signerName !== KUBELET_CLIENT) return [];
  const asked = certificateRequestOf(spec.request ?? '');
  if (!asked || kubeletClientProblem(asked, spec.usages ?? []) !== undefined) return [];
  return spec.username === asked.commonName ? [SELF, OTHER] : [OTHER];
}

function* isAllowed(
  client: ApiClient,
  { spec }: CertificateSigningRequest,
  subresource: string,
): Process<boolean> {
  const { username, uid, groups, extra } = spec;
  const review = yield* client.create(REVIEWS, {
    metadata: {},
    spec: {
      ...(username !== undefined && { user: username }),
      ...(uid !== undefined && { uid }),
      ...(groups && { groups }),
      ...(extra && { extra }),
      resourceAttributes: {
        group: 'certificates.k8s.io',
        resource: 'certificatesigningrequests',
        verb: 'create',
        subresource,
      },
    },
  });
  return review.status?.allowed ?? false;
}

function* approve(client: ApiClient, request: CertificateSigningRequest, message: string): Process<void> {
  const { conditions = [] } = request.status ?? {};
  const approved = { type: 'Approved', status: 'True', reason: 'AutoApproved', message };
  const status = { ...request.status, conditions: [...conditions, approved] };
  yield* client.update(certificateSigningRequests, { ...request, status }, { subresource: 'approval' });
}
