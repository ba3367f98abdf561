/**
 * Where a request to a Service goes: by its cluster IP or its name to one of the endpoints that are ready, or, if none is,
 * to one that still serves while it ends. A headless Service is its endpoints themselves. Pure. Kubernetes 1.31 (kube-proxy).
 */
import type { Service, ServicePort } from '../../api/types/core-v1.ts';
import type { Endpoint, EndpointSlice } from '../../api/types/discovery-k8s-io-v1.ts';
import { CLUSTER_DOMAIN } from './cluster-dns.ts';
import type { ResolvedName } from './container-network.ts';

export interface Backend {
  readonly node: string;
  readonly ip: string;
  readonly port: number;
}

/** `unknown`: nobody has that name or address. */
export type Route =
  | { readonly kind: 'backends'; readonly backends: readonly Backend[]; readonly affinity?: Affinity }
  | { readonly kind: 'unknown' };

/** Who asks again is led to the same backend. */
export interface Affinity {
  /** The Service and its port. */
  readonly key: string;
  /** As long as nobody asks. */
  readonly timeoutSeconds: number;
}

const UNKNOWN: Route = { kind: 'unknown' };
const DOMAINS = ['', '.svc', `.svc.${CLUSTER_DOMAIN}`];
const HEADLESS = 'None';
const USUAL_AFFINITY_SECONDS = 10_800;

export interface Destination {
  /** A name or an address. */
  readonly host: string;
  readonly port: number;
  readonly protocol: 'TCP' | 'UDP';
}

export class ServiceRoutes {
  readonly services: readonly Service[];
  readonly #slices: readonly EndpointSlice[];

  constructor(services: readonly Service[], slices: readonly EndpointSlice[]) {
    this.services = services;
    this.#slices = slices;
  }

  /** `namespace`: of whom asks, for names without one. */
  to({ host, port, protocol }: Destination, namespace: string): Route {
    const service = this.services.find((each) => isCalled(each, host, namespace));
    if (!service) {
      const [endpoint] = this.#endpointNamed(host, namespace).endpoints;
      const [ip] = endpoint?.addresses ?? [];
      if (endpoint && ip !== undefined)
        return { kind: 'backends', backends: [{ node: endpoint.nodeName ?? '', ip, port }] };
      return this.#toEndpoint(host, port);
    }
    const declared = (service.spec?.ports ?? []).find(
      (each) => each.port === port && (each.protocol ?? 'TCP') === protocol,
    );
    if (service.spec?.clusterIP !== HEADLESS) return this.#toPort(service, declared);
    return { kind: 'backends', backends: backendsOf(this.#slicesOf(service.metadata), () => port) };
  }

  /** By a port that every node has for a Service; undefined: it is of none. */
  toNodePort({ port, protocol }: Omit<Destination, 'host'>): Route | undefined {
    for (const service of this.services)
      for (const declared of service.spec?.ports ?? [])
        if (declared.nodePort === port && (declared.protocol ?? 'TCP') === protocol)
          return this.#toPort(service, declared);
    return undefined;
  }

  #toPort(service: Service, declared: ServicePort | undefined): Route {
    if (!declared) return { kind: 'backends', backends: [] };
    const { sessionAffinity, sessionAffinityConfig } = service.spec ?? {};
    const timeoutSeconds = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? USUAL_AFFINITY_SECONDS;
    const key = `${service.metadata.uid ?? ''}/${declared.port}/${declared.protocol ?? 'TCP'}`;
    const own = this.#slicesOf(service.metadata);
    return {
      kind: 'backends',
      backends: backendsOf(own, (slice) => portOf(slice, declared.name)),
      ...(sessionAffinity === 'ClientIP' && { affinity: { key, timeoutSeconds } }),
    };
  }

  /** What a name stands for: a cluster IP, or each endpoint of a headless Service, or one that has a name of its own. */
  addressesOf(name: string, namespace: string): ResolvedName | undefined {
    const service = this.named(name, namespace);
    const { clusterIP, externalName, type } = service?.spec ?? {};
    // Of one that was of that type the name may be left.
    if (externalName && type === 'ExternalName') return { name: externalName, addresses: [] };
    if (service && clusterIP && clusterIP !== HEADLESS)
      return { name: fullNameOf(service), addresses: [clusterIP] };
    if (service) return answered(fullNameOf(service), this.endpointsOf(service));
    const { owner, endpoints } = this.#endpointNamed(name, namespace);
    return owner && answered(`${name.slice(0, name.indexOf('.'))}.${fullNameOf(owner)}`, endpoints);
  }

  /** The Service that is called so; `namespace`: of who asks. */
  named(name: string, namespace: string): Service | undefined {
    return this.services.find((each) => isNamed(each, name, namespace));
  }

  /** Those that DNS knows of. */
  endpointsOf({ metadata }: Service): readonly Endpoint[] {
    return this.#slicesOf(metadata).flatMap(({ endpoints }) => (endpoints ?? []).filter(isServing));
  }

  /** `web-0.web`: an endpoint of a Service that is called after its pod. */
  #endpointNamed(
    name: string,
    namespace: string,
  ): { readonly owner: Service | undefined; readonly endpoints: readonly Endpoint[] } {
    const dot = name.indexOf('.');
    const owner = dot > 0 ? this.named(name.slice(dot + 1), namespace) : undefined;
    const all = owner ? this.endpointsOf(owner) : [];
    return { owner, endpoints: all.filter(({ hostname }) => hostname === name.slice(0, dot)) };
  }

