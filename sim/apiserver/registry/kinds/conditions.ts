/** Conditions as most kinds have them, and what is asked of them. */
import { append } from '../../../api/append.ts';
import { goLength } from '../../../api/go-text.ts';
import type { FieldError } from '../../../api/status.ts';
import type { Condition as FullCondition } from '../../../api/types/meta-k8s-io-v1.ts';
import { duplicate, invalid, notSupported, required, tooLong } from '../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../api/validation/field-path.ts';
import { qualifiedName } from '../../../api/validation/names.ts';

/** Clients may leave out when it changed, but they are told so. */
type Condition = Omit<FullCondition, 'lastTransitionTime'> & { readonly lastTransitionTime?: string };

const STATUSES = ['False', 'True', 'Unknown'];

export function conditionsErrors(conditions: readonly Condition[], path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return conditions.flatMap((condition, at) => {
    const isAgain = seen.has(condition.type);
    seen.add(condition.type);
    return conditionErrors(condition, isAgain, path.index(at));
  });
}

const REASON = /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const REASON_FORM =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";
const MAX_REASON = 1_024;
const MAX_MESSAGE = 32 * 1_024;

function reasonErrors(reason: string, path: FieldPath): FieldError[] {
  if (!reason) return [required(path, 'must be set')];
  const errors = REASON.test(reason) ? [] : [invalid(path, reason, REASON_FORM)];
  return goLength(reason) > MAX_REASON ? [...errors, tooLong(path, MAX_REASON)] : errors;
}

function conditionErrors(
  { type, status, lastTransitionTime, reason, message: text, observedGeneration }: Condition,
  isAgain: boolean,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = isAgain ? [duplicate(path.child('type'), type)] : [];
  for (const message of qualifiedName(type)) errors.push(invalid(path.child('type'), type, message));
  if (!STATUSES.includes(status)) errors.push(notSupported(path.child('status'), status, STATUSES));
  if (observedGeneration !== undefined && observedGeneration < 0) {
    errors.push(
      invalid(path.child('observedGeneration'), observedGeneration, 'must be greater than or equal to zero'),
    );
  }
  if (!lastTransitionTime) errors.push(required(path.child('lastTransitionTime'), 'must be set'));
  append(errors, reasonErrors(reason, path.child('reason')));
  if (goLength(text) > MAX_MESSAGE) errors.push(tooLong(path.child('message'), MAX_MESSAGE));
  return errors;
}
