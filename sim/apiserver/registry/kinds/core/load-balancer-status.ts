/** `status.loadBalancer` of a service. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { LoadBalancerIngress, Service } from '../../../../api/types/core-v1.ts';
import { oneOf } from '../../../../api/validation/field-checks.ts';
import { forbidden, invalid, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { parseIp, validateIp } from '../../../../api/validation/ip-address.ts';
import { dns1123Subdomain } from '../../../../api/validation/names.ts';

export function loadBalancerStatusErrors({ spec, status }: Service): FieldError[] {
  const path = FieldPath.of('status', 'loadBalancer', 'ingress');
  const ingresses = status?.loadBalancer?.ingress ?? [];
  if (spec?.type !== 'LoadBalancer' && ingresses.length > 0) {
    return [forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  return ingresses.flatMap((ingress, at) => ingressErrors(ingress, path.index(at)));
}

function ingressErrors({ ip, ipMode, hostname }: LoadBalancerIngress, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (ip) append(errors, validateIp(ip, path.child('ip')));
  if (ip && ipMode === undefined)
    errors.push(required(path.child('ipMode'), 'must be specified when `ip` is set'));
  else if (!ip && ipMode !== undefined)
    errors.push(forbidden(path.child('ipMode'), 'may not be specified when `ip` is not set'));
  else if (ipMode !== undefined) append(errors, oneOf(ipMode, ['Proxy', 'VIP'], path.child('ipMode')));
  if (hostname) append(errors, hostnameErrors(hostname, path.child('hostname')));
  return errors;
}

/** A name, not an address. */
export function hostnameErrors(hostname: string, path: FieldPath): FieldError[] {
  const errors = dns1123Subdomain(hostname).map((finding) => invalid(path, hostname, finding));
  if (parseIp(hostname)) errors.push(invalid(path, hostname, 'must be a DNS name, not an IP address'));
  return errors;
}
