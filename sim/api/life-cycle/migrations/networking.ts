/** Ingresses and endpoint slices of beta versions. */
import { childOf, itemsOf, type Migration, missing, type Parts, rename } from './migration.ts';

/** `{serviceName, servicePort}` became `{service: {name, port: {number | name}}}`. */
function backend(parts: Parts): void {
  if (missing(parts, 'serviceName') && missing(parts, 'servicePort')) return;
  const { serviceName: name, servicePort: port, ...rest } = parts;
  for (const member of ['serviceName', 'servicePort']) delete parts[member];
  const isNumber = typeof port === 'number' || (typeof port === 'string' && /^[0-9]+$/.test(port));
  const ports = port === undefined ? {} : { port: isNumber ? { number: Number(port) } : { name: port } };
  Object.assign(parts, rest, { service: { ...(name !== undefined && { name }), ...ports } });
}

const ingress: Migration = (object) => {
  const spec = childOf(object['spec']);
  rename(spec, 'backend', 'defaultBackend');
  if (!missing(spec, 'defaultBackend')) backend(childOf(spec['defaultBackend']));
  for (const rule of itemsOf(spec['rules'])) {
    for (const path of itemsOf(childOf(rule['http'])['paths'])) {
      backend(childOf(path['backend']));
      path['pathType'] ??= 'ImplementationSpecific';
    }
  }
  delete object['status'];
  return [];
};

const HOSTNAME = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';

const endpointSlice: Migration = (object) => {
  let isLossy = false;
  for (const endpoint of itemsOf(object['endpoints'])) {
    if (missing(endpoint, 'topology')) continue;
    const { [HOSTNAME]: node, [ZONE]: zone, ...others } = childOf(endpoint['topology']);
    delete endpoint['topology'];
    if (node !== undefined) endpoint['nodeName'] ??= node;
    if (zone !== undefined) endpoint['zone'] ??= zone;
    isLossy ||= Object.keys(others).length > 0;
  }
  return isLossy
    ? ['other entries of topology than node and zone have no place: deprecatedTopology cannot be written']
    : [];
};

export const NETWORKING: Readonly<Record<string, Migration>> = {
  'extensions/v1beta1.Ingress': ingress,
  'networking.k8s.io/v1beta1.Ingress': ingress,
  'discovery.k8s.io/v1beta1.EndpointSlice': endpointSlice,
};
