/**
 * Of one object so many findings are told, in so many words, and then no more are looked for: a body of a million empty
 * elements would keep a server busy for minutes, with an answer of hundreds of megabytes that nobody reads, or end it for
 * want of memory. The real server tells them all.
 */
import type { FieldError } from '../status.ts';

export const MOST_FINDINGS = 1_000;
const MOST_CHARACTERS = 16_000_000;

const tooMany = (what: string): FieldError => ({
  reason: 'FieldValueTooMany',
  field: '',
  message: `Too many: more ${what}: the others are not told`,
});

const MORE = tooMany(`findings than ${MOST_FINDINGS}`);
const LONGER = tooMany(`of findings than ${MOST_CHARACTERS} characters`);

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
    return told(findings.length > MOST_FINDINGS ? [...findings.slice(0, MOST_FINDINGS), MORE] : findings);
  } catch (error) {
    if (error !== SPENT) throw error;
    return told([...own, MORE]);
  } finally {
    found = outer;
  }
}

/** The first that are short enough together; one is told in any case. */
function told(findings: readonly FieldError[]): readonly FieldError[] {
  let characters = 0;
  for (const [at, { message }] of findings.entries()) {
    characters += message.length;
    if (characters > MOST_CHARACTERS && at > 0) return [...findings.slice(0, at), LONGER];
  }
  return findings;
}
