/** FlowSchema: which requests go to which priority level. */
import type { FieldError } from '../../../../api/status.ts';
import type { FlowSchema, FlowSchemaSpec } from '../../../../api/types/flowcontrol-apiserver-k8s-io-v1.ts';
import { checkedBy } from '../../../../api/validation/field-checks.ts';
import { invalid, notSupported, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Subdomain, nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { SPEC_AND_STATUS } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import { goValue } from '../go-value.ts';
import { conditionsErrors, FLOW_STATUS_RULES } from './conditions.ts';
import { flowRulesErrors } from './flow-schema-rules.ts';

const DEFAULT_PRECEDENCE = 1_000;
const MAX_PRECEDENCE = 10_000;
const SPEC = FieldPath.of('spec');

export const flowSchemaKind = defineKind<FlowSchema>({
  group: 'flowcontrol.apiserver.k8s.io',
  resource: 'flowschemas',
  conversion: { storage: 'flowcontrol.apiserver.k8s.io/v1', versions: {} },
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    metadataChecks: ['object'],
    defaults: (draft) => {
      (draft.spec ??= { priorityLevelConfiguration: { name: '' } }).matchingPrecedence ||= DEFAULT_PRECEDENCE;
    },
    ...SPEC_AND_STATUS,
    validate: schemaErrors,
    validateUpdate: schemaErrors,
    subresources: { status: { ...FLOW_STATUS_RULES, validateUpdate: schemaErrors } },
    rowRank: ({ spec }) => spec?.matchingPrecedence ?? 0,
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

function schemaErrors({ metadata, spec, status }: FlowSchema): FieldError[] {
  if (!spec) return conditionsErrors(status);
  return [
    ...precedenceErrors(metadata.name ?? '', spec),
    ...methodErrors(spec),
    ...levelErrors(
      spec.priorityLevelConfiguration?.name ?? '',
      SPEC.child('priorityLevelConfiguration', 'name'),
    ),
    ...flowRulesErrors(spec.rules, SPEC.child('rules')),
    ...conditionsErrors(status),
  ];
}

const METHODS = ['ByNamespace', 'ByUser'];

function methodErrors({ distinguisherMethod: method }: FlowSchemaSpec): readonly FieldError[] {
  if (!method || METHODS.includes(method.type)) return [];
  const shown = goValue('flowcontrol.apiserver.k8s.io/v1.FlowDistinguisherMethod', method);
  return [notSupported(SPEC.child('distinguisherMethod', 'type'), shown, METHODS)];
}

function precedenceErrors(name: string, { matchingPrecedence = 0 }: FlowSchemaSpec): FieldError[] {
  const path = SPEC.child('matchingPrecedence');
  const findings: string[] = [];
  if (matchingPrecedence <= 0) findings.push('must be a positive value');
  if (matchingPrecedence > MAX_PRECEDENCE) findings.push(`must not be greater than ${MAX_PRECEDENCE}`);
  if (matchingPrecedence === 1 && name !== 'exempt')
    findings.push("only the schema named 'exempt' may have matchingPrecedence 1");
  return findings.map((finding) => invalid(path, matchingPrecedence, finding));
}

const levelErrors = (name: string, path: FieldPath): readonly FieldError[] =>
  name ? checkedBy(dns1123Subdomain, name, path) : [required(path, 'must reference a priority level')];
