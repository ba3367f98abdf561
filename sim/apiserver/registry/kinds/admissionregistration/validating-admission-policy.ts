/** ValidatingAdmissionPolicy: expressions that requests have to satisfy. What they mean is evaluated in admission. */
import { append } from '../../../../api/append.ts';
import { goLength, goStruct, GoSyntax } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  AuditAnnotation,
  MatchResources,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
} from '../../../../api/types/admissionregistration-k8s-io-v1.ts';
import {
  cIdentifier,
  dns1035Label,
  dns1123Subdomain,
  nameIsDnsSubdomain,
  qualifiedName,
} from '../../../../api/validation/names.ts';
import { checkedBy, oneOf } from '../../../../api/validation/field-checks.ts';
import {
  duplicate,
  invalid,
  required,
  since,
  tooMany,
  until,
} from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import {
  type CompiledPolicy,
  type CompiledValidation,
  compilePolicy,
  storedExpressionsOf,
} from '../../../../api/policies/compiled-policy.ts';
import type { PolicyExpression } from '../../../../api/policies/compile-policy-expression.ts';
import { expressionErrors } from './expression-errors.ts';
import { SPEC_AND_STATUS, BARE_STATUS_RULES } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import type { Draft } from '../../strategy.ts';
import { conditionsErrors } from '../conditions.ts';
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
    requiresVersionOnUpdate: true,
    defaults: ({ spec }) => {
      if (!spec) return;
      spec.failurePolicy ??= 'Fail';
      if (spec.matchConstraints) matchResourcesDefaults(spec.matchConstraints);
    },
    ...SPEC_AND_STATUS,
    validate: (policy) => specErrors(policy),
    validateUpdate: (policy, old) => specErrors(policy, old),
    subresources: {
      status: { ...BARE_STATUS_RULES, metadataChecks: [], validateUpdate: statusErrors },
    },
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

/** More of them would keep everybody waiting while they are compiled: the real server takes any number. */
const MOST_EXPRESSIONS = 5_000;
const NOTHING = 'validations or auditAnnotations must contain at least one item';

function specErrors(
  { metadata, spec = {} }: ValidatingAdmissionPolicy,
  old?: ValidatingAdmissionPolicy,
): FieldError[] {
  const { failurePolicy, paramKind, matchConstraints, validations = [], auditAnnotations = [] } = spec;
  const count = validations.length + auditAnnotations.length + (spec.variables?.length ?? 0);
  if (count > MOST_EXPRESSIONS) return [tooMany(SPEC, count, MOST_EXPRESSIONS)];
  const stored = storedExpressionsOf(old?.spec);
  const compiled = compilePolicy(spec, stored);
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
  const hasParams = paramKind !== undefined;
  const terms = { hasParams, stored: stored.conditions };
  append(errors, matchConditionErrors(spec.matchConditions ?? [], SPEC.child('matchConditions'), terms));
  for (const [at, variable] of (spec.variables ?? []).entries())
    append(
      errors,
      variableErrors(variable, compiled.variables[at]?.expression, SPEC.child('variables').index(at)),
    );
  if (validations.length === 0 && auditAnnotations.length === 0) {
    errors.push(
      required(SPEC.child('validations'), NOTHING),
      required(SPEC.child('auditAnnotations'), NOTHING),
    );
    return errors;
  }
  for (const [at, validation] of compiled.validations.entries())
    append(errors, validationErrors(validation, SPEC.child('validations').index(at)));
  return [...errors, ...annotationErrors(metadata.name ?? '', spec, compiled)];
}

