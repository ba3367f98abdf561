/** The rules of a service's spec, and of its changes. */
import { append } from '../../../../api/append.ts';
import { GoSyntax, goQuote, goStringSlice } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { Service, ServicePort, ServiceSpec } from '../../../../api/types/core-v1.ts';
import {
  checkedBy,
  oneOf,
  requiredOneOf,
  validatePortNumberOrName,
} from '../../../../api/validation/field-checks.ts';
import {
  duplicate,
  forbidden,
  invalid,
  required,
  since,
  until,
} from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { parseCidr, validateIp, validateNonSpecialIp } from '../../../../api/validation/ip-address.ts';
import { validateLabels } from '../../../../api/validation/labels.ts';
import {
  dns1123Label,
  dns1123Subdomain,
  portNumber,
  qualifiedName,
} from '../../../../api/validation/names.ts';
import { clusterIpErrors } from './service-cluster-ips.ts';
import {
  isExternallyAccessible,
  isHeadless,
  needsClusterIp,
  needsHealthCheckPort,
} from './service-traits.ts';

const SPEC = FieldPath.of('spec');
const PORTS = SPEC.child('ports');
const KUBELET_PORT = 10_250;
const MAX_AFFINITY_SECONDS = 86_400;
const RANGES_ANNOTATION = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const BALANCER_ONLY = "may only be used when `type` is 'LoadBalancer'";

