/** How a range of addresses for services may be written, until 1.32 and since. */
import { goQuote } from '../../../../api/go-text.ts';
import {
  AddressProblem,
  isMapped,
  isSameAddress,
  masked,
  parsePrefix,
  prefixText,
} from '../../../../api/cel/library/ip-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import { invalid } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { parseCidr, validateCidr } from '../../../../api/validation/ip-address.ts';

export function laxRangeErrors(cidr: string, path: FieldPath): readonly FieldError[] {
  try {
    const prefix = parsePrefix(cidr);
    if (!isSameAddress(prefix.address, masked(prefix).address))
      return [invalid(path, cidr, "wrong CIDR format, IP doesn't match network IP address")];
    return prefixText(prefix) === cidr ? [] : [invalid(path, cidr, 'CIDR not in RFC 5952 canonical format')];
  } catch (error) {
    if (error instanceof AddressProblem) return [invalid(path, cidr, error.message)];
    throw error;
  }
}

const LEADING_ZERO = /^(?:[0-9.]*\.)?0[0-9]|\/0[0-9]/;

export function strictRangeErrors(cidr: string, path: FieldPath): readonly FieldError[] {
  if (!parseCidr(cidr)) return validateCidr(cidr, path);
  if (LEADING_ZERO.test(cidr))
    return [invalid(path, cidr, 'must not have leading 0s in IP or prefix length')];
  const prefix = parsePrefix(cidr);
  if (isMapped(prefix.address)) return [invalid(path, cidr, 'must not have an IPv4-mapped IPv6 address')];
  const { address } = masked(prefix);
  if (!isSameAddress(prefix.address, address))
    return [invalid(path, cidr, 'must not have bits set beyond the prefix length')];
  const canonical = prefixText(prefix);
  return canonical === cidr ? [] : [invalid(path, cidr, `must be in canonical form (${goQuote(canonical)})`)];
}
