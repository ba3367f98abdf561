/** Versions of resources in a status: numbers that Go can keep, in its words for what is none. */
import { goQuote } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import { invalid } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';

const MOST = 2n ** 63n;

/** None at all is none that is wrong. */
export function resourceVersionErrors(text: string, path: FieldPath): readonly FieldError[] {
  if (text === '') return [];
  const problem = numberProblem(text);
  if (problem === undefined)
    return BigInt(text.replace(/^\+/, '')) < 0n
      ? [invalid(path, Number(text), 'must be greater than or equal to 0')]
      : [];
  const quoted = goQuote(text);
  return [
    invalid(
      path,
      text,
      `failed to parse resource version ${quoted}: strconv.ParseInt: parsing ${quoted}: ${problem}`,
    ),
  ];
}

function numberProblem(text: string): string | undefined {
  if (!/^[+-]?\d+$/.test(text)) return 'invalid syntax';
  const value = BigInt(text.replace(/^\+/, ''));
  return value >= MOST || value < -MOST ? 'value out of range' : undefined;
}
