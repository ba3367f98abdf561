/**
 * ServiceCIDR: a range, or one of each family, out of which services get their addresses. A range never changes; since 1.33 one
 * of the other family may join it.
 */
import { goStringSlice } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { ServiceCIDR } from '../../../../api/types/networking-k8s-io-v1beta1.ts';
import { immutable } from '../../../../api/validation/field-checks.ts';
import { invalid, required, since, until } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { parseCidr } from '../../../../api/validation/ip-address.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { defineKind } from '../../define-kind.ts';
import { BARE_STATUS_RULES, STATUS_RULES } from '../../generic-strategy.ts';
import { goValue } from '../go-value.ts';
import { laxRangeErrors, strictRangeErrors } from './service-range.ts';

const GROUP = 'networking.k8s.io';
const CIDRS = FieldPath.of('spec', 'cidrs');
const MOST = 2;
/** Release that began to look at how ranges are written, and lets another one join. */
const LETS_JOIN = '1.33';

export const serviceCidrKind = defineKind<ServiceCIDR>({
  group: GROUP,
  resource: 'servicecidrs',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    tellingEmptyLists: [['spec', 'cidrs']],
    metadataChecks: ['object', 'rules', 'change', 'update'],
    laterChecks: [[LETS_JOIN, ['change', 'update']]],
    validate: (range) => [...until(LETS_JOIN, laxErrors(range)), ...since(LETS_JOIN, strictErrors(range))],
    rulesOnUpdate: laxErrors,
    validateUpdate: ({ spec }, old) => [
      ...until(LETS_JOIN, unchanged(spec?.cidrs, old.spec?.cidrs)),
      ...since(LETS_JOIN, joinErrors(spec?.cidrs, old.spec?.cidrs ?? [])),
    ],
    // No member is anybody's alone: whoever writes owns what he writes, be it in vain.
    subresources: {
      status: {
        prepareForUpdate: (draft, old, context) => {
          const rules = context.isReleasedBy(LETS_JOIN) ? BARE_STATUS_RULES : STATUS_RULES;
          rules.prepareForUpdate?.(draft, old, context);
        },
      },
    },
    tableRow: ({ metadata, spec }, { age }) => ({
      cells: [metadata.name, (spec?.cidrs ?? []).join(','), age(metadata.creationTimestamp)],
    }),
  },
});

type Cidrs = readonly string[] | undefined;

const unchanged = (cidrs: Cidrs, old: Cidrs): readonly FieldError[] =>
  immutable(isEqualJson(cidrs ?? [], old ?? []), goStringSlice(cidrs), CIDRS);

function tooManyErrors(spec: ServiceCIDR['spec']): readonly FieldError[] {
  const { length } = spec?.cidrs ?? [];
  if (length === 0) return [required(CIDRS, 'at least one CIDR required')];
  const whole = goValue(`${GROUP}/v1beta1.ServiceCIDRSpec`, spec);
  return length > MOST ? [invalid(CIDRS, whole, `may only hold up to ${MOST} values`)] : [];
}

const ONE_OF_EACH =
  'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';

function laxErrors({ spec }: ServiceCIDR): readonly FieldError[] {
  const wrongCount = tooManyErrors(spec);
  if (wrongCount.length > 0) return wrongCount;
  const cidrs = spec?.cidrs ?? [];
  const families = new Set(cidrs.map((cidr) => parseCidr(cidr)?.family));
  if (cidrs.length === MOST && (families.size < MOST || families.has(undefined)))
    return [invalid(CIDRS, goValue(`${GROUP}/v1beta1.ServiceCIDRSpec`, spec), ONE_OF_EACH)];
  return cidrs.flatMap((cidr, at) => laxRangeErrors(cidr, CIDRS.index(at)));
}

function strictErrors({ spec }: ServiceCIDR): readonly FieldError[] {
  const wrongCount = tooManyErrors(spec);
  return wrongCount.length > 0 ? wrongCount : writtenErrors(spec?.cidrs ?? []);
}

function writtenErrors(cidrs: readonly string[]): readonly FieldError[] {
  const errors = cidrs.flatMap((cidr, at) => strictRangeErrors(cidr, CIDRS.index(at)));
  const [first, second] = cidrs.map((cidr) => parseCidr(cidr)?.family);
  const areOfOne = cidrs.length === MOST && first !== undefined && first === second;
  return areOfOne ? [...errors, invalid(CIDRS, goStringSlice(cidrs), ONE_OF_EACH)] : errors;
}

function joinErrors(given: Cidrs, old: readonly string[]): readonly FieldError[] {
  const cidrs = given ?? [];
  const isJoined = old.length === 1 && cidrs.length === MOST;
  if (!isJoined && cidrs.length !== old.length)
    return [invalid(CIDRS, goStringSlice(given), 'field is immutable')];
  const changed = old.flatMap((cidr, at) => immutable(cidr === cidrs[at], cidrs[at] ?? '', CIDRS.index(at)));
  return isJoined ? [...changed, ...writtenErrors(cidrs)] : changed;
}
