/** Addresses and prefixes as Go's `netip` reads and prints them, with its words for what it cannot read. */
import { goQuote } from '../../go-text.ts';

export interface Address {
  readonly isV4: boolean;
  readonly bits: bigint;
  readonly zone: string;
}

export interface Prefix {
  readonly address: Address;
  readonly length: number;
}

/** Go's words. */
export class AddressProblem extends Error {}

class Reader {
  readonly #input: string;

  constructor(input: string) {
    this.#input = input;
  }

  fail(message: string, at = ''): never {
    const place = at === '' ? '' : ` (at ${goQuote(at)})`;
    throw new AddressProblem(`ParseAddr(${goQuote(this.#input)}): ${message}${place}`);
  }

  read(): Address {
    const first = /[.:%]/.exec(this.#input)?.[0];
    if (first === '.') return { isV4: true, bits: this.#v4(this.#input), zone: '' };
    if (first === ':') return this.#v6();
    return this.fail(first === '%' ? 'missing IPv6 address' : 'unable to parse IP');
  }

  #v4(text: string): bigint {
    const fields: number[] = [];
    let value = 0;
    let digits = 0;
    for (let at = 0; at < text.length; at++) {
      const character = text[at] ?? '';
      if (/[0-9]/.test(character)) {
        if (digits === 1 && value === 0) this.fail('IPv4 field has octet with leading zero');
        value = value * 10 + Number(character);
        digits++;
        if (value > 255) this.fail('IPv4 field has value >255');
      } else if (character === '.') {
        if (at === 0 || at === text.length - 1 || text[at - 1] === '.')
          this.fail('IPv4 field must have at least one digit', text.slice(at));
        if (fields.length === 3) this.fail('IPv4 address too long');
        fields.push(value);
        [value, digits] = [0, 0];
      } else this.fail('unexpected character', text.slice(at));
    }
    if (fields.length < 3) this.fail('IPv4 address too short');
    return [...fields, value].reduce((bits, field) => (bits << 8n) | BigInt(field), 0n);
  }

  #v6(): Address {
    const [text = '', ...zones] = this.#input.split('%');
    const zone = zones.join('%');
    if (this.#input.includes('%') && zone === '') this.fail('zone must be a non-empty string');
    return { isV4: false, bits: this.#groups(text), zone };
  }

  #groups(text: string): bigint {
    const groups: number[] = [];
    let ellipsis = -1;
    let rest = text;
    if (rest.startsWith('::')) {
      ellipsis = 0;
      rest = rest.slice(2);
      if (rest === '') return 0n;
    }
    while (groups.length < 8) {
      const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? '';
      if (digits.length > 4) this.fail('each group must have 4 or less digits', rest);
      if (digits === '') this.fail('each colon-separated field must have at least one digit', rest);
      if (rest[digits.length] === '.') {
        if (ellipsis < 0 && groups.length !== 6)
          this.fail('embedded IPv4 address must replace the final 2 fields of the address', rest);
        if (groups.length > 6)
          this.fail('too many hex fields to fit an embedded IPv4 at the end of the address', rest);
        const bits = Number(this.#v4(rest));
        groups.push(Math.trunc(bits / 65_536), bits % 65_536);
        rest = '';
        break;
      }
      groups.push(Number.parseInt(digits, 16));
      rest = rest.slice(digits.length);
      if (rest === '') break;
      if (!rest.startsWith(':')) this.fail('unexpected character, want colon', rest);
      if (rest.length === 1) this.fail('colon must be followed by more characters', rest);
      rest = rest.slice(1);
      if (rest.startsWith(':')) {
        if (ellipsis >= 0) this.fail('multiple :: in address', rest);
        ellipsis = groups.length;
        rest = rest.slice(1);
        if (rest === '') break;
      }
    }
    if (rest !== '') this.fail('trailing garbage after address', rest);
    return this.#filled(groups, ellipsis);
  }

  #filled(groups: readonly number[], ellipsis: number): bigint {
    if (groups.length < 8 && ellipsis < 0) this.fail('address string too short');
    if (groups.length === 8 && ellipsis >= 0) this.fail('the :: must expand to at least one field of zeros');
    const zeros = Array.from({ length: 8 - groups.length }, () => 0);
    const all = ellipsis < 0 ? groups : [...groups.slice(0, ellipsis), ...zeros, ...groups.slice(ellipsis)];
    return all.reduce((bits, group) => (bits << 16n) | BigInt(group), 0n);
  }
}

/** @throws AddressProblem */
export const parseAddress = (text: string): Address => new Reader(text).read();

/** @throws AddressProblem */
export function parsePrefix(text: string): Prefix {
  const fail = (message: string): never => {
    throw new AddressProblem(`netip.ParsePrefix(${goQuote(text)}): ${message}`);
  };
  const slash = text.lastIndexOf('/');
  if (slash < 0) return fail("no '/'");
  const address = addressOr(text.slice(0, slash), fail);
  if (address.zone !== '') return fail('IPv6 zones cannot be present in a prefix');
  const length = text.slice(slash + 1);
  if (!/^(?:[0-9]|[1-9][0-9]{1,17})$/.test(length)) return fail(`bad bits after slash: ${goQuote(length)}`);
  if (Number(length) > widthOf(address)) return fail('prefix length out of range');
  return { address, length: Number(length) };
}

function addressOr(text: string, fail: (message: string) => never): Address {
  try {
    return parseAddress(text);
  } catch (error) {
    if (error instanceof AddressProblem) return fail(error.message);
    throw error;
  }
}

export const widthOf = ({ isV4 }: Address): number => (isV4 ? 32 : 128);

/** IPv4 in the clothes of IPv6. */
export const isMapped = ({ isV4, bits }: Address): boolean => !isV4 && bits >> 32n === 0xffffn;

const dotted = (bits: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join('.');

export function addressText(address: Address): string {
  const { isV4, bits, zone } = address;
  if (isV4) return dotted(bits);
  if (isMapped(address)) return `::ffff:${dotted(bits)}${zone === '' ? '' : `%${zone}`}`;
  const groups = Array.from({ length: 8 }, (_, index) => (bits >> BigInt(112 - 16 * index)) & 0xffffn);
  const { start, length } = longestZeros(groups);
  const text = (part: readonly bigint[]): string => part.map((group) => group.toString(16)).join(':');
  const plain =
    length < 2 ? text(groups) : `${text(groups.slice(0, start))}::${text(groups.slice(start + length))}`;
  return zone === '' ? plain : `${plain}%${zone}`;
}

function longestZeros(groups: readonly bigint[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (end < groups.length && groups[end] === 0n) end++;
    if (end - start > best.length) best = { start, length: end - start };
  }
  return best;
}

/** The address with all bits after the prefix cleared. */
export function masked({ address, length }: Prefix): Prefix {
  const shift = BigInt(widthOf(address) - length);
  return { address: { ...address, bits: (address.bits >> shift) << shift }, length };
}

export const prefixText = ({ address, length }: Prefix): string => `${addressText(address)}/${length}`;

export const isSameAddress = (a: Address, b: Address): boolean => a.isV4 === b.isV4 && a.bits === b.bits;

export const contains = (prefix: Prefix, address: Address): boolean =>
  prefix.address.isV4 === address.isV4 &&
  isSameAddress(masked(prefix).address, masked({ address, length: prefix.length }).address);
