/**
 * The service `default/kubernetes`, behind which the API servers stand: made when the first of them starts, and made
 * anew when somebody has deleted it. Its Endpoints and EndpointSlice name the servers that are alive: each shows that by a lease of
 * 15 s in the storage, which is no object of the API. Kubernetes: `--endpoint-reconciler-type=lease`.
 */
import type { ApiObject } from '../../api/object.ts';
import type { Endpoints, EndpointPort, EndpointSubset, Service } from '../../api/types/core-v1.ts';
import type { Storage } from '../../storage/storage.ts';
import { atRevision } from '../registry/storage-form.ts';
import { keepOwnObject, type OwnObject, type OwnObjectHost } from '../stores/own-object.ts';
import type { StoredObject } from '../stores/stored-object.ts';
import { untilWritten } from '../stores/until-written.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';

const INTERVAL_MS = 10_000;
const LEASE_SECONDS = 15;
const LEASES = '/registry/masterleases/';
const NAMESPACE = 'default';
const NAME = 'kubernetes';
/** The first address of the range of services. */
const CLUSTER_IP = '10.96.0.1';
const CLUSTER_PORT = 443;

const SERVICE = {
  resource: 'services',
  namespace: NAMESPACE,
  name: NAME,
  /** Further addresses, and of which family they are, a service is given. */
  asked: (service: ApiObject): ApiObject => {
    const { clusterIPs: _given, ipFamilies: _of, ...spec } = (service as Service).spec ?? {};
    return { ...service, spec, status: {} };
  },
};
const ENDPOINTS = { resource: 'endpoints', namespace: NAMESPACE, name: NAME };
const SLICE = { resource: 'endpointslices.discovery.k8s.io', namespace: NAMESPACE, name: NAME };

/** Where clients inside the cluster reach a server. */
export interface AdvertisedAddress {
  readonly ip: string;
  readonly port: number;
}

/** What of a server the service is kept with. */
export interface KubernetesServiceHost extends OwnObjectHost {
  readonly surroundings: ApiServerSurroundings;
  readonly storage: Storage<StoredObject>;
  readonly upkeep: { leaseFor(seconds: number): number };
}

/** Keeps the service, and this server among its endpoints, from now on. Ports are restored by a server that starts. */
export function keepKubernetesService(host: KubernetesServiceHost, address: AdvertisedAddress): void {
  const { surroundings } = host;
  const keep = (object: OwnObject): ApiObject | undefined => keepOwnObject(host, object);
  const keepAll = (isStarting: boolean): void =>
    untilWritten(surroundings, () => {
      const port = { name: 'https', port: address.port, protocol: 'TCP' as const };
      renewLease(host, address.ip);
      const addresses = aliveServers(host).map((ip) => ({ ip }));
      keep({ ...SERVICE, restored: serviceRestored(port, isStarting) });
      const restored = endpointsRestored({ addresses, ports: [port] }, isStarting);
      const endpoints = keep({ ...ENDPOINTS, restored });
      if (endpoints) keep({ ...SLICE, restored: () => sliceOf(endpoints) });
      surroundings.after(INTERVAL_MS, () => keepAll(false));
    });
  keepAll(true);
}

/** A storage lease cannot be prolonged: the key moves to a fresh one. */
function renewLease({ storage, upkeep }: KubernetesServiceHost, ip: string): void {
  const value: ApiObject = { kind: 'Endpoints', apiVersion: 'v1', metadata: { name: ip } };
  storage.transact({
    compare: [],
    success: [
      {
        kind: 'put',
        key: LEASES + ip,
        value: (revision) => atRevision(value, revision),
        leaseId: upkeep.leaseFor(LEASE_SECONDS),
      },
    ],
  });
}

const aliveServers = ({ storage }: KubernetesServiceHost): readonly string[] =>
  storage.range({ prefix: LEASES }).entries.map(({ key }) => key.slice(LEASES.length));

type Restore = OwnObject['restored'];

/** What somebody has changed in it stays, but for the port of servers that start. */
const serviceRestored =
  ({ name, port: targetPort, protocol }: EndpointPort, isStarting: boolean): Restore =>
  (old) => {
    const ports = [{ name, protocol, port: CLUSTER_PORT, targetPort }];
    if (old) return isStarting ? { ...old, spec: { ...(old as Service).spec, ports } } : old;
    return {
      kind: 'Service',
      apiVersion: 'v1',
      metadata: {
        name: NAME,
        namespace: NAMESPACE,
        labels: { component: 'apiserver', provider: 'kubernetes' },
      },
      spec: {
        ports,
        clusterIP: CLUSTER_IP,
        clusterIPs: [CLUSTER_IP],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
      },
      status: { loadBalancer: {} },
    };
  };

/** Addresses are those of the servers that are alive; ports stay in what has the form of one subset. */
const endpointsRestored =
  (wanted: EndpointSubset, isStarting: boolean): Restore =>
  (old) => {
    const { subsets = [] } = (old ?? {}) as Endpoints;
    const [subset] = subsets;
    const kept = subsets.length === 1 && !isStarting ? subset?.ports : undefined;
    return {
      kind: 'Endpoints',
      apiVersion: 'v1',
      metadata: {
        ...(old?.metadata ?? { name: NAME, namespace: NAMESPACE }),
        labels: { ...old?.metadata.labels, 'endpointslice.kubernetes.io/skip-mirror': 'true' },
      },
      subsets: [{ ...wanted, ...(kept && { ports: kept }) }],
    };
  };

/** As the Endpoints are, whatever the slice was. */
const sliceOf = ({ subsets = [] }: Endpoints): ApiObject => ({
  kind: 'EndpointSlice',
  apiVersion: 'discovery.k8s.io/v1',
  metadata: {
    name: NAME,
    namespace: NAMESPACE,
    generation: 1,
    labels: { 'kubernetes.io/service-name': NAME },
  },
  addressType: 'IPv4',
  endpoints: subsets.flatMap(({ addresses = [] }) =>
    addresses.map(({ ip = '' }) => ({ addresses: [ip], conditions: { ready: true } })),
  ),
  ports: subsets.flatMap(({ ports = [] }) => ports),
});
