/** IP addresses and ranges: `ip("10.0.0.1").family()`, `cidr("10.0.0.0/8").containsIP(…)`. */
import { goQuote } from '../../go-text.ts';
import { type Library, method, overload } from '../types/declarations.ts';
import { BOOL, INT, opaque, STRING, typeOfType } from '../types/type.ts';
import {
  CelError,
  type CelValue,
  NO_OVERLOAD,
  noOverload,
  type OpaqueValue,
  type Result,
} from '../values/value.ts';
import {
  type Address,
  AddressProblem,
  addressText,
  contains,
  isMapped,
  isSameAddress,
  masked,
  parseAddress,
  parsePrefix,
  type Prefix,
  prefixText,
  widthOf,
} from './ip-text.ts';

const IP = opaque('net.IP');
const CIDR = opaque('net.CIDR');

class IpValue implements OpaqueValue {
  readonly kind = 'opaque';
  readonly type = IP;
  readonly address: Address;
  constructor(address: Address) {
    this.address = address;
  }
  get size(): number {
    return widthOf(this.address) / 8;
  }
  get text(): string {
    return addressText(this.address);
  }
  equals(other: Result): Result {
    return other instanceof IpValue ? isSameAddress(this.address, other.address) : noOverload(other);
  }
}

class CidrValue implements OpaqueValue {
  readonly kind = 'opaque';
  readonly type = CIDR;
  readonly prefix: Prefix;
  constructor(prefix: Prefix) {
    this.prefix = prefix;
  }
  get size(): number {
    return Math.ceil(this.prefix.length / 8);
  }
  get text(): string {
    return prefixText(this.prefix);
  }
  equals(other: Result): Result {
    if (!(other instanceof CidrValue)) return noOverload(other);
    return (
      this.prefix.length === other.prefix.length && isSameAddress(this.prefix.address, other.prefix.address)
    );
  }
}

function ipOf(text: CelValue = null): IpValue | CelError {
  if (typeof text !== 'string') return NO_OVERLOAD;
  try {
    const address = parseAddress(text);
    if (address.zone !== '')
      return new CelError(`IP address ${goQuote(text)} with zone value is not allowed`);
    return isMapped(address) ? mappedError(text) : new IpValue(address);
  } catch (error) {
    if (!(error instanceof AddressProblem)) throw error;
    return new CelError(
      `IP Address ${goQuote(text)} parse error during conversion from string: ${error.message}`,
    );
  }
}

const mappedError = (text: string): CelError =>
  new CelError(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);

const NETWORK_ERROR = 'network address parse error during conversion from string: ';

function cidrOf(text: CelValue = null): CidrValue | CelError {
  if (typeof text !== 'string') return NO_OVERLOAD;
  try {
    const prefix = parsePrefix(text);
    if (!isMapped(prefix.address)) return new CidrValue(prefix);
    return new CelError(NETWORK_ERROR + mappedError(text).message);
  } catch (error) {
    if (!(error instanceof AddressProblem)) throw error;
    // The real server says it twice.
    return new CelError(NETWORK_ERROR + NETWORK_ERROR + error.message);
  }
}

const ofIp =
  (call: (address: Address) => Result) =>
  (value: CelValue = null): Result =>
    value instanceof IpValue ? call(value.address) : NO_OVERLOAD;

const ofCidr =
  (call: (prefix: Prefix) => Result) =>
  (value: CelValue = null): Result =>
    value instanceof CidrValue ? call(value.prefix) : NO_OVERLOAD;

const isText =
  (parse: (text: CelValue) => CelValue | CelError) =>
  (text: CelValue = null): Result =>
    typeof text === 'string' ? !(parse(text) instanceof CelError) : NO_OVERLOAD;

const top = ({ isV4, bits }: Address, count: number): bigint => bits >> BigInt((isV4 ? 32 : 128) - count);

const isUnspecified = ({ bits }: Address): boolean => bits === 0n;
const isLoopback = (address: Address): boolean =>
  address.isV4 ? top(address, 8) === 127n : address.bits === 1n;
const isLinkLocalMulticast = (address: Address): boolean =>
  address.isV4
    ? top(address, 24) === 0xe00000n
    : top(address, 8) === 0xffn && (top(address, 16) & 0xfn) === 2n;
const isLinkLocalUnicast = (address: Address): boolean =>
  address.isV4 ? top(address, 16) === 0xa9fen : top(address, 10) === 0x3fan;
