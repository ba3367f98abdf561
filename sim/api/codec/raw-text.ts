/**
 * The text from which an opaque value (`runtime.RawExtension`) was read, kept beside the value where it is not the one
 * that Go makes of a value (blanks, order, `1.0` for `1`, `<`): the server compares such values as bytes.
 */
import { compareStrings } from '../go-text.ts';
import { compactJson, encodeJson } from './encode.ts';

const texts = new WeakMap<object, string>();

/** Keeps the text of a value that was just read. */
export const rememberRawText = (value: unknown, text: string): void => {
  if (typeof value !== 'object' || value === null) return;
  if (compactJson(value) !== text || madeRawText(value) !== text) texts.set(value, text);
};

/** The text as it is passed on. */
export const rawTextOf = (value: unknown): string => readTextOf(value) ?? compactJson(value);

/** The bytes that Go holds for an opaque value, as text. */
export const heldTextOf = (value: unknown): string => readTextOf(value) ?? madeRawText(value);

const readTextOf = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null ? texts.get(value) : undefined;

/** The text of a value that came without one: compact, names in order, and nothing in it that HTML knows. */
export const madeRawText = (value: unknown): string => encodeJson(sorted(value));

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const members = Object.entries(value).sort(([a], [b]) => compareStrings(a, b));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}
