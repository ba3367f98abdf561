/** Match conditions of webhooks and policies: named expressions. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { MatchCondition } from '../../../../api/types/admissionregistration-k8s-io-v1.ts';
import { checkedBy } from '../../../../api/validation/field-checks.ts';
import { duplicate, required, tooMany } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { qualifiedName } from '../../../../api/validation/names.ts';
import { compilePolicyExpression } from '../../../../api/policies/compile-policy-expression.ts';
import { policyEnvironment } from '../../../../api/policies/policy-environment.ts';
import { expressionErrors } from './expression-errors.ts';

const MAX_CONDITIONS = 64;

export interface ConditionTerms {
  /** There may be parameters to speak of. */
  readonly hasParams: boolean;
  /** Texts of expressions that are in force already. */
  readonly stored: ReadonlySet<string>;
}

export function matchConditionErrors(
  conditions: readonly MatchCondition[],
  path: FieldPath,
  { hasParams, stored }: ConditionTerms,
): FieldError[] {
  const errors: FieldError[] = [];
  const environment = policyEnvironment({ hasParams, hasAuthorizer: true });
  const environmentOfStored = policyEnvironment({ hasParams, hasAuthorizer: true, areStored: true });
  if (conditions.length > MAX_CONDITIONS) errors.push(tooMany(path, conditions.length, MAX_CONDITIONS));
  const names = new Set<string>();
  for (const [at, { name, expression }] of conditions.entries()) {
    const field = path.index(at);
    const text = expression?.trim() ?? '';
    if (text === '') errors.push(required(field.child('expression')));
    else {
      const known = stored.has(expression) ? environmentOfStored : environment;
      const compiled = compilePolicyExpression(text, known, ['bool']);
      append(errors, expressionErrors(compiled, field.child('expression'), text));
    }
    if (!name) errors.push(required(field.child('name')));
    else {
      append(errors, checkedBy(qualifiedName, name, field.child('name')));
      if (names.has(name)) errors.push(duplicate(field.child('name'), name));
      names.add(name);
    }
  }
  return errors;
}
