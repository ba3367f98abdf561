/** Addresses of services that are taken as they are written, and will not be for ever. */
import {
  AddressProblem,
  addressText,
  parseAddress,
  parsePrefix,
} from '../../../../api/cel/library/ip-text.ts';
import {
  standardAddressWarnings,
  standardRangeWarnings,
  TELLS_STANDARD_FORMS,
} from './standard-addresses.ts';
import type { HookContext } from '../../strategy.ts';
import { goQuote } from '../../../../api/go-text.ts';
import type { ServiceSpec } from '../../../../api/types/core-v1.ts';

type OfRelease = Pick<HookContext, 'isReleasedBy'>;

export function addressWarnings(spec: ServiceSpec, release: OfRelease): string[] {
  const {
    clusterIP,
    clusterIPs = [],
    externalIPs = [],
    loadBalancerIP,
    loadBalancerSourceRanges = [],
  } = spec;
  const [ofAddress, ofRange] = release.isReleasedBy(TELLS_STANDARD_FORMS)
    ? [standardAddressWarnings(release), standardRangeWarnings(release)]
    : [warningsOf(ADDRESS), warningsOf(PREFIX)];
  const isHeadless = clusterIP === 'None' || clusterIPs[0] === 'None';
  return [
    ...(isHeadless ? [] : clusterIPs.flatMap((ip, at) => ofAddress(`spec.clusterIPs[${at}]`, ip))),
    ...(release.isReleasedBy('1.34') && spec.type === 'ClusterIP' ? headlessWarnings(spec) : []),
    ...externalIPs.flatMap((ip, at) => ofAddress(`spec.externalIPs[${at}]`, ip)),
    ...(loadBalancerIP ? ofAddress('spec.loadBalancerIP', loadBalancerIP) : []),
    ...loadBalancerSourceRanges.flatMap((range, at) =>
      ofRange(`spec.loadBalancerSourceRanges[${at}]`, range),
    ),
  ];
}

/** Of what means nothing where no address is wanted. */
function headlessWarnings(spec: ServiceSpec): readonly string[] {
  if (spec.clusterIP !== 'None') return [];
  const told: readonly (readonly [isSaid: boolean, member: string])[] = [
    [(spec.loadBalancerIP ?? '') !== '', 'loadBalancerIP'],
    [(spec.externalIPs ?? []).length > 0, 'externalIPs'],
    [spec.sessionAffinity !== 'None', 'SessionAffinity'],
  ];
  return told.flatMap(([isSaid, member]) =>
    isSaid ? [`spec.${member} is ignored for headless services`] : [],
  );
}

interface Form {
  readonly what: string;
  readonly ofIpv6: string;
  /** As it should be written; undefined for IPv4, which has one way only. @throws AddressProblem */
  canonical(text: string): string | undefined;
}

const ADDRESS: Form = {
  what: 'IP address',
  ofIpv6: 'IPv6 address',
  canonical: (text) => {
    const address = parseAddress(text);
    return address.isV4 ? undefined : textOfIpv6(address);
  },
};

const PREFIX: Form = {
  what: 'IP prefix',
  ofIpv6: 'IPv6 prefix',
  canonical: (text) => {
    const { address, length } = parsePrefix(text);
    return address.isV4 ? undefined : `${textOfIpv6(address)}/${length}`;
  },
};

/** IPv4 in the clothes of IPv6 keeps its dots. */
function textOfIpv6(address: ReturnType<typeof parseAddress>): string {
  if (address.bits >> 32n !== 0xffffn) return addressText(address);
  return `::ffff:${addressText({ ...address, isV4: true, bits: address.bits & 0xffffffffn })}`;
}

type Warnings = (field: string, text: string) => readonly string[];

const warningsOf =
  ({ what, ofIpv6, canonical }: Form): Warnings =>
  (field, text) => {
    try {
      const wanted = canonical(text);
      if (wanted === undefined || wanted === text) return [];
      return [
        `${field}: ${ofIpv6} ${goQuote(text)} is not in RFC 5952 canonical format (${goQuote(wanted)}), which may cause controller apply-loops`,
      ];
    } catch (error) {
      if (!(error instanceof AddressProblem)) throw error;
      return [
        `${field}: ${what} was accepted, but will be invalid in a future Kubernetes release: ${error.message}`,
      ];
    }
  };
