/**
 * Addresses and ranges that are taken though their form is none that every program understands, as servers since 1.33
 * warn of them: leading zeros, IPv4 in the clothes of IPv6, IPv6 in other than its shortest form, bits beyond a range.
 * What nobody can read is not warned of.
 */
import {
  AddressProblem,
  addressText,
  isMapped,
  masked,
  parseAddress,
  type Prefix,
  parsePrefix,
} from '../../../../api/cel/library/ip-text.ts';
import { goQuote } from '../../../../api/go-text.ts';
import type { HookContext } from '../../strategy.ts';

type OfRelease = Pick<HookContext, 'isReleasedBy'>;
type Warnings = (field: string, text: string) => readonly string[];

export const TELLS_STANDARD_FORMS = '1.33';
const REFUSES_OTHERS = '1.36';

export const standardAddressWarnings =
  (release: OfRelease): Warnings =>
  (field, text) => {
    const address = readable(parseAddress, withoutZeros(text));
    if (!address || address.zone !== '') return [];
    if (isMapped(address) || withoutZeros(text) !== text) {
      const wanted = addressText(
        isMapped(address) ? { ...address, isV4: true, bits: low(address.bits) } : address,
      );
      return [nonStandard(release, `${field}: non-standard IP address ${goQuote(text)}`, wanted)];
    }
    const wanted = addressText(address);
    return address.isV4 || wanted === text
      ? []
      : [
          `${field}: IPv6 address ${goQuote(text)} should be in RFC 5952 canonical format (${goQuote(wanted)})`,
        ];
  };

export const standardRangeWarnings =
  (release: OfRelease): Warnings =>
  (field, text) => {
    const range = readable(parsePrefix, withoutZeros(text));
    if (!range) return [];
    const shown = goQuote(text);
    if (withoutZeros(text) !== text)
      return [nonStandard(release, `${field}: non-standard CIDR value ${shown}`, rangeText(masked(range)))];
    const narrowest = masked(range);
    if (narrowest.address.bits !== range.address.bits) {
      const [whole, alone] = [
        rangeText(narrowest),
        rangeText({ ...range, length: range.address.isV4 ? 32 : 128 }),
      ];
      const choice = `${goQuote(whole)} or ${goQuote(alone)}?`;
      return [`${field}: CIDR value ${shown} is ambiguous in this context (should be ${choice})`];
    }
    const wanted = rangeText(range);
    return range.address.isV4 || wanted === text
      ? []
      : [`${field}: IPv6 CIDR value ${shown} should be in RFC 5952 canonical format (${goQuote(wanted)})`];
  };

const low = (bits: bigint): bigint => bits & 0xffffffffn;

const rangeText = ({ address, length }: Prefix): string => `${addressText(address)}/${length}`;

/** Numbers of IPv4 and lengths of ranges may begin with zeros. */
const withoutZeros = (text: string): string =>
  text.includes(':') ? text : text.replace(/(?<=^|[./])0+(?=[0-9])/g, '');

const nonStandard = (release: OfRelease, what: string, wanted: string): string => {
  const fate = release.isReleasedBy(REFUSES_OTHERS)
    ? 'is invalid'
    : 'will be considered invalid in a future Kubernetes release';
  return `${what} ${fate}: use ${goQuote(wanted)}`;
};

function readable<T>(parse: (text: string) => T, text: string): T | undefined {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof AddressProblem)) throw error;
    return undefined;
  }
}
