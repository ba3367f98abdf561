/**
 * The values that a schema lists. Lists may be long, and so may be lists of values that are looked for in them: what is
 * known of one is kept as long as its schema lives.
 */
import { encodeJson } from '../../api/codec/encode.ts';
import { goQuote } from '../../api/go-text.ts';
import type { Json } from '../../api/object.ts';
import { isEqualJson } from '../verbs/equal-json.ts';

interface Known {
  /** Texts, numbers and truths. */
  readonly plain: ReadonlySet<unknown>;
  /** All others. */
  readonly composed: readonly Json[];
  text?: string;
}

const known = new WeakMap<readonly Json[], Known>();

function knownOf(allowed: readonly Json[]): Known {
  const before = known.get(allowed);
  if (before) return before;
  const composed = allowed.filter((value) => typeof value === 'object');
  const made = { plain: new Set(allowed.filter((value) => typeof value !== 'object')), composed };
  known.set(allowed, made);
  return made;
}

/** Go converts the value to the type of each that is allowed: numbers lose their fraction, or become characters. */
export function isAmong(allowed: readonly Json[], value: unknown): boolean {
  // Nothing is none of them, even if it is listed.
  if (value === null) return false;
  const { plain, composed } = knownOf(allowed);
  if (plain.has(value)) return true;
  if (typeof value !== 'number') return composed.some((each) => isEqualJson(each, value));
  return plain.has(Math.trunc(value)) || (Number.isInteger(value) && plain.has(characterOf(value)));
}

const MAX_CHARACTER = 0x10ffff;

const characterOf = (code: number): string =>
  code >= 0 && code <= MAX_CHARACTER ? String.fromCodePoint(code) : '\ufffd';

/** As refusals list them. */
export function textOfValues(allowed: readonly Json[]): string {
  const of = knownOf(allowed);
  return (of.text ??= allowed
    .map((item) => goQuote(typeof item === 'string' ? item : encodeJson(item)))
    .join(', '));
}
