/** IP addresses and ranges in objects: what they are, and what the server says of wrong ones. */
import type { FieldError } from '../status.ts';
import { invalid } from './field-error.ts';
import type { FieldPath } from './field-path.ts';

export type IpFamily = 'IPv4' | 'IPv6';

export interface IpAddress {
  readonly family: IpFamily;
  readonly bits: bigint;
}

export interface IpRange {
  readonly family: IpFamily;
  readonly base: bigint;
  readonly prefixLength: number;
}

export const NOT_AN_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const NOT_A_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** Undefined: no address. Leading zeros of IPv4 are let through, as the server does. */
export function parseIp(text: string): IpAddress | undefined {
  const isV6 = text.includes(':');
  const bits = isV6 ? parseV6(text) : parseV4(text);
  if (bits === undefined) return undefined;
  const embedded = isV6 && bits >> 32n === 0xffffn;
  if (embedded) return { family: 'IPv4', bits: bits & 0xffffffffn };
  return { family: isV6 ? 'IPv6' : 'IPv4', bits };
}

function parseV4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  let bits = 0n;
  for (const part of parts) {
    if (!/^[0-9]+$/.test(part) || Number(part) > 255) return undefined;
    bits = (bits << 8n) | BigInt(part);
  }
  return bits;
}

function parseV6(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = groupsOf(halves[0] ?? '', halves.length === 1);
  const tail = halves.length === 2 ? groupsOf(halves[1] ?? '', true) : [];
  if (!head || !tail) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => 0n), ...tail];
  return groups.reduce((bits, group) => (bits << 16n) | group, 0n);
}

/** Groups of 16 bits; the last two may be written as IPv4. */
function groupsOf(text: string, isEnd: boolean): bigint[] | undefined {
  if (text === '') return [];
  const groups: bigint[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (part.includes('.')) {
      const last = isEnd && index === parts.length - 1 ? parseV4(part) : undefined;
      if (last === undefined) return undefined;
      groups.push(last >> 16n, last & 0xffffn);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
}

const bitsOf = (family: IpFamily): number => (family === 'IPv4' ? 32 : 128);

/** Undefined: no range. */
export function parseCidr(text: string): IpRange | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const address = parseIp(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (!address || !/^[0-9]{1,3}$/.test(length)) return undefined;
  // IPv4 in the clothes of IPv6 has a mask of IPv6.
  const clothes = text.slice(0, slash).includes(':') ? 96 : 0;
  const prefixLength = address.family === 'IPv4' ? Math.max(0, Number(length) - clothes) : Number(length);
  const total = bitsOf(address.family);
  if (prefixLength > total) return undefined;
  const shift = BigInt(total - prefixLength);
  return { family: address.family, base: (address.bits >> shift) << shift, prefixLength };
}

export const isInRange = ({ family, bits }: IpAddress, range: IpRange): boolean => {
  const shift = BigInt(bitsOf(range.family) - range.prefixLength);
  return family === range.family && bits >> shift === range.base >> shift;
};

/** Is `inner` a part of `outer` that is smaller than it? */
export const isStrictlyWithin = (inner: IpRange, outer: IpRange): boolean =>
  inner.prefixLength > outer.prefixLength && isInRange({ family: inner.family, bits: inner.base }, outer);

export const formatIpv4 = (bits: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 0xffn)).join('.');

export const validateIp = (text: string, path: FieldPath): readonly FieldError[] =>
  parseIp(text) ? [] : [invalid(path, text, NOT_AN_IP)];

export const validateCidr = (text: string, path: FieldPath): readonly FieldError[] =>
  parseCidr(text) ? [] : [invalid(path, text, NOT_A_CIDR)];

const rangesOf = (...texts: readonly string[]): readonly IpRange[] =>
  texts.flatMap((text) => parseCidr(text) ?? []);

const LOOPBACK = rangesOf('127.0.0.0/8', '::1/128');
const LINK_LOCAL = rangesOf('169.254.0.0/16', 'fe80::/10');
const LINK_LOCAL_MULTICAST = rangesOf('224.0.0.0/24', 'ff02::/16');

const isInAny = (address: IpAddress, ranges: readonly IpRange[]): boolean =>
  ranges.some((range) => isInRange(address, range));

/** Addresses that cannot be a destination of cluster traffic. */
export function validateNonSpecialIp(text: string, path: FieldPath): readonly FieldError[] {
  const address = parseIp(text);
  if (!address) return [invalid(path, text, 'must be a valid IP address')];
  if (address.bits === 0n) return [invalid(path, text, `may not be unspecified (${text})`)];
  if (isInAny(address, LOOPBACK)) {
    return [invalid(path, text, 'may not be in the loopback range (127.0.0.0/8, ::1/128)')];
  }
  if (isInAny(address, LINK_LOCAL)) {
    return [invalid(path, text, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)')];
  }
  if (isInAny(address, LINK_LOCAL_MULTICAST)) {
    return [invalid(path, text, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)')];
  }
  return [];
}
