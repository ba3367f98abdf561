/** The slices that say what Endpoints say which somebody has written by hand. Pure. Kubernetes 1.31. */
import type { EndpointAddress, Endpoints, EndpointSubset } from '../../api/types/core-v1.ts';
import type { Endpoint } from '../../api/types/discovery-k8s-io-v1.ts';
import type { WantedGroup } from '../endpointslice/slice-plan.ts';
import { familyOf } from '../service-endpoints/pods-of-service.ts';

/** Of a subset no more than that are mirrored, all of them by one slice. */
export const MOST_ADDRESSES = 1000;
const FAMILIES = ['IPv4', 'IPv6'] as const;

export function groupsOf({ subsets = [] }: Endpoints): readonly WantedGroup[] {
  return subsets.flatMap((subset) =>
    FAMILIES.flatMap((addressType) => {
      const endpoints = endpointsOf(subset, addressType);
      return endpoints.length === 0 ? [] : [{ addressType, endpoints, ports: portsOf(subset) }];
    }),
  );
}

/** How many addresses are one too many in their subsets. */
export const leftOutOf = ({ subsets = [] }: Endpoints): number =>
  subsets.reduce((sum, { addresses = [], notReadyAddresses = [] }) => {
    const all = addresses.length + notReadyAddresses.length;
    return sum + Math.max(0, all - MOST_ADDRESSES);
  }, 0);

function endpointsOf(
  { addresses = [], notReadyAddresses = [] }: EndpointSubset,
  addressType: string,
): readonly Endpoint[] {
  const ready = addresses.map((address) => mirrored(address, true));
  const unready = notReadyAddresses.map((address) => mirrored(address, false));
  return [...ready, ...unready]
    .slice(0, MOST_ADDRESSES)
    .filter(({ addresses: [ip = ''] }) => familyOf(ip) === addressType);
}

const portsOf = ({ ports = [] }: EndpointSubset): WantedGroup['ports'] =>
  ports.map(({ name = '', port, protocol = 'TCP', appProtocol }) => ({
    name,
    protocol,
    port,
    ...(appProtocol !== undefined && { appProtocol }),
  }));

const mirrored = ({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint => ({
  addresses: [ip],
  conditions: { ready },
  ...(hostname && { hostname }),
  ...(targetRef && { targetRef }),
  ...(nodeName && { nodeName }),
});