/** All findings about a service, its metadata apart. */
export function serviceErrors(object: Service): FieldError[] {
  const { spec = {} } = object;
  const ports = spec.ports ?? [];
  const errors: FieldError[] = [];
  if (ports.length === 0 && !isHeadless(spec) && spec.type !== 'ExternalName') errors.push(required(PORTS));
  append(errors, typeErrors(spec));
  const names = new Set<string>();
  for (const [at, port] of ports.entries())
    append(errors, portErrors(port, ports.length > 1, names, PORTS.index(at)));
  if (spec.selector) append(errors, validateLabels(spec.selector, SPEC.child('selector')));
  append(errors, affinityErrors(spec));
  for (const [at, ip] of (spec.externalIPs ?? []).entries())
    append(errors, externalIpErrors(ip, SPEC.child('externalIPs').index(at)));
  append(
    errors,
    requiredOneOf(spec.type, ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'], SPEC.child('type')),
  );
  if (spec.type === 'ClusterIP') {
    for (const [at, { nodePort }] of ports.entries()) {
      if (nodePort)
        errors.push(
          forbidden(PORTS.index(at).child('nodePort'), "may not be used when `type` is 'ClusterIP'"),
        );
    }
  }
  append(errors, [
    ...duplicatePortErrors(ports),
    ...sourceRangeErrors(object),
    ...balancerErrors(spec),
    ...trafficErrors(spec),
  ]);
  return [...errors, ...clusterIpErrors(spec)];
}

function typeErrors(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const headless = (): FieldError =>
    invalid(
      SPEC.child('clusterIPs').index(0),
      'None',
      `may not be set to 'None' for ${spec.type ?? ''} services`,
    );
  if (spec.type === 'LoadBalancer') {
    for (const [at, { port }] of (spec.ports ?? []).entries()) {
      if (port === KUBELET_PORT) {
        errors.push(
          invalid(
            PORTS.index(at),
            port,
            `may not expose port ${KUBELET_PORT} externally since it is used by kubelet`,
          ),
        );
      }
    }
  }
  if ((spec.type === 'LoadBalancer' || spec.type === 'NodePort') && isHeadless(spec)) errors.push(headless());
  if (spec.type === 'ExternalName') append(errors, externalNameErrors(spec));
  return errors;
}

function externalNameErrors({
  clusterIPs,
  ipFamilies,
  ipFamilyPolicy,
  externalName = '',
}: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const why = 'may not be set for ExternalName services';
  if (clusterIPs?.length) errors.push(forbidden(SPEC.child('clusterIPs'), why));
  if (ipFamilies?.length) errors.push(forbidden(SPEC.child('ipFamilies'), why));
  if (ipFamilyPolicy !== undefined) errors.push(forbidden(SPEC.child('ipFamilyPolicy'), why));
  const name = externalName.replace(/\.$/, '');
  if (name === '') errors.push(required(SPEC.child('externalName')));
  else append(errors, checkedBy(dns1123Subdomain, name, SPEC.child('externalName')));
  return errors;
}

function portErrors(
  port: ServicePort,
  needsName: boolean,
  names: Set<string>,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const { name = '', protocol, appProtocol } = port;
  if (needsName && name === '') errors.push(required(path.child('name')));
  else if (name !== '') {
    append(errors, checkedBy(dns1123Label, name, path.child('name')));
    if (names.has(name)) errors.push(duplicate(path.child('name'), name));
    else names.add(name);
  }
  for (const finding of portNumber(port.port)) errors.push(invalid(path.child('port'), port.port, finding));
  append(errors, requiredOneOf(protocol, ['SCTP', 'TCP', 'UDP'], path.child('protocol')));
  append(errors, validatePortNumberOrName(port.targetPort, path.child('targetPort')));
  if (appProtocol !== undefined)
    append(errors, checkedBy(qualifiedName, appProtocol, path.child('appProtocol')));
  return errors;
}

function affinityErrors({ sessionAffinity, sessionAffinityConfig: config }: ServiceSpec): FieldError[] {
  const errors = [...requiredOneOf(sessionAffinity, ['ClientIP', 'None'], SPEC.child('sessionAffinity'))];
  const path = SPEC.child('sessionAffinityConfig');
  if (sessionAffinity === 'None' && config) {
    errors.push(forbidden(path, 'must not be set when session affinity is None'));
  }
  if (sessionAffinity !== 'ClientIP') return errors;
  const seconds = config?.clientIP?.timeoutSeconds;
  const field = path.child('clientIP', 'timeoutSeconds');
  if (!config) errors.push(required(path, 'when session affinity type is ClientIP'));
  else if (!config.clientIP)
    errors.push(required(path.child('clientIP'), 'when session affinity type is ClientIP'));
  else if (seconds === undefined) errors.push(required(field, 'when session affinity type is ClientIP'));
  else if (seconds <= 0 || seconds > MAX_AFFINITY_SECONDS) {
    errors.push(invalid(field, seconds, `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`));
  }
  return errors;
}

function externalIpErrors(ip: string, path: FieldPath): readonly FieldError[] {
  const errors = validateIp(ip, path);
  return errors.length > 0 ? errors : validateNonSpecialIp(ip, path);
}

function duplicatePortErrors(ports: readonly ServicePort[]): FieldError[] {
  const errors: FieldError[] = [];
  const nodePorts = new Set<string>();
  for (const [at, { protocol = '', nodePort }] of ports.entries()) {
    if (!nodePort) continue;
    const key = `${protocol}/${nodePort}`;
    if (nodePorts.has(key)) errors.push(duplicate(PORTS.index(at).child('nodePort'), nodePort));
    nodePorts.add(key);
  }
  const seen = new Set<string>();
  for (const [at, { protocol = '', port }] of ports.entries()) {
    const key = `${protocol}/${port}`;
    if (seen.has(key)) errors.push(duplicate(PORTS.index(at), portKeyText(protocol, port)));
    seen.add(key);
  }
  return errors;
}

const portKeyText = (protocol: string, port: number): GoSyntax =>
  new GoSyntax(
    `core.ServicePort{Name:"", Protocol:${goQuote(protocol)}, AppProtocol:(*string)(nil), Port:${port}, TargetPort:intstr.IntOrString{Type:0, IntVal:0, StrVal:""}, NodePort:0}`,
    `{"Name":"","Protocol":${JSON.stringify(protocol)},"AppProtocol":null,"Port":${port},"TargetPort":0,"NodePort":0}`,
  );

const RANGES_ARE_A_LIST = 'must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 ';

function sourceRangeErrors({ metadata, spec = {} }: Service): FieldError[] {
  const ranges = spec.loadBalancerSourceRanges ?? [];
  const isBalancer = spec.type === 'LoadBalancer';
  if (ranges.length > 0) {
    // The field's name begins with a capital here, as the server's does.
    const path = SPEC.child('LoadBalancerSourceRanges');
    const misplaced = isBalancer ? [] : [forbidden(path, BALANCER_ONLY)];
    const wrong = ranges.flatMap((range, at) => rangeErrors(range, path.index(at)));
    const wrongList = wrong.length === 0 ? [] : [invalid(path, `[${ranges.join(' ')}]`, RANGES_ARE_A_LIST)];
    return [...misplaced, ...until('1.30', wrongList), ...since('1.30', wrong)];
  }
  const text = metadata.annotations?.[RANGES_ANNOTATION];
  if (text === undefined) return [];
  const path = FieldPath.of('metadata', 'annotations').key(RANGES_ANNOTATION);
  const errors: FieldError[] = isBalancer ? [] : [forbidden(path, BALANCER_ONLY)];
  const trimmed = text.trim();
  const wrong = trimmed === '' ? [] : trimmed.split(',').flatMap((range) => rangeErrors(range, path));
  const wrongList = wrong.length === 0 ? [] : [invalid(path, trimmed, RANGES_ARE_A_LIST)];
  return [...errors, ...until('1.30', wrongList), ...since('1.30', wrong)];
}

/** Blanks around a range are as if they were not there. */
function rangeErrors(range: string, path: FieldPath): readonly FieldError[] {
  const trimmed = range.trim();
  const why = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
  return parseCidr(trimmed) ? [] : [invalid(path, trimmed, why)];
}

function balancerErrors(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const isBalancer = spec.type === 'LoadBalancer';
  const { allocateLoadBalancerNodePorts: allocates } = spec;
  const path = SPEC.child('allocateLoadBalancerNodePorts');
  if (isBalancer && allocates === undefined) errors.push(required(path));
  if (!isBalancer && allocates !== undefined) errors.push(forbidden(path, BALANCER_ONLY));
  return [...errors, ...balancerClassErrors(spec)];
}

function balancerClassErrors({ type, loadBalancerClass }: ServiceSpec): readonly FieldError[] {
  if (loadBalancerClass === undefined) return [];
  const field = SPEC.child('loadBalancerClass');
  if (type !== 'LoadBalancer') return [forbidden(field, BALANCER_ONLY)];
  return checkedBy(qualifiedName, loadBalancerClass, field);
}

function trafficErrors(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const {
    externalTrafficPolicy: external,
    internalTrafficPolicy: internal,
    healthCheckNodePort: port = 0,
  } = spec;
  const externalPath = SPEC.child('externalTrafficPolicy');
  const portPath = SPEC.child('healthCheckNodePort');
  const policies = ['Cluster', 'Local'];
  if (isExternallyAccessible(spec)) append(errors, requiredOneOf(external, policies, externalPath));
  else if (external)
    errors.push(invalid(externalPath, external, 'may only be set for externally-accessible services'));
  if (needsHealthCheckPort(spec)) {
    if (port < 0) errors.push(invalid(portPath, port, 'must be greater than or equal to 0'));
  } else if (port !== 0) {
    errors.push(
      invalid(
        portPath,
        port,
        "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
      ),
    );
  }
  const internalPath = SPEC.child('internalTrafficPolicy');
  if (internal === undefined) {
    if (needsClusterIp(spec)) errors.push(required(internalPath));
  } else append(errors, oneOf(internal, policies, internalPath));
  if (spec.trafficDistribution !== undefined) {
    append(errors, distributionErrors(spec.trafficDistribution, SPEC.child('trafficDistribution')));
  }
  return errors;
}

/** What may not change as it was asked for. */
export function serviceUpdateErrors(object: Service, old: Service): FieldError[] {
  const { spec = {} } = object;
  const { spec: before = {} } = old;
  const errors = clusterIpChangeErrors(spec, before);
  if (
    needsHealthCheckPort(before) &&
    needsHealthCheckPort(spec) &&
    spec.healthCheckNodePort !== before.healthCheckNodePort
  ) {
    errors.push(forbidden(SPEC.child('healthCheckNodePort'), 'field is immutable'));
  }
  const areBalancers = before.type === 'LoadBalancer' && spec.type === 'LoadBalancer';
  if (areBalancers && spec.loadBalancerClass !== before.loadBalancerClass) {
    const shown = spec.loadBalancerClass ?? new GoSyntax('"null"');
    errors.push(invalid(SPEC.child('loadBalancerClass'), shown, 'may not change once set'));
  }
  // The rules of the service itself tell it again.
  return [...errors, ...balancerClassErrors(spec)];
}

function clusterIpChangeErrors(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (spec.type === 'ExternalName' || old.type === 'ExternalName') return [];
  if (isHeadless(spec) && isHeadless(old)) return [];
  const now = spec.clusterIPs ?? [];
  const before = old.clusterIPs ?? [];
  const path = SPEC.child('clusterIPs');
  const changed = (at: number): FieldError =>
    invalid(path.index(at), goStringSlice(now), 'may not change once set');
  if (now.length === before.length) return now.flatMap((ip, at) => (ip === before[at] ? [] : [changed(at)]));
  if (now.length === 0)
    return [invalid(path.index(0), goStringSlice(spec.clusterIPs), 'primary clusterIP can not be unset')];
  const errors = before.length > 0 && now[0] !== before[0] ? [changed(0)] : [];
  if (before.length === 2 && now.length === 1 && spec.ipFamilyPolicy !== 'SingleStack') {
    errors.push(
      invalid(
        SPEC.child('ipFamilyPolicy'),
        spec.ipFamilyPolicy,
        "must be set to 'SingleStack' when releasing the secondary clusterIP",
      ),
    );
  }
  return errors;
}

/** By zone and by node came later. */
const distributionErrors = (distribution: string, path: FieldPath): readonly FieldError[] => [
  ...until('1.34', oneOf(distribution, ['PreferClose'], path)),
  ...since(
    '1.34',
    oneOf(distribution, ['PreferClose', 'PreferSameZone', 'PreferSameNode'], path, { inOrder: true }),
  ),
];
