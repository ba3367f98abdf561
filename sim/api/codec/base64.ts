/** Base64 as Go's standard encoding reads it: line breaks are skipped, padding is needed. */
import { DecodeError } from './decode-error.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const CANONICAL = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;

const VALUES = new Int8Array(128).fill(-1);
for (let index = 0; index < 64; index++) VALUES[ALPHABET.charCodeAt(index)] = index;

const refuse = (at: number): never => {
  throw new DecodeError(`illegal base64 data at input byte ${at}`);
};

const isLineBreak = (char: string | undefined): boolean => char === '\n' || char === '\r';

/** Index of the next character that is no line break. */
const skipLineBreaks = (text: string, from: number): number => {
  let at = from;
  while (isLineBreak(text[at])) at++;
  return at;
};

/** What follows the first `=` after `count` characters of a group of four. */
const checkPadding = (text: string, paddingAt: number, count: number): void => {
  if (count < 2) refuse(paddingAt);
  let at = skipLineBreaks(text, paddingAt + 1);
  if (count === 2) {
    if (at >= text.length) refuse(text.length);
    if (text[at] !== '=') refuse(at);
    at = skipLineBreaks(text, at + 1);
  }
  if (at < text.length) refuse(at);
};

/** @throws DecodeError with the position, as Go counts it */
export const decodeBase64 = (text: string): Uint8Array => {
  const bytes = new Uint8Array(Math.ceil((text.length * 3) / 4));
  let length = 0;
  let group = 0;
  let count = 0;
  const endGroup = (): void => {
    const missing = 4 - count;
    const bits = group << (6 * missing);
    for (let index = 0; index < 3 - missing; index++) bytes[length++] = (bits >> (16 - 8 * index)) & 0xff;
    group = 0;
    count = 0;
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (isLineBreak(char)) continue;
    if (char === '=') {
      checkPadding(text, at, count);
      endGroup();
      return bytes.subarray(0, length);
    }
    const value = VALUES[text.charCodeAt(at)] ?? -1;
    if (value < 0) refuse(new TextEncoder().encode(text.slice(0, at)).length);
    group = (group << 6) | value;
    if (++count === 4) endGroup();
  }
  // Go names the beginning of the group that is not complete.
  if (count > 0) refuse(incompleteGroupAt(text, count));
  return bytes.subarray(0, length);
};

const incompleteGroupAt = (text: string, count: number): number => {
  let at = text.length;
  for (let left = count; left > 0;) if (!isLineBreak(text[--at])) left--;
  return at;
};

export const encodeBase64 = (bytes: Uint8Array): string => {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second, third] = bytes.subarray(at, at + 3);
    const bits = (first << 16) | ((second ?? 0) << 8) | (third ?? 0);
    text += `${ALPHABET[bits >> 18]}${ALPHABET[(bits >> 12) & 63]}`;
    text += second === undefined ? '==' : ALPHABET[(bits >> 6) & 63];
    if (second !== undefined) text += third === undefined ? '=' : ALPHABET[bits & 63];
  }
  return text;
};

/** The text that the server writes for these bytes; the same text if it is that already. @throws DecodeError */
export const canonicalBase64 = (text: string): string =>
  CANONICAL.test(text) ? text : encodeBase64(decodeBase64(text));
