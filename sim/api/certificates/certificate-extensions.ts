/** Those extensions of a certificate that Go's reader looks into. Pure. */
import { TAG } from './der.ts';
import { type DerReader, Misread } from './der-reader.ts';

/** Contents of identifiers, byte by byte: 2.5.29.19 and its neighbours. */
const KEY_IDENTIFIER = '85,29,14';
const KEY_USAGE = '85,29,15';
const ALTERNATIVE_NAMES = '85,29,17';
const BASIC_CONSTRAINTS = '85,29,19';
const AUTHORITY_KEY_IDENTIFIER = '85,29,35';
const EXTENDED_KEY_USAGE = '85,29,37';

/** Whether it makes an authority of the certificate. */
export function readExtension(name: string, value: DerReader): boolean {
  switch (name) {
    case BASIC_CONSTRAINTS:
      return readBasicConstraints(value.open(TAG.sequence));
    case KEY_USAGE:
      value.bits();
      return false;
    case KEY_IDENTIFIER:
      value.take(TAG.octets);
      return false;
    case AUTHORITY_KEY_IDENTIFIER:
      value.open(TAG.sequence).optional(0x80);
      return false;
    case EXTENDED_KEY_USAGE:
      readUsages(value.open(TAG.sequence));
      return false;
    case ALTERNATIVE_NAMES:
      readNames(value.open(TAG.sequence));
      return false;
    default:
      return false;
  }
}

function readBasicConstraints(constraints: DerReader): boolean {
  const isAuthority = constraints.isNext(TAG.boolean) && constraints.boolean();
  if (constraints.isNext(TAG.integer)) constraints.smallNumber();
  return isAuthority;
}

function readUsages(usages: DerReader): void {
  while (!usages.isAtEnd) usages.identifier();
}

const ADDRESS = 0x87;
const LENGTHS_OF_ADDRESSES = [4, 16];

function readNames(names: DerReader): void {
  while (!names.isAtEnd) {
    const { tag, content } = names.any();
    if (tag === ADDRESS && !LENGTHS_OF_ADDRESSES.includes(content.length)) throw new Misread();
    if ([0x81, 0x82, 0x86].includes(tag) && content.some((byte) => byte >= 0x80)) throw new Misread();
  }
}
