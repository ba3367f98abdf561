/** CertificateApproval and CertificateSigning: who approves or signs a request needs that right on its signer. */
import { goQuote } from '../../../api/go-text.ts';
import { forbidden } from '../../../api/status.ts';
import type { CertificateSigningRequest } from '../../../api/types/certificates-k8s-io-v1.ts';
import { certificateRequestOf } from '../../../api/certificates/certificate-request.ts';
import { isEqualJson } from '../../verbs/equal-json.ts';
import type { Draft } from '../../registry/strategy.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';

const GROUP = 'certificates.k8s.io';

export const certificateApproval: AdmissionPlugin = {
  name: 'CertificateApproval',
  asksAccess: true,
  handles: (operation, { group, resource }, subresource) =>
    operation === 'UPDATE' &&
    group === GROUP &&
    resource === 'certificatesigningrequests' &&
    subresource === 'approval',
  validate: (attributes) => {
    check(attributes, 'approve');
  },
};

export const certificateSigning: AdmissionPlugin = {
  name: 'CertificateSigning',
  asksAccess: true,
  handles: (operation, { group, resource }, subresource) =>
    operation === 'UPDATE' &&
    group === GROUP &&
    resource === 'certificatesigningrequests' &&
    subresource === 'status',
  validate: (attributes) => {
    const now = attributes.object as Draft<CertificateSigningRequest> as CertificateSigningRequest;
    const before = attributes.oldObject as CertificateSigningRequest;
    const failures = ({ status }: CertificateSigningRequest) =>
      (status?.conditions ?? []).filter(({ type }) => type === 'Failed');
    if (
      now.status?.certificate === before.status?.certificate &&
      isEqualJson(failures(now), failures(before))
    )
      return;
    check(attributes, 'sign');
  },
};

const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';
const MASTERS = 'system:masters';

/** Nobody gets a client certificate that makes him a master of the cluster. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  handles: (operation, { group, resource }, subresource) =>
    operation === 'CREATE' &&
    group === GROUP &&
    resource === 'certificatesigningrequests' &&
    subresource === '',
  validate: ({ object, resource, name }) => {
    const { spec } = object as Draft<CertificateSigningRequest> as CertificateSigningRequest;
    if (spec.signerName !== CLIENT_SIGNER) return;
    if (certificateRequestOf(spec.request ?? '')?.organizations.includes(MASTERS) !== true) return;
    throw forbidden(resource, name, `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`);
  },
};

function check({ context, oldObject, resource, name }: AdmissionAttributes, verb: 'approve' | 'sign'): void {
  const signer = (oldObject as CertificateSigningRequest).spec.signerName;
  const domain = signer.split('/', 1)[0] ?? '';
  const isAllowed = [signer, `${domain}/*`].some(
    (asked) =>
      context.authorizer.authorize({
        user: context.user,
        verb,
        isResourceRequest: true,
        path: '',
        group: GROUP,
        version: '*',
        resource: 'signers',
        subresource: '',
        namespace: '',
        name: asked,
      }).isAllowed,
  );
  if (!isAllowed)
    throw forbidden(
      resource,
      name,
      `user not permitted to ${verb} requests with signerName ${goQuote(signer)}`,
    );
}