const isMulticast = (address: Address): boolean =>
  address.isV4 ? top(address, 4) === 0xen : top(address, 8) === 0xffn;
const isGlobalUnicast = (address: Address): boolean =>
  !isUnspecified(address) &&
  !(address.isV4 && address.bits === 0xffffffffn) &&
  !isLoopback(address) &&
  !isMulticast(address) &&
  !isLinkLocalUnicast(address);

function containsIp(range: CelValue = null, other: CelValue = null): Result {
  if (!(range instanceof CidrValue)) return NO_OVERLOAD;
  const ip = typeof other === 'string' ? ipOf(other) : other;
  // What cannot be read is told by nobody.
  return ip instanceof IpValue ? contains(range.prefix, ip.address) : NO_OVERLOAD;
}

/** True only if the inner network begins where the outer one does: so the real server compares them. */
function containsCidr(range: CelValue = null, other: CelValue = null): Result {
  if (!(range instanceof CidrValue)) return NO_OVERLOAD;
  const inner = typeof other === 'string' ? cidrOf(other) : other;
  if (!(inner instanceof CidrValue)) return noOverload(inner);
  return (
    isSameAddress(masked(range.prefix).address, inner.prefix.address) &&
    range.prefix.length <= inner.prefix.length
  );
}

const question = (name: string, id: string, test: (address: Address) => boolean) => ({
  name,
  overloads: [method(id, [IP], BOOL, ofIp(test))],
});

export const ADDRESSES: Library = {
  functions: [
    { name: 'ip', overloads: [overload('string_to_ip', [STRING], IP, ipOf)] },
    {
      name: 'family',
      overloads: [
        method(
          'ip_family',
          [IP],
          INT,
          ofIp(({ isV4 }) => (isV4 ? 4 : 6)),
        ),
      ],
    },
    {
      name: 'ip.isCanonical',
      overloads: [
        overload('ip_is_canonical', [STRING], BOOL, (text = null) => {
          const ip = ipOf(text);
          return ip instanceof CelError ? ip : ip.text === text;
        }),
      ],
    },
    question('isUnspecified', 'ip_is_unspecified', isUnspecified),
    question('isLoopback', 'ip_is_loopback', isLoopback),
    question('isLinkLocalMulticast', 'ip_is_link_local_multicast', isLinkLocalMulticast),
    question('isLinkLocalUnicast', 'ip_is_link_local_unicast', isLinkLocalUnicast),
    question('isGlobalUnicast', 'ip_is_global_unicast', isGlobalUnicast),
    { name: 'isIP', overloads: [overload('is_ip', [STRING], BOOL, isText(ipOf))] },
    { name: 'string', overloads: [overload('ip_to_string', [IP], STRING, ofIp(addressText))] },
  ],
  variables: new Map([[IP.name, typeOfType(IP)]]),
};

export const RANGES: Library = {
  functions: [
    { name: 'cidr', overloads: [overload('string_to_cidr', [STRING], CIDR, cidrOf)] },
    {
      name: 'containsIP',
      overloads: [
        method('cidr_contains_ip_string', [CIDR, STRING], BOOL, containsIp),
        method('cidr_contains_ip_ip', [CIDR, IP], BOOL, containsIp),
      ],
    },
    {
      name: 'containsCIDR',
      overloads: [
        method('cidr_contains_cidr_string', [CIDR, STRING], BOOL, containsCidr),
        method('cidr_contains_cidr', [CIDR, CIDR], BOOL, containsCidr),
      ],
    },
    {
      name: 'ip',
      overloads: [
        method(
          'cidr_ip',
          [CIDR],
          IP,
          ofCidr(({ address }) => new IpValue(address)),
        ),
      ],
    },
    {
      name: 'prefixLength',
      overloads: [
        method(
          'cidr_prefix_length',
          [CIDR],
          INT,
          ofCidr(({ length }) => length),
        ),
      ],
    },
    {
      name: 'masked',
      overloads: [
        method(
          'cidr_masked',
          [CIDR],
          CIDR,
          ofCidr((prefix) => new CidrValue(masked(prefix))),
        ),
      ],
    },
    { name: 'isCIDR', overloads: [overload('is_cidr', [STRING], BOOL, isText(cidrOf))] },
    {
      name: 'string',
      overloads: [
        overload('cidr_to_string', [CIDR], STRING, (value) =>
          value instanceof CidrValue ? value.text : NO_OVERLOAD,
        ),
      ],
    },
  ],
  variables: new Map([[CIDR.name, typeOfType(CIDR)]]),
};
