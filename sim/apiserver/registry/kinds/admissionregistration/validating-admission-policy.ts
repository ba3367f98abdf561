/** ValidatingAdmissionPolicy: expressions that requests have to satisfy. What they mean is evaluated in admission. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  MatchResources,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
  Validation,
} from '../../../../api/types/admissionregistration-k8s-io-v1.ts';
import { cIdentifier, nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { oneOf } from '../../../../api/validation/field-checks.ts';
import { duplicate, invalid, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { SPEC_AND_STATUS, BARE_STATUS_RULES } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import type { Draft } from '../../strategy.ts';
import { matchConditionErrors } from './match-conditions.ts';
import { matchResourcesErrors } from './match-resources.ts';

const SPEC = FieldPath.of('spec');

export const validatingAdmissionPolicyKind = defineKind<ValidatingAdmissionPolicy>({
  group: 'admissionregistration.k8s.io',
  resource: 'validatingadmissionpolicies',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    metadataChecks: ['object'],
    hasFreeFinalizers: true,
    defaults: ({ spec }) => {
      if (!spec) return;
      spec.failurePolicy ??= 'Fail';
      if (spec.matchConstraints) matchResourcesDefaults(spec.matchConstraints);
    },
    ...SPEC_AND_STATUS,
    validate: specErrors,
    validateUpdate: specErrors,
    subresources: { status: { ...BARE_STATUS_RULES, metadataChecks: [] } },
    tableRow: ({ metadata, spec }, { age }) => {
      const { apiVersion, kind } = spec?.paramKind ?? {};
      return {
        cells: [
          metadata.name,
          spec?.validations?.length ?? 0,
          spec?.paramKind ? `${apiVersion ?? ''}/${kind ?? ''}` : '<unset>',
          age(metadata.creationTimestamp),
        ],
      };
    },
  },
});

/** Defaults of what a policy or a binding matches. */
export function matchResourcesDefaults(match: Draft<MatchResources>): void {
  match.matchPolicy ??= 'Equivalent';
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])])
    rule.scope ??= '*';
}

const NOTHING = 'validations or auditAnnotations must contain at least one item';

function specErrors({ spec = {} }: ValidatingAdmissionPolicy): FieldError[] {
  const {
    failurePolicy,
    paramKind,
    matchConstraints,
    validations = [],
    auditAnnotations = [],
    variables = [],
  } = spec;
  const errors: FieldError[] = [];
  if (failurePolicy !== undefined)
    append(errors, oneOf(failurePolicy, ['Fail', 'Ignore'], SPEC.child('failurePolicy')));
  if (paramKind) append(errors, paramKindErrors(paramKind, SPEC.child('paramKind')));
  const constraints = SPEC.child('matchConstraints');
  if (!matchConstraints) errors.push(required(constraints));
  else {
    append(errors, matchResourcesErrors(matchConstraints, constraints));
    if (!matchConstraints.resourceRules?.length) errors.push(required(constraints.child('resourceRules')));
  }
  append(errors, matchConditionErrors(spec.matchConditions ?? [], SPEC.child('matchConditions')));
  for (const [at, variable] of variables.entries())
    append(errors, variableErrors(variable, SPEC.child('variables').index(at)));
  if (validations.length === 0 && auditAnnotations.length === 0) {
    errors.push(
      required(SPEC.child('validations'), NOTHING),
      required(SPEC.child('auditAnnotations'), NOTHING),
    );
    return errors;
  }
  for (const [at, validation] of validations.entries())
    append(errors, validationErrors(validation, SPEC.child('validations').index(at)));
  return [...errors, ...annotationErrors(spec)];
}

function paramKindErrors(
  { apiVersion = '', kind = '' }: { readonly apiVersion?: string; readonly kind?: string },
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (apiVersion === '') errors.push(required(path.child('apiVersion')));
  else if (apiVersion.split('/').length > 2) {
    errors.push(
      invalid(path.child('apiVersion'), apiVersion, `unexpected GroupVersion string: ${apiVersion}`),
    );
  }
  if (kind === '') errors.push(required(path.child('kind')));
  return errors;
}

function variableErrors(
  { name, expression }: { readonly name: string; readonly expression: string },
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (!name) errors.push(required(path.child('name'), 'name is not specified'));
  else if (cIdentifier(name).length > 0)
    errors.push(invalid(path.child('name'), name, 'name is not a valid CEL identifier'));
  if (!expression?.trim()) errors.push(required(path.child('expression'), 'expression is not specified'));
  return errors;
}

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];

function validationErrors(
  { expression, message, messageExpression, reason }: Validation,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (!expression?.trim()) errors.push(required(path.child('expression'), 'expression is not specified'));
  const field = path.child('message');
  if (message !== undefined && message !== '') {
    if (message.trim() === '') errors.push(invalid(field, message, 'message must be non-empty if specified'));
    else if (message.trim().includes('\n'))
      errors.push(invalid(field, message, 'message must not contain line breaks'));
  }
  if (messageExpression !== undefined && messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(
      invalid(path.child('messageExpression'), messageExpression, 'must be non-empty if specified'),
    );
  }
  if (reason !== undefined) append(errors, oneOf(reason, REASONS, path.child('reason')));
  return errors;
}

function annotationErrors({ auditAnnotations = [] }: ValidatingAdmissionPolicySpec): FieldError[] {
  const keys = new Set<string>();
  return auditAnnotations.flatMap(({ key, valueExpression }, at) => {
    const path = SPEC.child('auditAnnotations').index(at);
    const errors: FieldError[] = key ? [] : [required(path.child('key'))];
    if (keys.has(key)) errors.push(duplicate(path.child('key'), key));
    keys.add(key);
    if (!valueExpression?.trim())
      errors.push(required(path.child('valueExpression'), 'valueExpression is not specified'));
    return errors;
  });
}
