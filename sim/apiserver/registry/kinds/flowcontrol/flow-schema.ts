/** FlowSchema: which requests go to which priority level. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  FlowSchema,
  FlowSchemaSpec,
  PolicyRulesWithSubjects,
} from '../../../../api/types/flowcontrol-apiserver-k8s-io-v1.ts';
import { checkedBy, oneOf } from '../../../../api/validation/field-checks.ts';
import { invalid, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Subdomain, nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { SPEC_AND_STATUS, STATUS_RULES } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';

const DEFAULT_PRECEDENCE = 1_000;
const MAX_PRECEDENCE = 10_000;
const SPEC = FieldPath.of('spec');

export const flowSchemaKind = defineKind<FlowSchema>({
  group: 'flowcontrol.apiserver.k8s.io',
  resource: 'flowschemas',
  conversion: { storage: 'flowcontrol.apiserver.k8s.io/v1', versions: {} },
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    comparesMetadataOnce: true,
    defaults: (draft) => {
      (draft.spec ??= { priorityLevelConfiguration: { name: '' } }).matchingPrecedence ||= DEFAULT_PRECEDENCE;
    },
    ...SPEC_AND_STATUS,
    validate: specErrors,
    validateUpdate: specErrors,
    subresources: { status: STATUS_RULES },
    tableRow: ({ metadata, spec, status }, { age }) => ({
      cells: [
        metadata.name,
        spec?.priorityLevelConfiguration.name ?? '',
        spec?.matchingPrecedence ?? 0,
        spec?.distinguisherMethod?.type ?? '<none>',
        age(metadata.creationTimestamp),
        status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
      ],
    }),
  },
});

function specErrors({ metadata, spec }: FlowSchema): FieldError[] {
  if (!spec) return [];
  return [
    ...precedenceErrors(metadata.name ?? '', spec),
    ...(spec.distinguisherMethod
      ? oneOf(
          spec.distinguisherMethod.type,
          ['ByNamespace', 'ByUser'],
          SPEC.child('distinguisherMethod', 'type'),
        )
      : []),
    ...levelErrors(spec.priorityLevelConfiguration.name, SPEC.child('priorityLevelConfiguration', 'name')),
    ...(spec.rules ?? []).flatMap((rule, at) => ruleErrors(rule, SPEC.child('rules').index(at))),
  ];
}

function precedenceErrors(name: string, { matchingPrecedence = 0 }: FlowSchemaSpec): FieldError[] {
  const path = SPEC.child('matchingPrecedence');
  const errors: FieldError[] = [];
  if (matchingPrecedence <= 0 || matchingPrecedence > MAX_PRECEDENCE) {
    errors.push(invalid(path, matchingPrecedence, `must be a value between 1 and ${MAX_PRECEDENCE}`));
  }
  if (matchingPrecedence === 1 && name !== 'exempt') {
    errors.push(
      invalid(path, matchingPrecedence, "only the schema named 'exempt' may have matchingPrecedence 1"),
    );
  }
  return errors;
}

const levelErrors = (name: string, path: FieldPath): readonly FieldError[] =>
  name ? checkedBy(dns1123Subdomain, name, path) : [required(path, 'must reference a priority level')];

function ruleErrors(
  { subjects, resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (!subjects?.length)
    errors.push(required(path.child('subjects'), 'subjects must contain at least one value'));
  for (const [at, subject] of (subjects ?? []).entries()) {
    append(
      errors,
      oneOf(
        subject.kind,
        ['Group', 'ServiceAccount', 'User'],
        path.child('subjects').index(at).child('kind'),
      ),
    );
  }
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    errors.push(required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  }
  for (const [at, rule] of resourceRules.entries()) {
    const field = path.child('resourceRules').index(at);
    for (const member of ['verbs', 'apiGroups', 'resources'] as const) {
      if (!rule[member]?.length)
        errors.push(
          required(field.child(member), `resource rules must supply at least one ${SINGULAR[member]}`),
        );
    }
    if (!rule.namespaces?.length && !rule.clusterScope) {
      errors.push(
        required(
          field.child('namespaces'),
          'resource rules that are not cluster scoped must supply at least one namespace',
        ),
      );
    }
  }
  for (const [at, rule] of nonResourceRules.entries()) {
    const field = path.child('nonResourceRules').index(at);
    if (!rule.verbs?.length)
      errors.push(required(field.child('verbs'), 'verbs must contain at least one value'));
    if (!rule.nonResourceURLs?.length)
      errors.push(
        required(field.child('nonResourceURLs'), 'nonResourceURLs must contain at least one value'),
      );
  }
  return errors;
}

const SINGULAR = { verbs: 'verb', apiGroups: 'api group', resources: 'resource' } as const;
