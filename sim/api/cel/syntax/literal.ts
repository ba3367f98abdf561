/** What the text of a literal stands for. */
import { type CelValue, Double, normalInt, Uint } from '../values/value.ts';

const LARGEST_INT = 2n ** 63n - 1n;
const SMALLEST_INT = -(2n ** 63n);
const LARGEST_UINT = 2n ** 64n - 1n;

/** Undefined: out of range. */
export function intLiteral(text: string, isNegative: boolean): CelValue | undefined {
  const magnitude = BigInt(text);
  const value = isNegative ? -magnitude : magnitude;
  return value > LARGEST_INT || value < SMALLEST_INT ? undefined : normalInt(value);
}

export function uintLiteral(text: string): CelValue | undefined {
  const value = BigInt(text.slice(0, -1));
  return value > LARGEST_UINT ? undefined : new Uint(value);
}

export function doubleLiteral(text: string, isNegative: boolean): CelValue | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? new Double(isNegative ? -value : value) : undefined;
}

const SIMPLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Text between the quotes, escapes resolved; the error's words if one cannot be. */
export function stringLiteral(text: string): { readonly value: string } | { readonly problem: string } {
  const { body, isRaw } = bodyOf(text);
  if (isRaw || !body.includes('\\')) return { value: body };
  let value = '';
  for (let at = 0; at < body.length;) {
    if (body[at] !== '\\') {
      value += body[at] ?? '';
      at++;
      continue;
    }
    const { code, length } = escapeAt(body, at);
    if (code > 0x10ffff) return { problem: 'unable to unescape string' };
    // A lone half of a pair is no character.
    value += code >= 0xd800 && code < 0xe000 ? '\ufffd' : String.fromCodePoint(code);
    at += length;
  }
  return { value };
}

/** In bytes, hexadecimal and octal escapes are bytes; the rest is UTF-8. */
export function bytesLiteral(text: string): { readonly value: Uint8Array } | { readonly problem: string } {
  const { body, isRaw } = bodyOf(text.slice(1));
  const encoder = new TextEncoder();
  if (isRaw || !body.includes('\\')) return { value: encoder.encode(body) };
  const bytes: number[] = [];
  for (let at = 0; at < body.length;) {
    const next = body.indexOf('\\', at);
    const plain = body.slice(at, next < 0 ? body.length : next);
    for (const byte of encoder.encode(plain)) bytes.push(byte);
    at += plain.length;
    if (next < 0) break;
    if (/^[uU]/.test(body.slice(at + 1))) return { problem: 'unable to unescape string' };
    const { code, length } = escapeAt(body, at);
    bytes.push(code & 0xff);
    at += length;
  }
  return { value: new Uint8Array(bytes) };
}

function bodyOf(text: string): { readonly body: string; readonly isRaw: boolean } {
  const isRaw = /^[rR]/.test(text);
  const quoted = (isRaw ? text.slice(1) : text).replace(/\r\n?/g, '\n');
  const width = quoted.length >= 6 && (quoted.startsWith("'''") || quoted.startsWith('"""')) ? 3 : 1;
  return { body: quoted.slice(width, quoted.length - width), isRaw };
}

/** The lexer has let only whole escapes through. */
function escapeAt(body: string, at: number): { readonly code: number; readonly length: number } {
  const letter = body[at + 1] ?? '';
  const simple = SIMPLE[letter];
  if (simple !== undefined) return { code: simple.charCodeAt(0), length: 2 };
  const digits = { x: 2, X: 2, u: 4, U: 8 }[letter];
  if (digits !== undefined)
    return { code: Number.parseInt(body.slice(at + 2, at + 2 + digits), 16), length: digits + 2 };
  if (letter >= '0' && letter <= '3')
    return { code: Number.parseInt(body.slice(at + 1, at + 4), 8), length: 4 };
  return { code: letter.codePointAt(0) ?? 0, length: 2 };
}
