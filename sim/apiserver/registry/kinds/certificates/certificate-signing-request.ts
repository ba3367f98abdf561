/**
 * CertificateSigningRequest: who asked for what never changes. Approval and certificate are
 * conditions and data of the status, each written through its own subresource.
 */
import { formatTime } from '../../../../api/time-format.ts';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from '../../../../api/types/certificates-k8s-io-v1.ts';
import { humanDuration } from '../../../representation/age.ts';
import { keepMember } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import type { Draft, HookContext } from '../../strategy.ts';
import { requestErrors, statusErrors } from './certificate-validation.ts';

type Csr = CertificateSigningRequest;

const SECOND_MS = 1_000;

export const certificateSigningRequestKind = defineKind<Csr>({
  group: 'certificates.k8s.io',
  resource: 'certificatesigningrequests',
  strategy: {
    // Only the look at every object's name refuses any.
    nameCheck: () => [],
    metadataChecks: ['object', 'update', 'change'],
    prepareForCreate: (draft, { user }) => {
      const { spec } = draft;
      spec.username = user.name;
      spec.uid = user.uid ?? '';
      spec.groups = [...user.groups];
      delete spec.extra;
      const extra: Record<string, string[]> = {};
      for (const [key, values] of Object.entries(user.extra ?? {})) extra[key] = [...values];
      if (Object.keys(extra).length > 0) spec.extra = extra;
      draft.status = {};
    },
    validate: requestErrors,
    prepareForUpdate: (draft, old) => {
      keepMember(draft, old, 'spec');
      keepMember(draft, old, 'status');
    },
    validateUpdate: requestErrors,
    resetFields: [['spec'], ['status']],
    subresources: {
      status: {
        prepareForUpdate: (draft, old, context) => {
          keepMember(draft, old, 'spec');
          keepApproval(draft, old);
          stampConditions(draft, old, context);
        },
        metadataChecks: ['object', 'update', 'change'],
        validateUpdate: (object, old) => statusErrors(object, old, { mayApprove: false }),
        resetFields: [['spec'], ['status', 'conditions']],
      },
      approval: {
        prepareForUpdate: (draft, old, context) => {
          keepMember(draft, old, 'spec');
          const conditions = draft.status?.conditions;
          draft.status = { ...(old.status as Draft<Csr>['status']), ...(conditions && { conditions }) };
          if (!conditions) delete draft.status.conditions;
          stampConditions(draft, old, context);
        },
        metadataChecks: ['object', 'update', 'change'],
        validateUpdate: (object, old) => statusErrors(object, old, { mayApprove: true }),
        resetFields: [['spec'], ['status', 'certificate']],
      },
    },
    selectableFields: ({ spec }) => ({ 'spec.signerName': spec.signerName }),
    tableRow: ({ metadata, spec, status }, { age }) => ({
      cells: [
        metadata.name,
        age(metadata.creationTimestamp),
        spec.signerName || '<none>',
        spec.username ?? '',
        spec.expirationSeconds === undefined ? '<none>' : humanDuration(spec.expirationSeconds * SECOND_MS),
        conditionText(status),
      ],
    }),
  },
});

const isApproval = ({ type }: { readonly type: string }): boolean => type === 'Approved' || type === 'Denied';

/** The signer repeats an approval as it is; validation refuses one that it adds or leaves out. */
function keepApproval({ status }: Draft<Csr>, old: Csr): void {
  const conditions = status?.conditions;
  if (!status || !conditions) return;
  const ofType = (list: readonly CertificateSigningRequestCondition[], type: string) =>
    list.filter((condition) => condition.type === type);
  status.conditions = conditions.map((condition) => {
    const [before, ...more] = ofType(old.status?.conditions ?? [], condition.type);
    const isKept = isApproval(condition) && before && more.length === 0;
    return isKept && ofType(conditions, condition.type).length === 1 ? { ...before } : condition;
  });
}

function stampConditions(draft: Draft<Csr>, old: Csr, { nowMs }: HookContext): void {
  const before = new Map((old.status?.conditions ?? []).map((condition) => [condition.type, condition]));
  for (const condition of draft.status?.conditions ?? [])
    stamp(condition, before.get(condition.type), formatTime(nowMs));
}

function stamp(
  condition: Draft<CertificateSigningRequestCondition>,
  old: CertificateSigningRequestCondition | undefined,
  now: string,
): void {
  condition.lastUpdateTime ||= now;
  if (condition.lastTransitionTime) return;
  const isSame = old?.status === condition.status && old.lastTransitionTime;
  condition.lastTransitionTime = isSame ? (old.lastTransitionTime ?? now) : now;
}

function conditionText(status: Csr['status']): string {
  const types = new Set((status?.conditions ?? []).map(({ type }) => type));
  const decision = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : '';
  const parts = [decision || (types.size === 0 ? 'Pending' : '')];
  if (types.has('Failed')) parts.push('Failed');
  if (status?.certificate) parts.push('Issued');
  return parts.filter((part) => part !== '').join(',');
}
