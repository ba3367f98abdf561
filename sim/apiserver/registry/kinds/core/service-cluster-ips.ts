/** `clusterIP`, `clusterIPs` and the IP families of a service have to tell one story. */
import { append } from '../../../../api/append.ts';
import { goStringSlice } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { ServiceSpec } from '../../../../api/types/core-v1.ts';
import { oneOf, repeatedAt } from '../../../../api/validation/field-checks.ts';
import { duplicate, invalid, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { parseIp, validateIp } from '../../../../api/validation/ip-address.ts';
import { isHeadless } from './service-traits.ts';

const SPEC = FieldPath.of('spec');
const IPS = SPEC.child('clusterIPs');
const FAMILIES = SPEC.child('ipFamilies');
const FAMILY_NAMES = ['IPv4', 'IPv6'];

export function clusterIpErrors(spec: ServiceSpec): FieldError[] {
  if (spec.type === 'ExternalName') return [];
  const { clusterIP = '', clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const errors: FieldError[] = [];
  if (clusterIP !== '') {
    if (clusterIPs.length === 0) errors.push(required(IPS));
    else if (clusterIPs[0] !== clusterIP)
      errors.push(invalid(IPS, goStringSlice(clusterIPs), 'first value must match `clusterIP`'));
  } else if (clusterIPs.length > 0) {
    errors.push(invalid(IPS, goStringSlice(clusterIPs), 'must be empty when `clusterIP` is not specified'));
  }
  const repeated = repeatedAt(ipFamilies);
  for (const [at, family] of ipFamilies.entries()) {
    append(errors, oneOf(family, FAMILY_NAMES, FAMILIES.index(at)));
    if (repeated.has(at)) errors.push(duplicate(FAMILIES.index(at), family));
  }
  if (ipFamilyPolicy !== undefined) {
    append(
      errors,
      oneOf(
        ipFamilyPolicy,
        ['PreferDualStack', 'RequireDualStack', 'SingleStack'],
        SPEC.child('ipFamilyPolicy'),
      ),
    );
  }
  const wrong = addressErrors(clusterIPs);
  append(errors, wrong);
  if (clusterIPs.length > 2)
    errors.push(invalid(IPS, goStringSlice(clusterIPs), 'may only hold up to 2 values'));
  if (wrong.length > 0) return errors;
  return [...errors, ...familyErrors(spec)];
}

function addressErrors(clusterIPs: readonly string[]): FieldError[] {
  return clusterIPs.flatMap((ip, at) => {
    if (at !== 0 || ip !== 'None') return validateIp(ip, IPS.index(at));
    if (clusterIPs.length === 1) return [];
    return [invalid(IPS, goStringSlice(clusterIPs), "'None' must be the first and only value")];
  });
}

function familyErrors(spec: ServiceSpec): FieldError[] {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  const errors: FieldError[] = [];
  const families = clusterIPs.map((ip) => parseIp(ip)?.family);
  if (clusterIPs.length > 1 && new Set(families).size !== 2) {
    errors.push(
      invalid(IPS, goStringSlice(clusterIPs), 'may specify no more than one IP for each IP family'),
    );
  }
  if (isHeadless(spec)) return errors;
  for (const [at, family] of ipFamilies.entries()) {
    const ip = clusterIPs[at];
    if (ip === undefined || families[at] === family || !FAMILY_NAMES.includes(family)) continue;
    errors.push(
      invalid(IPS.index(at), ip, `expected an ${family} value as indicated by \`ipFamilies[${at}]\``),
    );
  }
  return errors;
}
