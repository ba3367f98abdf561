/** Certificate requests and access reviews of `v1beta1`. */
import { certificateRequestOf } from '../../../api/certificates/certificate-request.ts';
import type { FieldError } from '../../../api/status.ts';
import type { VersionPair } from '../../conversion/conversion.ts';

import type { DraftObject } from '../strategy.ts';
import type { OldVersions } from './old-version.ts';
import { defined, fieldsOf, inVersion, itemsOf, ownFieldsOf } from './parts.ts';

const LEGACY = 'kubernetes.io/legacy-unknown';

/** Whom the request was meant for, when nobody had to say so: agents of nodes were known by their group. */
function signerOf(spec: Readonly<Record<string, unknown>>): string {
  const { request, usages } = spec;
  const isNode =
    typeof request === 'string' && certificateRequestOf(request)?.organizations.includes('system:nodes');
  if (!isNode) return LEGACY;
  const isServing = Array.isArray(usages) && usages.includes('server auth');
  return isServing ? 'kubernetes.io/kubelet-serving' : 'kubernetes.io/kube-apiserver-client-kubelet';
}

function requestPresets(draft: DraftObject): void {
  const spec = ownFieldsOf((draft['spec'] ??= {}));
  spec['usages'] ??= ['digital signature', 'key encipherment'];
  spec['signerName'] ??= signerOf(spec);
  for (const condition of itemsOf(fieldsOf(draft['status'])['conditions']))
    ownFieldsOf(condition)['status'] ||= 'True';
}

/** Any usage as often as one liked, any signer, any certificate, and conditions of one type several times. */
const isOfRequests = ({ field, reason, message }: FieldError): boolean =>
  (field.startsWith('spec.usages') && reason !== 'FieldValueNotSupported') ||
  (field === 'spec.signerName' && message.includes('legacy signerName')) ||
  (field.startsWith('status.conditions') && reason === 'FieldValueDuplicate') ||
  field.startsWith('status.certificate');

const REQUESTS: OldVersions = {
  'certificates.k8s.io/v1beta1': { presets: requestPresets, excuses: isOfRequests },
};

/** `spec.group` became `spec.groups`. */
const REVIEW: VersionPair = {
  toStorage: (object) => {
    const { group, ...spec } = fieldsOf(object['spec']);
    return inVersion(object, 'authorization.k8s.io/v1', { spec: defined({ ...spec, groups: group }) });
  },
  fromStorage: (object) => {
    const { groups, ...spec } = fieldsOf(object['spec']);
    return inVersion(object, 'authorization.k8s.io/v1beta1', { spec: defined({ ...spec, group: groups }) });
  },
};

const ACCESS: OldVersions = { 'authorization.k8s.io/v1beta1': { pair: REVIEW } };

export const REVIEWS: Readonly<Record<string, OldVersions>> = {
  'certificatesigningrequests.certificates.k8s.io': REQUESTS,
  'subjectaccessreviews.authorization.k8s.io': ACCESS,
  'localsubjectaccessreviews.authorization.k8s.io': ACCESS,
};
