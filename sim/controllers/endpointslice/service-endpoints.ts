/** The endpoints of a service as slices list them, in groups with the same ports. Pure. Kubernetes 1.31. */
import type { Node, Pod, Service } from '../../api/types/core-v1.ts';
import type { Endpoint, EndpointPort } from '../../api/types/discovery-k8s-io-v1.ts';
import { addressOf, belongs, hostnameOf, isReady, portOf } from '../service-endpoints/pods-of-service.ts';
import type { WantedGroup, AddressType } from './slice-plan.ts';

const ZONE = 'topology.kubernetes.io/zone';

export interface Found {
  readonly groups: readonly WantedGroup[];
  /** What kept pods out that belong in, in words. */
  readonly problems: readonly string[];
}

export interface Sources {
  readonly service: Service;
  readonly pods: readonly Pod[];
  readonly nodeCalled: (name: string) => Node | undefined;
}

export function endpointsOf({ service, pods, nodeCalled }: Sources, addressType: AddressType): Found {
  const groups = new Map<
    string,
    { readonly ports: readonly EndpointPort[]; readonly endpoints: Endpoint[] }
  >();
  const problems: string[] = [];
  const publishesAll = service.spec?.publishNotReadyAddresses === true;
  for (const pod of pods) {
    if (!belongs(pod, true)) continue;
    const address = addressOf(pod, addressType);
    if (address === undefined) continue;
    const nodeName = pod.spec?.nodeName;
    const node = nodeName ? nodeCalled(nodeName) : undefined;
    if (nodeName && !node && !publishesAll) {
      const { namespace = '', name = '' } = service.metadata;
      problems.push(
        `skipping Pod ${pod.metadata.name ?? ''} for Service ${namespace}/${name}: Node ${nodeName} Not Found`,
      );
      continue;
    }
    const ports = portsOf(service, pod);
    const key = JSON.stringify(ports);
    const endpoint = endpointOf(service, { pod, node, address });
    const known = groups.get(key);
    if (known) known.endpoints.push(endpoint);
    else groups.set(key, { ports, endpoints: [endpoint] });
  }
  return { groups: [...groups.values()].map((group) => ({ ...group, addressType })), problems };
}

function portsOf({ spec }: Service, pod: Pod): readonly EndpointPort[] {
  return (spec?.ports ?? []).flatMap((wanted) => {
    const port = portOf(pod, wanted);
    if (port === undefined) return [];
    const { name = '', protocol = 'TCP', appProtocol } = wanted;
    return [{ name, protocol, port, ...(appProtocol !== undefined && { appProtocol }) }];
  });
}

interface Place {
  readonly pod: Pod;
  readonly node: Node | undefined;
  readonly address: string;
}

function endpointOf(service: Service, { pod, node, address }: Place): Endpoint {
  const serving = isReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const { name = '', namespace = '', uid = '' } = pod.metadata;
  const zone = node?.metadata.labels?.[ZONE];
  const hostname = hostnameOf(pod, service);
  const isNear = service.spec?.trafficDistribution === 'PreferClose' && ready && zone !== undefined;
  return {
    addresses: [address],
    conditions: { ready, serving, terminating },
    ...(hostname !== undefined && { hostname }),
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(pod.spec?.nodeName && { nodeName: pod.spec.nodeName }),
    ...(zone !== undefined && { zone }),
    ...(isNear && { hints: { forZones: [{ name: zone }] } }),
  };
}
