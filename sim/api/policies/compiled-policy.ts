/** All expressions of a policy, compiled once for as long as the policy is what it is. */
import type { ValidatingAdmissionPolicySpec, Validation } from '../types/admissionregistration-k8s-io-v1.ts';
import { type CelType, DYN } from '../cel/types/type.ts';
import { compilePolicyExpression, type PolicyExpression } from './compile-policy-expression.ts';
import type { Environment } from '../cel/types/declarations.ts';
import { policyEnvironment, type PolicyVariables } from './policy-environment.ts';

export interface CompiledValidation {
  readonly validation: Validation;
  readonly condition: PolicyExpression;
  readonly message: PolicyExpression | undefined;
}

export interface CompiledPolicy {
  readonly matchConditions: readonly PolicyExpression[];
  /** In the order in which they are declared; each knows those before it. */
  readonly variables: readonly { readonly name: string; readonly expression: PolicyExpression }[];
  readonly validations: readonly CompiledValidation[];
  readonly auditAnnotations: readonly { readonly key: string; readonly value: PolicyExpression }[];
}

/** Texts of expressions that are in force already, by what they are for: they may use more than new ones. */
export interface StoredExpressions {
  readonly conditions: ReadonlySet<string>;
  /** Also those of variables. */
  readonly validations: ReadonlySet<string>;
  readonly messages: ReadonlySet<string>;
  readonly annotations: ReadonlySet<string>;
}

/** Those that a policy has, for its next version. */
export function storedExpressionsOf(spec: ValidatingAdmissionPolicySpec | undefined): StoredExpressions {
  const { matchConditions = [], validations = [], auditAnnotations = [] } = spec ?? {};
  return {
    conditions: new Set(matchConditions.map(({ expression }) => expression)),
    validations: new Set(validations.map(({ expression }) => expression)),
    messages: new Set(validations.flatMap(({ messageExpression }) => messageExpression || [])),
    annotations: new Set(auditAnnotations.map(({ valueExpression }) => valueExpression)),
  };
}

type EnvironmentOf = (text: string | undefined) => Environment;

/** One for new expressions, and one for those of `stored`; undefined: all are. */
function environments(known: PolicyVariables, stored: ReadonlySet<string> | undefined): EnvironmentOf {
  let fresh: Environment | undefined;
  let old: Environment | undefined;
  return (text = '') =>
    !stored || stored.has(text)
      ? (old ??= policyEnvironment({ ...known, areStored: true }))
      : (fresh ??= policyEnvironment(known));
}

/** `stored`: undefined where the policy itself is in force. */
export function compilePolicy(
  spec: ValidatingAdmissionPolicySpec,
  stored: StoredExpressions | undefined,
): CompiledPolicy {
  const hasParams = spec.paramKind !== undefined;
  const full = { hasParams, hasAuthorizer: true };
  const conditions = environments(full, stored?.conditions);
  const types = new Map<string, CelType>();
  // Knows a variable as soon as its type is.
  const before = environments({ ...full, variables: types }, stored?.validations);
  const variables = (spec.variables ?? []).map(({ name, expression }) => {
    const compiled = compilePolicyExpression(expression, before(expression), []);
    // Nobody knows one that says nothing.
    if (expression?.trim()) types.set(name, compiled.program?.type ?? DYN);
    return { name, expression: compiled };
  });
  const named = types.size > 0 || variables.length > 0 ? { variables: types } : {};
  const environment = environments({ ...full, ...named }, stored?.validations);
  const messages = environments({ ...full, ...named, hasAuthorizer: false }, stored?.messages);
  const annotations = environments({ ...full, ...named }, stored?.annotations);
  return {
    matchConditions: (spec.matchConditions ?? []).map(({ expression }) =>
      compilePolicyExpression(expression, conditions(expression), ['bool']),
    ),
    variables,
    validations: (spec.validations ?? []).map((validation) => ({
      validation,
      condition: compilePolicyExpression(validation.expression, environment(validation.expression), ['bool']),
      message: validation.messageExpression
        ? compilePolicyExpression(validation.messageExpression, messages(validation.messageExpression), [
            'string',
          ])
        : undefined,
    })),
    auditAnnotations: (spec.auditAnnotations ?? []).map(({ key, valueExpression }) => ({
      key,
      value: compilePolicyExpression(valueExpression, annotations(valueExpression), ['string', 'null']),
    })),
  };
}
