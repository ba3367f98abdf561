/** All expressions of a policy, compiled once for as long as the policy is what it is. */
import type { ValidatingAdmissionPolicySpec, Validation } from '../types/admissionregistration-k8s-io-v1.ts';
import { type CelType, DYN } from '../cel/types/type.ts';
import { compilePolicyExpression, type PolicyExpression } from './compile-policy-expression.ts';
import { policyEnvironment } from './policy-environment.ts';

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

export function compilePolicy(spec: ValidatingAdmissionPolicySpec): CompiledPolicy {
  const hasParams = spec.paramKind !== undefined;
  const full = { hasParams, hasAuthorizer: true };
  const conditions = policyEnvironment(full);
  const types = new Map<string, CelType>();
  // Knows a variable as soon as its type is.
  const before = policyEnvironment({ ...full, variables: types });
  const variables = (spec.variables ?? []).map(({ name, expression }) => {
    const compiled = compilePolicyExpression(expression, before, []);
    // Nobody knows one that says nothing.
    if (expression?.trim()) types.set(name, compiled.program?.type ?? DYN);
    return { name, expression: compiled };
  });
  const named = types.size > 0 || variables.length > 0 ? { variables: types } : {};
  const environment = policyEnvironment({ ...full, ...named });
  const messages = policyEnvironment({ ...full, ...named, hasAuthorizer: false });
  return {
    matchConditions: (spec.matchConditions ?? []).map(({ expression }) =>
      compilePolicyExpression(expression, conditions, ['bool']),
    ),
    variables,
    validations: (spec.validations ?? []).map((validation) => ({
      validation,
      condition: compilePolicyExpression(validation.expression, environment, ['bool']),
      message: validation.messageExpression
        ? compilePolicyExpression(validation.messageExpression, messages, ['string'])
        : undefined,
    })),
    auditAnnotations: (spec.auditAnnotations ?? []).map(({ key, valueExpression }) => ({
      key,
      value: compilePolicyExpression(valueExpression, environment, ['string', 'null']),
    })),
  };
}
