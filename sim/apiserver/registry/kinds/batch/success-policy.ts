/** Rules of when a job with indexes counts as done before all of them are. */
import type { FieldError } from '../../../../api/status.ts';
import type { JobSpec, SuccessPolicyRule } from '../../../../api/types/batch-v1.ts';
import { invalid, required, tooLong, tooMany } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { NOT_NEGATIVE } from '../../../../api/validation/numbers.ts';
import { goQuote } from '../../../../api/go-text.ts';
import { goValue } from '../go-value.ts';

type Errors = readonly FieldError[];

const MAX_RULES = 20;
const MAX_INDEXES_BYTES = 64 * 1024;

export function successPolicyErrors(spec: JobSpec, path: FieldPath): Errors {
  const { successPolicy, completionMode, completions = 0 } = spec;
  if (completionMode !== 'Indexed') {
    const shown = goValue('batch/v1.SuccessPolicy', successPolicy);
    return [invalid(path, shown, 'requires indexed completion mode')];
  }
  const rules = successPolicy?.rules ?? [];
  const own = path.child('rules');
  if (rules.length === 0)
    return [required(own, 'at least one rules must be specified when the successPolicy is specified')];
  if (rules.length > MAX_RULES) return [tooMany(own, rules.length, MAX_RULES)];
  return rules.flatMap((rule, at) => ruleErrors(rule, completions, own.index(at)));
}

function ruleErrors(
  { succeededCount, succeededIndexes }: SuccessPolicyRule,
  completions: number,
  path: FieldPath,
): Errors {
  if (succeededCount === undefined && succeededIndexes === undefined)
    return [required(path, 'at least one of succeededCount or succeededIndexes must be specified')];
  const errors: FieldError[] = [];
  let total: number | undefined;
  if (succeededIndexes !== undefined) {
    const own = path.child('succeededIndexes');
    if (succeededIndexes.length > MAX_INDEXES_BYTES) errors.push(tooLong(own, MAX_INDEXES_BYTES));
    const counted = countIndexes(succeededIndexes, completions);
    // What cannot be read names no index.
    total = typeof counted === 'string' ? 0 : counted;
    if (typeof counted === 'string')
      errors.push(invalid(own, succeededIndexes, `error parsing succeededIndexes: ${counted}`));
  }
  if (succeededCount === undefined) return errors;
  const own = path.child('succeededCount');
  if (succeededCount < 0) errors.push(invalid(own, succeededCount, NOT_NEGATIVE));
  if (succeededCount > completions)
    errors.push(invalid(own, succeededCount, atMost(completions, 'the number of specified completions')));
  if (total !== undefined && succeededCount > total) {
    const what = 'the number of indexes in the specified succeededIndexes field';
    errors.push(invalid(own, succeededCount, atMost(total, what)));
  }
  return errors;
}

const atMost = (count: number, what: string): string => `must be less than or equal to ${count} (${what})`;

/** How many indexes a text such as `0-3,7` names; else what is wrong with it. */
function countIndexes(text: string, completions: number): number | string {
  if (text === '') return 0;
  let total = 0;
  let previous: number | undefined;
  for (const interval of text.split(',')) {
    const bounds = interval.split('-');
    if (bounds.length > 2) {
      return `the fragment ${goQuote(interval)} violates the requirement that an index interval can have at most two parts separated by '-'`;
    }
    const numbers: number[] = [];
    for (const bound of bounds) {
      if (!/^[+-]?[0-9]+$/.test(bound))
        return `cannot convert string to integer for index: ${goQuote(bound)}`;
      const index = Number(bound);
      if (index >= completions) return `too large index: ${goQuote(bound)}`;
      if (previous !== undefined && previous >= index)
        return `non-increasing order, previous: ${previous}, current: ${index}`;
      previous = index;
      numbers.push(index);
    }
    const [first = 0, last = first] = numbers;
    total += last - first + 1;
  }
  return total;
}
