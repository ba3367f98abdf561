/** Match conditions of webhooks and policies: named expressions. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { MatchCondition } from '../../../../api/types/admissionregistration-k8s-io-v1.ts';
import { checkedBy } from '../../../../api/validation/field-checks.ts';
import { duplicate, required, tooMany } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { qualifiedName } from '../../../../api/validation/names.ts';

const MAX_CONDITIONS = 64;

export function matchConditionErrors(conditions: readonly MatchCondition[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (conditions.length > MAX_CONDITIONS) errors.push(tooMany(path, conditions.length, MAX_CONDITIONS));
  const names = new Set<string>();
  for (const [at, { name, expression }] of conditions.entries()) {
    const field = path.index(at);
    if (!expression?.trim()) errors.push(required(field.child('expression')));
    if (!name) errors.push(required(field.child('name')));
    else {
      append(errors, checkedBy(qualifiedName, name, field.child('name')));
      if (names.has(name)) errors.push(duplicate(field.child('name'), name));
      names.add(name);
    }
  }
  return errors;
}
