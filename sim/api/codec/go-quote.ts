/** Texts in quotes as Go's `%q` prints them. */

const SHORT: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);

const NEEDS_ESCAPE = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

const escaped = (char: string): string => {
  const short = SHORT.get(char);
  if (short) return short;
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000
    ? `\\u${code.toString(16).padStart(4, '0')}`
    : `\\U${code.toString(16).padStart(8, '0')}`;
};

/** `a"b` → `"a\"b"`. */
export const goQuote = (text: string): string => `"${text.replaceAll(NEEDS_ESCAPE, escaped)}"`;

/** One byte in single quotes, as Go's JSON scanner names what it did not expect. */
export const goQuoteByte = (byte: number): string => {
  if (byte === 0x27) return "'\\''";
  if (byte === 0x22) return `'"'`;
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`;
};
