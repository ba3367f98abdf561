/** Who approves or signs a request, or says whom the requesters of a signer trust, needs that right on the signer. */
import { goQuote } from '../../../api/go-text.ts';
import { forbidden } from '../../../api/status.ts';
import type { CertificateSigningRequest } from '../../../api/types/certificates-k8s-io-v1.ts';
import type { ClusterTrustBundle } from '../../../api/types/certificates-k8s-io-v1alpha1.ts';
import { certificateRequestOf } from '../../../api/certificates/certificate-request.ts';
import { isEqualJson } from '../../verbs/equal-json.ts';
import type { Draft } from '../../registry/strategy.ts';
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin } from '../admission.ts';
import { isSameButForCollection } from './same-but-for-collection.ts';

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

export const clusterTrustBundleAttest: AdmissionPlugin = {
  name: 'ClusterTrustBundleAttest',
  asksAccess: true,
  handles: (operation, { group, resource }) =>
    (operation === 'CREATE' || operation === 'UPDATE') &&
    group === GROUP &&
    resource === 'clustertrustbundles',
  validate: ({ object, oldObject, context, resource, name }) => {
    if (!object || (oldObject && isSameButForCollection(object, oldObject))) return;
    const signer = (object as Draft<ClusterTrustBundle>).spec?.signerName;
    if (!signer || mayOnSigner(context, 'attest', signer)) return;
    throw forbidden(resource, name, `user not permitted to attest for signerName ${goQuote(signer)}`);
  },
};

function check({ context, oldObject, resource, name }: AdmissionAttributes, verb: 'approve' | 'sign'): void {
  const signer = (oldObject as CertificateSigningRequest).spec.signerName;
  if (!mayOnSigner(context, verb, signer))
    throw forbidden(
      resource,
      name,
      `user not permitted to ${verb} requests with signerName ${goQuote(signer)}`,
    );
}

/** On the signer itself, or on all of its domain. */
function mayOnSigner({ authorizer, user }: AdmissionContext, verb: string, signer: string): boolean {
  const domain = signer.split('/', 1)[0] ?? '';
  return [signer, `${domain}/*`].some(
    (name) =>
      authorizer.authorize({
        user,
        verb,
        isResourceRequest: true,
        path: '',
        group: GROUP,
        version: '*',
        resource: 'signers',
        subresource: '',
        namespace: '',
        name,
      }).isAllowed,
  );
}
