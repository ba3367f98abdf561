/**
 * Of one object so many findings are told, and then no more are looked for: a body of a million empty elements would keep
 * a server busy for minutes, with an answer of hundreds of megabytes that nobody reads. The real server tells them all.
 */
import type { FieldError } from '../status.ts';

export const MOST_FINDINGS = 20_000;

const MORE: FieldError = {
  reason: 'FieldValueTooMany',
  field: '',
  message: `Too many: more findings than ${MOST_FINDINGS}: the others are not told`,
};

/** What ends the search. */
const SPENT = new Error('all findings that are told have been found');

/** Those of the validation under way. */
let found: FieldError[] | undefined;

/** All findings that are made one by one come by here. */
export function counted(finding: FieldError): FieldError {
  if (found === undefined) return finding;
  if (found.length === MOST_FINDINGS) throw SPENT;
  found.push(finding);
  return finding;
}

/** What a validation finds; if that is too much, the first of it. */
export function withinBudget(validate: () => readonly FieldError[]): readonly FieldError[] {
  const outer = found;
  const own: FieldError[] = [];
  found = own;
  try {
    const findings = validate();
    return findings.length > MOST_FINDINGS ? [...findings.slice(0, MOST_FINDINGS), MORE] : findings;
  } catch (error) {
    if (error !== SPENT) throw error;
    return [...own, MORE];
  } finally {
    found = outer;
  }
}
