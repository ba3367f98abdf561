/**
 * The text from which an opaque value (`runtime.RawExtension`) was read, kept beside the value where
 * the two differ (blanks, order, `1.0` for `1`): the server compares such values as bytes.
 */
import { compactJson } from './encode.ts';

const texts = new WeakMap<object, string>();

/** Keeps the text of a value that was just read. */
export const rememberRawText = (value: unknown, text: string): void => {
  if (typeof value === 'object' && value !== null && compactJson(value) !== text) texts.set(value, text);
};

/** The bytes that Go would hold for an opaque value, as text. */
export const rawTextOf = (value: unknown): string =>
  (typeof value === 'object' && value !== null && texts.get(value)) || compactJson(value);