function paramKindErrors(
  { apiVersion = '', kind = '' }: { readonly apiVersion?: string; readonly kind?: string },
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const at = path.child('apiVersion');
  const parts = apiVersion.split('/');
  const [group, version] = parts.length === 1 ? ['', parts[0] ?? ''] : [parts[0] ?? '', parts[1] ?? ''];
  if (apiVersion === '') errors.push(required(at));
  else if (parts.length > 2) {
    errors.push(invalid(at, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  } else {
    const ofGroup = group === '' ? [] : dns1123Subdomain(group);
    if (ofGroup.length > 0) errors.push(invalid(at, group, ofGroup.join(',')));
    const ofVersion = version === '' ? [] : dns1035Label(version);
    if (version === '') errors.push(invalid(at, apiVersion, 'version must be specified'));
    else if (ofVersion.length > 0) errors.push(invalid(at, version, ofVersion.join(',')));
  }
  const ofKind = kind === '' ? [] : dns1035Label(kind.toLowerCase());
  if (kind === '') errors.push(required(path.child('kind')));
  else if (ofKind.length > 0) {
    const detail = `may have mixed case, but should otherwise match: ${ofKind.join(',')}`;
    errors.push(invalid(path.child('kind'), kind, detail));
  }
  return errors;
}

function variableErrors(
  { name, expression }: { readonly name: string; readonly expression: string },
  compiled: PolicyExpression | undefined,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (!name?.trim()) errors.push(required(path.child('name'), 'name is not specified'));
  else if (cIdentifier(name).length > 0 || KEYWORDS.has(name)) {
    const named = path.child('name');
    append(errors, until('1.34', [invalid(named, name, 'name is not a valid CEL identifier')]));
    append(errors, since('1.34', [invalid(named, name, 'must be a valid CEL identifier')]));
  }
  if (!expression?.trim()) errors.push(required(path.child('expression'), 'expression is not specified'));
  else append(errors, expressionErrors(compiled, path.child('expression'), expression));
  return errors;
}

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];

/** Words that no variable can be called by. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...['true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if'],
  ...['import', 'let', 'loop', 'package', 'namespace', 'return', 'var', 'void', 'while'],
]);

function validationErrors(
  { validation, condition, message: told }: CompiledValidation,
  path: FieldPath,
): FieldError[] {
  const { expression, message, messageExpression, reason } = validation;
  const errors: FieldError[] = [];
  if (!expression?.trim()) errors.push(required(path.child('expression'), 'expression is not specified'));
  else append(errors, expressionErrors(condition, path.child('expression'), expression));
  if (messageExpression !== undefined && messageExpression !== '') {
    const at = path.child('messageExpression');
    if (messageExpression.trim() === '')
      errors.push(invalid(at, messageExpression, 'must be non-empty if specified'));
    else append(errors, expressionErrors(told, at, messageExpression));
  }
  const field = path.child('message');
  if (message !== undefined && message !== '') {
    if (message.trim() === '') errors.push(invalid(field, message, 'message must be non-empty if specified'));
    else if (message.trim().includes('\n'))
      errors.push(invalid(field, message, 'message must not contain line breaks'));
  }
  if (reason !== undefined) append(errors, oneOf(reason, REASONS, path.child('reason')));
  return errors;
}

const MOST_ANNOTATIONS = 20;
const LONGEST_VALUE_EXPRESSION = 5 * 1024;

function annotationErrors(
  name: string,
  { auditAnnotations = [] }: ValidatingAdmissionPolicySpec,
  { auditAnnotations: compiled }: CompiledPolicy,
): FieldError[] {
  const keys = new Set<string>();
  const errors: FieldError[] = [];
  if (auditAnnotations.length > MOST_ANNOTATIONS) {
    const shown = new GoSyntax(
      `[]admissionregistration.AuditAnnotation{${auditAnnotations.map((each) => goAnnotation(each).text).join(', ')}}`,
      () => `[${auditAnnotations.map((each) => goAnnotation(each).json).join(',')}]`,
    );
    errors.push(
      invalid(
        SPEC.child('auditAnnotations'),
        shown,
        `must not have more than ${MOST_ANNOTATIONS} auditAnnotations`,
      ),
    );
  }
  for (const [at, { key, valueExpression }] of auditAnnotations.entries()) {
    const path = SPEC.child('auditAnnotations').index(at);
    append(errors, annotationKeyErrors(name, key, path.child('key')));
    const place = path.child('valueExpression');
    const length = goLength((valueExpression ?? '').trim());
    if (length === 0) errors.push(required(place, 'valueExpression is not specified'));
    else if (length > LONGEST_VALUE_EXPRESSION)
      errors.push(required(place, `must not exceed ${LONGEST_VALUE_EXPRESSION} bytes in length`));
    else append(errors, expressionErrors(compiled[at]?.value, place, valueExpression));
    if (keys.has(key)) errors.push(duplicate(path.child('key'), key));
    keys.add(key);
  }
  return errors;
}

const goAnnotation = ({ key, valueExpression }: AuditAnnotation): GoSyntax =>
  goStruct('admissionregistration.AuditAnnotation', [
    ['Key', key],
    ['ValueExpression', valueExpression],
  ]);

const annotationKeyErrors = (name: string, key: string, path: FieldPath): readonly FieldError[] =>
  name === ''
    ? [invalid(path, key, 'requires metadata.name be non-empty')]
    : checkedBy(qualifiedName, `${name}/${key}`, path);

const STATUS = FieldPath.of('status');
const WARNINGS = STATUS.child('typeChecking', 'expressionWarnings');

function statusErrors({ status = {} }: ValidatingAdmissionPolicy): readonly FieldError[] {
  const unsaid = (status.typeChecking?.expressionWarnings ?? []).flatMap((warning, at) =>
    (['warning', 'fieldRef'] as const)
      .filter((name) => !warning[name])
      .map((name) => required(WARNINGS.index(at).child(name))),
  );
  return [...unsaid, ...conditionsErrors(status.conditions ?? [], STATUS.child('conditions'))];
}
