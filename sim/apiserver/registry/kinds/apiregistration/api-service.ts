/** APIService: who serves a group's version; without a service it is this server itself. */
import { append } from '../../../../api/append.ts';
import { formatTime } from '../../../../api/time-format.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { APIService, APIServiceSpec } from '../../../../api/types/apiregistration-k8s-io-v1.ts';
import { checkedBy } from '../../../../api/validation/field-checks.ts';
import { invalid, notSupported, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import {
  dns1035Label,
  dns1123Subdomain,
  type NameCheck,
  pathSegmentName,
  portNumber,
} from '../../../../api/validation/names.ts';
import { goQuote } from '../../../../api/go-text.ts';
import { keepMember, BARE_STATUS_RULES } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';

const SPEC = FieldPath.of('spec');
const HTTPS_PORT = 443;
const MAX_GROUP_PRIORITY = 20_000;
const MAX_VERSION_PRIORITY = 1_000;

export const apiServiceKind = defineKind<APIService>({
  group: 'apiregistration.k8s.io',
  resource: 'apiservices',
  storageDirectory: 'apiregistration.k8s.io/apiservices',
  strategy: {
    nameCheck: pathSegmentName,
    nameCheckOf: (service) => nameCheckOf(service),
    metadataChecks: ['object', 'change'],
    hasFreeFinalizers: true,
    requiresVersionOnUpdate: true,
    defaults: ({ spec }) => {
      if (spec?.service) spec.service.port ??= HTTPS_PORT;
    },
    prepareForCreate: (draft, { nowMs }) => {
      draft.status = {};
      if (draft.spec?.service) return;
      draft.status.conditions = [
        {
          type: 'Available',
          status: 'True',
          lastTransitionTime: formatTime(nowMs),
          reason: 'Local',
          message: 'Local APIServices are always available',
        },
      ];
    },
    validate: apiServiceErrors,
    prepareForUpdate: (draft, old) => keepMember(draft, old, 'status'),
    validateUpdate: apiServiceErrors,
    resetFields: [['status']],
    subresources: { status: { ...BARE_STATUS_RULES, validateUpdate: statusErrors } },
    tableRow: ({ metadata, spec, status }, { age }) => {
      const service = spec?.service;
      const condition = status?.conditions?.find(({ type }) => type === 'Available');
      const availability =
        condition === undefined
          ? 'Unknown'
          : condition.status === 'True'
            ? 'True'
            : `${condition.status} (${condition.reason ?? ''})`;
      return {
        cells: [
          metadata.name,
          service ? `${service.namespace ?? ''}/${service.name ?? ''}` : 'Local',
          availability,
          age(metadata.creationTimestamp),
        ],
      };
    },
  },
});

/** It is called after what it serves. */
const nameCheckOf =
  ({ spec }: APIService): NameCheck =>
  (name) => {
    const findings = pathSegmentName(name);
    const wanted = `${spec?.version ?? ''}.${spec?.group ?? ''}`;
    if (findings.length > 0 || name === wanted) return findings;
    return [`must be \`spec.version+"."+spec.group\`: ${goQuote(wanted)}`];
  };

function apiServiceErrors({ spec }: APIService): FieldError[] {
  const own: APIServiceSpec = spec ?? { groupPriorityMinimum: 0, versionPriority: 0 };
  const { group = '', version = '', groupPriorityMinimum = 0, versionPriority = 0 } = own;
  const errors: FieldError[] = [];
  if (group === '' && version !== 'v1')
    errors.push(
      required(SPEC.child('group'), 'only v1 may have an empty group and it better be legacy kube'),
    );
  if (group !== '') append(errors, checkedBy(dns1123Subdomain, group, SPEC.child('group')));
  append(errors, checkedBy(dns1035Label, version, SPEC.child('version')));
  const priority = (value: number, member: string, most: number): void => {
    if (value <= 0 || value > most)
      errors.push(invalid(SPEC.child(member), value, `must be positive and less than ${most}`));
  };
  priority(groupPriorityMinimum, 'groupPriorityMinimum', MAX_GROUP_PRIORITY);
  priority(versionPriority, 'versionPriority', MAX_VERSION_PRIORITY);
  return [...errors, ...serviceErrors(own)];
}

function serviceErrors({ service, caBundle, insecureSkipTLSVerify = false }: APIServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const tlsPath = SPEC.child('insecureSkipTLSVerify');
  if (!service) {
    if (caBundle)
      errors.push(
        invalid(
          SPEC.child('caBundle'),
          `${atob(caBundle).length} bytes`,
          'local APIServices may not have a caBundle',
        ),
      );
    if (insecureSkipTLSVerify)
      errors.push(invalid(tlsPath, true, 'local APIServices may not have insecureSkipTLSVerify'));
    return errors;
  }
  const path = SPEC.child('service');
  if (!service.namespace) errors.push(required(path.child('namespace')));
  if (!service.name) errors.push(required(path.child('name')));
  for (const finding of portNumber(service.port ?? HTTPS_PORT)) {
    errors.push(invalid(path.child('port'), service.port, `port is not valid: ${finding}`));
  }
  if (insecureSkipTLSVerify && caBundle)
    errors.push(invalid(tlsPath, true, 'may not be true if caBundle is present'));
  return errors;
}

const CONDITION_STATUSES = ['True', 'False', 'Unknown'];

function statusErrors({ status }: APIService): readonly FieldError[] {
  const path = FieldPath.of('status', 'conditions');
  return (status?.conditions ?? []).flatMap((condition, at) =>
    CONDITION_STATUSES.includes(condition.status)
      ? []
      : [notSupported(path.index(at).child('status'), condition.status, CONDITION_STATUSES)],
  );
}
