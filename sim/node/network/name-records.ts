/**
 * What the cluster's DNS answers: addresses and ports of Services and of their endpoints, names of pods by their address,
 * names of others, and the way back. Pure. Kubernetes: DNS-Based Service Discovery 1.1.
 */
import type { Endpoint } from '../../api/types/discovery-k8s-io-v1.ts';
import { CLUSTER_DOMAIN } from './cluster-dns.ts';
import type { NameRecord } from './container-network.ts';
import { fullNameOf, type ServiceRoutes } from './service-routes.ts';

export interface Question {
  /** Without a dot at its end; it is looked for in the namespace of who asks, too. */
  readonly name: string;
  readonly type: string;
  readonly namespace: string;
}

const POD_NAME = /^(\d+)-(\d+)-(\d+)-(\d+)\.[a-z0-9-]+\.pod(?:\.cluster\.local)?$/;
const PORT_NAME = /^_([a-z0-9-]+)\._(tcp|udp|sctp)\.(.+)$/;
const REVERSED = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\.in-addr\.arpa$/;

export function recordsOf(routes: ServiceRoutes, { name, type, namespace }: Question): readonly NameRecord[] {
  switch (type) {
    case 'A':
      return addressRecords(routes, name, namespace);
    case 'CNAME':
      return aliasRecords(routes, name, namespace);
    case 'SRV':
      return portRecords(routes, name, namespace);
    case 'PTR':
      return nameRecords(routes, name);
    default:
      return [];
  }
}

/** Of another name that is its. */
function addressRecords(routes: ServiceRoutes, name: string, namespace: string): readonly NameRecord[] {
  const pod = POD_NAME.exec(name);
  if (pod) return [{ owner: inZone(name), type: 'A', data: pod.slice(1).join('.') }];
  const alias = aliasRecords(routes, name, namespace);
  if (alias.length > 0) return alias;
  const found = routes.addressesOf(name, namespace);
  return (found?.addresses ?? []).map((data) => ({ owner: found?.name ?? name, type: 'A', data }));
}

const inZone = (name: string): string =>
  name.endsWith(`.${CLUSTER_DOMAIN}`) ? name : `${name}.${CLUSTER_DOMAIN}`;

function aliasRecords(routes: ServiceRoutes, name: string, namespace: string): readonly NameRecord[] {
  const service = routes.named(name, namespace);
  const { externalName, type } = service?.spec ?? {};
  return service && type === 'ExternalName' && externalName
    ? [{ owner: fullNameOf(service), type: 'CNAME', data: `${externalName}.` }]
    : [];
}

function portRecords(routes: ServiceRoutes, name: string, namespace: string): readonly NameRecord[] {
  const [, portName = '', protocol = '', rest = ''] = PORT_NAME.exec(name) ?? [];
  const service = routes.named(rest, namespace);
  const port = service?.spec?.ports?.find(
    (each) => each.name === portName && (each.protocol ?? 'TCP').toLowerCase() === protocol,
  );
  if (!service || !port) return [];
  const owner = `_${portName}._${protocol}.${fullNameOf(service)}`;
  if (service.spec?.clusterIP !== 'None')
    return [{ owner, type: 'SRV', data: `0 100 ${port.port} ${fullNameOf(service)}.` }];
  const endpoints = routes.endpointsOf(service);
  const weight = Math.floor(100 / Math.max(1, endpoints.length));
  return endpoints.map((endpoint) => ({
    owner,
    type: 'SRV',
    data: `0 ${weight} ${port.port} ${hostOf(endpoint)}.${fullNameOf(service)}.`,
  }));
}

/** An endpoint without a name of its own is called by its address. */
const hostOf = ({ hostname, addresses }: Endpoint): string =>
  hostname ?? (addresses[0] ?? '').replaceAll('.', '-');

function nameRecords(routes: ServiceRoutes, name: string): readonly NameRecord[] {
  const [, ...parts] = REVERSED.exec(name) ?? [];
  const ip = parts.toReversed().join('.');
  if (ip === '') return [];
  const service = routes.services.find(({ spec }) => spec?.clusterIP === ip);
  if (service) return [{ owner: name, type: 'PTR', data: `${fullNameOf(service)}.` }];
  for (const headless of routes.services.filter(({ spec }) => spec?.clusterIP === 'None'))
    for (const endpoint of routes.endpointsOf(headless))
      if (endpoint.addresses.includes(ip))
        return [{ owner: name, type: 'PTR', data: `${hostOf(endpoint)}.${fullNameOf(headless)}.` }];
  return [];
}