  #slicesOf({ name, namespace }: Service['metadata']): readonly EndpointSlice[] {
    return this.#slices.filter(
      ({ metadata }) =>
        metadata.namespace === namespace && metadata.labels?.['kubernetes.io/service-name'] === name,
    );
  }

  /** The address of a pod that some Service has. */
  #toEndpoint(ip: string, port: number): Route {
    for (const { endpoints } of this.#slices)
      for (const { addresses, nodeName = '' } of endpoints ?? [])
        if (addresses.includes(ip)) return { kind: 'backends', backends: [{ node: nodeName, ip, port }] };
    return UNKNOWN;
  }
}

function isCalled(service: Service, host: string, namespace: string): boolean {
  const { clusterIP, externalIPs = [] } = service.spec ?? {};
  if (clusterIP === host && host !== HEADLESS) return true;
  const outer = service.status?.loadBalancer?.ingress ?? [];
  if (externalIPs.includes(host) || outer.some(({ ip }) => ip === host)) return true;
  return isNamed(service, host, namespace);
}

function isNamed({ metadata }: Service, host: string, namespace: string): boolean {
  const { name = '', namespace: own = '' } = metadata;
  return (own === namespace && host === name) || DOMAINS.some((domain) => host === `${name}.${own}${domain}`);
}

/** Nobody answers for who has no address. */
function answered(name: string, endpoints: readonly Endpoint[]): ResolvedName | undefined {
  const addresses = endpoints.flatMap((endpoint) => endpoint.addresses);
  return addresses.length > 0 ? { name, addresses } : undefined;
}

export const fullNameOf = ({ metadata }: Service): string =>
  `${metadata.name ?? ''}.${metadata.namespace ?? ''}.svc.${CLUSTER_DOMAIN}`;

const isServing = ({ conditions }: Endpoint): boolean => conditions?.ready !== false;

const portOf = ({ ports }: EndpointSlice, name: string | undefined): number | undefined =>
  (ports ?? []).find((each) => (each.name ?? '') === (name ?? ''))?.port;

function backendsOf(
  slices: readonly EndpointSlice[],
  portIn: (slice: EndpointSlice) => number | undefined,
): readonly Backend[] {
  const all = slices.flatMap((slice) => {
    const port = portIn(slice);
    return port === undefined ? [] : (slice.endpoints ?? []).map((endpoint) => ({ endpoint, port }));
  });
  const ready = all.filter(({ endpoint }) => endpoint.conditions?.ready !== false);
  const ending = all.filter(({ endpoint: { conditions } }) => conditions?.serving && conditions.terminating);
  return (ready.length > 0 ? ready : ending).map(({ endpoint, port }) => ({
    node: endpoint.nodeName ?? '',
    ip: endpoint.addresses[0] ?? '',
    port,
  }));
}
