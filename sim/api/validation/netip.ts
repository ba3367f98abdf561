/**
 * Addresses and prefixes as Go's package `net/netip` reads them: strictly, and with its words for what is wrong. Older parts
 * of the API read more loosely (`ip-address.ts`).
 */
import { goQuote } from '../go-text.ts';

export interface NetAddress {
  /** Four bytes, or sixteen. */
  readonly bytes: readonly number[];
  readonly zone: string;
}

export interface NetPrefix {
  readonly address: NetAddress;
  readonly bits: number;
}

/** What is wrong, in Go's words. */
export class NetProblem extends Error {}

const problem = (text: string, what: string, at = ''): NetProblem =>
  new NetProblem(`ParseAddr(${goQuote(text)}): ${what}${at === '' ? '' : ` (at ${goQuote(at)})`}`);

export function parseAddress(text: string): NetAddress | NetProblem {
  const kind = /[.:%]/.exec(text)?.[0];
  if (kind === undefined) return problem(text, 'unable to parse IP');
  if (kind === '%') return problem(text, 'missing IPv6 address');
  if (kind === ':') return parseV6(text);
  const bytes = parseV4(text, text);
  return bytes instanceof NetProblem ? bytes : { bytes, zone: '' };
}

export function parsePrefix(text: string): NetPrefix | NetProblem {
  const wrong = (what: string): NetProblem => new NetProblem(`netip.ParsePrefix(${goQuote(text)}): ${what}`);
  const slash = text.lastIndexOf('/');
  if (slash < 0) return wrong("no '/'");
  const address = parseAddress(text.slice(0, slash));
  if (address instanceof NetProblem) return wrong(address.message);
  if (address.zone !== '') return wrong('IPv6 zones cannot be present in a prefix');
  const bits = text.slice(slash + 1);
  if (!/^(?:\d|[1-9]\d*)$/.test(bits)) return wrong(`bad bits after slash: ${goQuote(bits)}`);
  if (Number(bits) > address.bytes.length * 8) return wrong('prefix length out of range');
  return { address, bits: Number(bits) };
}

/** `text` is the end of `whole`, or all of it. */
function parseV4(whole: string, text: string): readonly number[] | NetProblem {
  const bytes: number[] = [];
  let [value, digits] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter >= '0' && letter <= '9') {
      if (digits === 1 && value === 0) return problem(whole, 'IPv4 field has octet with leading zero');
      value = value * 10 + Number(letter);
      digits += 1;
      if (value > 255) return problem(whole, 'IPv4 field has value >255');
    } else if (letter === '.') {
      if (at === 0 || at === text.length - 1 || text.charAt(at - 1) === '.')
        return problem(whole, 'IPv4 field must have at least one digit', text.slice(at));
      if (bytes.length === 3) return problem(whole, 'IPv4 address too long');
      bytes.push(value);
      [value, digits] = [0, 0];
    } else return problem(whole, 'unexpected character', text.slice(at));
  }
  return bytes.length < 3 ? problem(whole, 'IPv4 address too short') : [...bytes, value];
}

const BYTES_OF_V6 = 16;
const HEX = /^[0-9a-fA-F]*/;

function parseV6(text: string): NetAddress | NetProblem {
  const percent = text.indexOf('%');
  const zone = percent < 0 ? '' : text.slice(percent + 1);
  if (percent >= 0 && zone === '') return problem(text, 'zone must be a non-empty string');
  const bytes = bytesOfV6(text, percent < 0 ? text : text.slice(0, percent));
  return bytes instanceof NetProblem ? bytes : { bytes, zone };
}

function bytesOfV6(text: string, address: string): readonly number[] | NetProblem {
  const bytes: number[] = [];
  let gap = address.startsWith('::') ? 0 : -1;
  let rest = gap === 0 ? address.slice(2) : address;
  while (bytes.length < BYTES_OF_V6 && !(gap === bytes.length && rest === '')) {
    const field = readField(text, rest, { gap, count: bytes.length });
    if (field instanceof NetProblem) return field;
    bytes.push(...field.bytes);
    rest = field.rest;
    if (rest === '') break;
    if (!rest.startsWith(':')) return problem(text, 'unexpected character, want colon', rest);
    if (rest === ':') return problem(text, 'colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (!rest.startsWith(':')) continue;
    if (gap >= 0) return problem(text, 'multiple :: in address', rest);
    gap = bytes.length;
    rest = rest.slice(1);
  }
  if (rest !== '') return problem(text, 'trailing garbage after address', rest);
  const missing = BYTES_OF_V6 - bytes.length;
  if (gap < 0) return missing > 0 ? problem(text, 'address string too short') : bytes;
  if (missing === 0) return problem(text, 'the :: must expand to at least one field of zeros');
  return [...bytes.slice(0, gap), ...Array.from({ length: missing }, () => 0), ...bytes.slice(gap)];
}

/** Of four letters at most; or, at the end, an address of the old kind. */
function readField(
  text: string,
  rest: string,
  { gap, count }: { readonly gap: number; readonly count: number },
): { readonly bytes: readonly number[]; readonly rest: string } | NetProblem {
  const [hex = ''] = HEX.exec(rest) ?? [];
  if (hex.length > 4) return problem(text, 'each group must have 4 or less digits', rest);
  if (hex === '') return problem(text, 'each colon-separated field must have at least one digit', rest);
  if (rest.charAt(hex.length) !== '.') {
    const value = Number.parseInt(hex, 16);
    return { bytes: [value >> 8, value & 0xff], rest: rest.slice(hex.length) };
  }
  if (gap < 0 && count !== 12)
    return problem(text, 'embedded IPv4 address must replace the final 2 fields of the address', rest);
  if (count + 4 > BYTES_OF_V6)
    return problem(text, 'too many hex fields to fit an embedded IPv4 at the end of the address', rest);
  const bytes = parseV4(text, rest);
  return bytes instanceof NetProblem ? bytes : { bytes, rest: '' };
}

/** The one way of writing it (RFC 5952). */
export function addressText({ bytes, zone }: NetAddress): string {
  const suffix = zone === '' ? '' : `%${zone}`;
  if (bytes.length === 4) return bytes.join('.');
  const fields = Array.from({ length: 8 }, (_, at) => ((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0));
  if (fields.slice(0, 6).join() === '0,0,0,0,0,65535') return `::ffff:${bytes.slice(12).join('.')}${suffix}`;
  const { start, length } = longestGap(fields);
  const written = (part: readonly number[]): string => part.map((field) => field.toString(16)).join(':');
  if (length < 2) return written(fields) + suffix;
  return `${written(fields.slice(0, start))}::${written(fields.slice(start + length))}${suffix}`;
}

export const prefixText = ({ address, bits }: NetPrefix): string => `${addressText(address)}/${bits}`;

/** The first of the longest runs of zeros. */
function longestGap(fields: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < fields.length; start += 1) {
    const end = fields.findIndex((field, at) => at >= start && field !== 0);
    const length = (end < 0 ? fields.length : end) - start;
    if (length > best.length) best = { start, length };
  }
  return best;
}

/** Only what the prefix covers is set. */
export const isMasked = ({ address, bits }: NetPrefix): boolean =>
  address.bytes.every((byte, at) => {
    const covered = Math.min(8, Math.max(0, bits - 8 * at));
    return (byte & (0xff >> covered)) === 0;
  });
