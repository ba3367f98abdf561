/** What variables say of the pod itself: its fields, and the resources of its containers. Pure. Kubernetes 1.31. */
import { approximateNumber, parseQuantity } from '../../api/quantity.ts';
import type { Container, Pod, ResourceFieldSelector } from '../../api/types/core-v1.ts';

export interface PodSurroundings {
  readonly pod: Pod;
  readonly podIP: string;
  readonly hostIP: string;
  /** What the node has for pods: the limit of who has none. */
  readonly allocatable: Readonly<Record<string, string>>;
}

const KEYED = /^metadata\.(labels|annotations)\['(.*)'\]$/;

/** Undefined: there is no such field. */
export function ownField(path: string, { pod, podIP, hostIP }: PodSurroundings): string | undefined {
  const { metadata, spec } = pod;
  const [, map, key = ''] = KEYED.exec(path) ?? [];
  if (map === 'labels' || map === 'annotations') return metadata[map]?.[key] ?? '';
  const fields: Readonly<Record<string, string | undefined>> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'spec.nodeName': spec?.nodeName,
    'spec.serviceAccountName': spec?.serviceAccountName ?? '',
    'status.hostIP': hostIP,
    'status.hostIPs': hostIP,
    'status.podIP': podIP,
    'status.podIPs': podIP,
  };
  return fields[path];
}

/** In units of its divisor, rounded up. */
export function ownResource(
  { containerName = '', resource, divisor = '' }: ResourceFieldSelector,
  self: Pick<Container, 'resources'>,
  { pod, allocatable }: PodSurroundings,
): string {
  const [list = '', name = ''] = resource.split('.', 2);
  const others = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  const container = containerName === '' ? self : others.find((each) => each.name === containerName);
  const { limits, requests } = container?.resources ?? {};
  const own = list === 'limits' ? (limits?.[name] ?? allocatable[name]) : requests?.[name];
  const unit = divisor === '' || divisor === '0' ? '1' : divisor;
  const amount = approximateNumber(parseQuantity(own ?? '0')) / approximateNumber(parseQuantity(unit));
  // What floating point adds to a whole number is no part of it.
  return String(Math.ceil(Number(amount.toFixed(6))));
}
