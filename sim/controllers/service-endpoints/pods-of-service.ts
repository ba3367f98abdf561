/** What controllers of endpoints have in common: which pods stand behind a service, and where. Pure. Kubernetes 1.31. */
import { selectorOfLabels } from '../../api/selector/label-selector.ts';
import type { Container, Pod, Service, ServicePort } from '../../api/types/core-v1.ts';
import type { Lister } from '../../client/informer/object-store.ts';

export const HEADLESS = 'service.kubernetes.io/headless';
export const LAST_TRIGGER = 'endpoints.kubernetes.io/last-change-trigger-time';

/** A service that somebody else keeps endpoints for, or nobody, has none. */
export const selectsPods = ({ spec }: Service): boolean =>
  spec?.type !== 'ExternalName' && spec?.selector !== undefined && spec.selector !== null;

export const isHeadless = ({ spec }: Service): boolean => !spec?.clusterIP || spec.clusterIP === 'None';

export function podsOf({ metadata, spec }: Service, pods: Lister<Pod>): readonly Pod[] {
  const selector = selectorOfLabels(spec?.selector ?? {});
  return pods
    .byIndex('namespace', metadata.namespace ?? '')
    .filter((pod) => selector.matches(pod.metadata.labels));
}

/** Keys of the services whose endpoints a pod may be among. */
export function servicesOf({ metadata }: Pod, services: Lister<Service>): readonly string[] {
  const { namespace = '', labels } = metadata;
  return services
    .byIndex('namespace', namespace)
    .filter(
      (service) => selectsPods(service) && selectorOfLabels(service.spec?.selector ?? {}).matches(labels),
    )
    .map((service) => `${namespace}/${service.metadata.name ?? ''}`);
}

export function belongs({ metadata, status }: Pod, includesLeaving: boolean): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return false;
  if (!status?.podIP && (status?.podIPs ?? []).length === 0) return false;
  return includesLeaving || metadata.deletionTimestamp === undefined;
}

export const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;

/** Its name in DNS, if the pod asks for one under this service. */
export function hostnameOf({ metadata, spec }: Pod, service: Service): string | undefined {
  const isUnder =
    spec?.subdomain === service.metadata.name && metadata.namespace === service.metadata.namespace;
  return spec?.hostname && isUnder ? spec.hostname : undefined;
}

/** The port of the pod; undefined: it has none of that name. */
export function portOf(
  { spec }: Pod,
  { port, targetPort, protocol = 'TCP' }: ServicePort,
): number | undefined {
  if (typeof targetPort === 'number' && targetPort !== 0) return targetPort;
  if (typeof targetPort !== 'string' || targetPort === '') return port;
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const all: readonly Container[] = [...(spec?.containers ?? []), ...sidecars];
  for (const { ports = [] } of all)
    for (const each of ports)
      if (each.name === targetPort && (each.protocol ?? 'TCP') === protocol) return each.containerPort;
  return undefined;
}

export const familyOf = (ip: string): 'IPv4' | 'IPv6' => (ip.includes(':') ? 'IPv6' : 'IPv4');

/** The pod's address of that family. */
export const addressOf = ({ status }: Pod, family: string): string | undefined => {
  const all = status?.podIPs?.flatMap(({ ip }) => ip ?? []) ?? [];
  return (all.length > 0 ? all : status?.podIP ? [status.podIP] : []).find((ip) => familyOf(ip) === family);
};

export function familiesOf({ spec }: Service): readonly ('IPv4' | 'IPv6')[] {
  const families = (spec?.ipFamilies ?? []).filter((family) => family !== '');
  return families.length > 0 ? families : ['IPv4'];
}

/** Whether anything about a pod has changed that endpoints tell, or that services select it by. */
export function matters(pod: Pod, old: Pod): boolean {
  return pod !== old && (pod.metadata.labels !== old.metadata.labels || factsText(pod) !== factsText(old));
}

const factsText = (pod: Pod): string =>
  JSON.stringify([
    pod.metadata.labels,
    pod.metadata.deletionTimestamp,
    pod.spec?.nodeName,
    pod.spec?.hostname,
    pod.spec?.subdomain,
    pod.status?.podIP,
    pod.status?.podIPs,
    pod.status?.phase,
    pod.status?.conditions?.find(({ type }) => type === 'Ready'),
  ]);
