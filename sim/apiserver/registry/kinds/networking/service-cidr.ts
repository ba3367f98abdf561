/** ServiceCIDR: a range, or one of each family, out of which services get their addresses. */
import { goStringSlice, GoSyntax } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { ServiceCIDR } from '../../../../api/types/networking-k8s-io-v1beta1.ts';
import { immutable } from '../../../../api/validation/field-checks.ts';
import { invalid, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { parseCidr } from '../../../../api/validation/ip-address.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { isMasked, NetProblem, parsePrefix, prefixText } from '../../../../api/validation/netip.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { defineKind } from '../../define-kind.ts';
import { keepMember } from '../../generic-strategy.ts';
import { goValue } from '../go-value.ts';

const GROUP = 'networking.k8s.io';
const CIDRS = FieldPath.of('spec', 'cidrs');
const MOST = 2;

export const serviceCidrKind = defineKind<ServiceCIDR>({
  group: GROUP,
  resource: 'servicecidrs',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    tellingEmptyLists: [['spec', 'cidrs']],
    validate: rangeErrors,
    metadataChecks: ['object', 'rules', 'change', 'update'],
    validateUpdate: ({ spec }, old) => {
      const cidrs = spec?.cidrs;
      return immutable(isEqualJson(cidrs ?? [], old.spec?.cidrs ?? []), goStringSlice(cidrs), CIDRS);
    },
    // No member is anybody's alone: whoever writes owns what he writes, be it in vain.
    subresources: { status: { prepareForUpdate: (draft, old) => keepMember(draft, old, 'spec') } },
    tableRow: ({ metadata, spec }, { age }) => ({
      cells: [metadata.name, (spec?.cidrs ?? []).join(','), age(metadata.creationTimestamp)],
    }),
  },
});

function rangeErrors({ spec }: ServiceCIDR): readonly FieldError[] {
  const cidrs = spec?.cidrs ?? [];
  if (cidrs.length === 0) return [required(CIDRS, 'at least one CIDR required')];
  const whole = (): GoSyntax => goValue(`${GROUP}/v1beta1.ServiceCIDRSpec`, spec);
  if (cidrs.length > MOST) return [invalid(CIDRS, whole(), `may only hold up to ${MOST} values`)];
  const families = new Set(cidrs.map((cidr) => parseCidr(cidr)?.family));
  if (cidrs.length === MOST && (families.size < MOST || families.has(undefined)))
    return [
      invalid(
        CIDRS,
        whole(),
        'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
      ),
    ];
  return cidrs.flatMap((cidr, at) => cidrErrors(cidr, CIDRS.index(at)));
}

function cidrErrors(cidr: string, path: FieldPath): readonly FieldError[] {
  const prefix = parsePrefix(cidr);
  if (prefix instanceof NetProblem) return [invalid(path, cidr, prefix.message)];
  if (!isMasked(prefix)) return [invalid(path, cidr, "wrong CIDR format, IP doesn't match network IP address")];
  return prefixText(prefix) === cidr ? [] : [invalid(path, cidr, 'CIDR not in RFC 5952 canonical format')];
}
