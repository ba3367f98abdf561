/** What a stored expression's author is told if it does not compile. */
import type { FieldError } from '../../../../api/status.ts';
import { invalid } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import type { PolicyExpression } from '../../../../api/policies/compile-policy-expression.ts';

/** `shown`: as it was written. */
export function expressionErrors(
  compiled: PolicyExpression | undefined,
  path: FieldPath,
  shown: string,
): readonly FieldError[] {
  const problem = compiled?.problem;
  if (problem === undefined) return [];
  if (!compiled?.isInternal) return [invalid(path, shown, problem)];
  return [{ reason: 'InternalError', field: path.text, message: `Internal error: ${problem}` }];
}
