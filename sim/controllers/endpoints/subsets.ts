/** The subsets of a service's Endpoints: addresses with the same ports together, in one order. Pure. */
import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
  Pod,
  Service,
  ServicePort,
} from '../../api/types/core-v1.ts';
import {
  addressOf,
  belongs,
  familiesOf,
  hostnameOf,
  isReady,
  portOf,
} from '../service-endpoints/pods-of-service.ts';

/** More addresses than that are cut off. */
const MOST_ADDRESSES = 1000;

interface Place {
  readonly address: EndpointAddress;
  readonly ready: boolean;
  readonly ports: readonly EndpointPort[];
}

export function subsetsOf(service: Service, pods: readonly Pod[]): readonly EndpointSubset[] {
  const publishesAll = service.spec?.publishNotReadyAddresses === true;
  const places = pods
    .filter((pod) => belongs(pod, publishesAll))
    .flatMap((pod) => placeOf(service, pod, publishesAll) ?? []);
  return packed(places);
}

function placeOf(service: Service, pod: Pod, publishesAll: boolean): Place | undefined {
  const [family = 'IPv4'] = familiesOf(service);
  const ip = addressOf(pod, family);
  if (ip === undefined) return undefined;
  const { name = '', namespace = '', uid = '' } = pod.metadata;
  const hostname = hostnameOf(pod, service);
  const address: EndpointAddress = {
    ip,
    ...(hostname !== undefined && { hostname }),
    nodeName: pod.spec?.nodeName ?? '',
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
  const wanted = service.spec?.ports ?? [];
  const ports = wanted.flatMap((port) => portIn(pod, port) ?? []);
  if (wanted.length > 0 && ports.length === 0) return undefined;
  return { address, ready: publishesAll || isReady(pod), ports };
}

function portIn(pod: Pod, wanted: ServicePort): EndpointPort | undefined {
  const port = portOf(pod, wanted);
  if (port === undefined) return undefined;
  const { name, protocol = 'TCP', appProtocol } = wanted;
  return {
    ...(name !== undefined && { name }),
    port,
    protocol,
    ...(appProtocol !== undefined && { appProtocol }),
  };
}

const textOf = ({ name = '', port, protocol = '' }: EndpointPort): string => `${name} ${protocol} ${port}`;

/** First each port by its addresses, then ports with the same addresses together. */
function packed(places: readonly Place[]): readonly EndpointSubset[] {
  if (places.every(({ ports }) => ports.length === 0))
    return places.length === 0 ? [] : [subsetOf(places, [])];
  const byPort = new Map<string, { readonly port: EndpointPort; readonly places: Place[] }>();
  for (const place of places)
    for (const port of place.ports) {
      const known = byPort.get(textOf(port));
      if (known) known.places.push(place);
      else byPort.set(textOf(port), { port, places: [place] });
    }
  const byPlaces = new Map<string, { readonly ports: EndpointPort[]; readonly places: readonly Place[] }>();
  for (const { port, places: of } of byPort.values()) {
    const key = of
      .map(({ address }) => `${address.ip} ${address.targetRef?.uid ?? ''}`)
      .sort()
      .join();
    const known = byPlaces.get(key);
    if (known) known.ports.push(port);
    else byPlaces.set(key, { ports: [port], places: of });
  }
  return [...byPlaces.values()].map(({ ports, places: of }) => subsetOf(of, ports)).sort(inOrder);
}

const inOrder = (one: EndpointSubset, other: EndpointSubset): number => {
  const [a, b] = [one, other].map(({ ports = [] }) => ports.map(textOf).join()) as [string, string];
  return a === b ? 0 : a < b ? -1 : 1;
};

/** Pods in the network of their node share its address: they stand by their uids. */
function byAddress(one: EndpointAddress, other: EndpointAddress): number {
  const [a, b] =
    one.ip === other.ip ? [one.targetRef?.uid ?? '', other.targetRef?.uid ?? ''] : [one.ip, other.ip];
  return a === b ? 0 : a < b ? -1 : 1;
}

function subsetOf(places: readonly Place[], ports: readonly EndpointPort[]): EndpointSubset {
  const sorted = [...places].sort((one, other) => byAddress(one.address, other.address));
  const of = (ready: boolean): readonly EndpointAddress[] =>
    sorted.filter((place) => place.ready === ready).map(({ address }) => address);
  const [ready, unready] = [of(true), of(false)];
  return {
    ...(ready.length > 0 && { addresses: ready }),
    ...(unready.length > 0 && { notReadyAddresses: unready }),
    ...(ports.length > 0 && { ports: [...ports].sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1)) }),
  };
}

const countOf = (subsets: readonly EndpointSubset[], of: 'addresses' | 'notReadyAddresses'): number =>
  subsets.reduce((sum, subset) => sum + (subset[of]?.length ?? 0), 0);

/** At most a thousand addresses, ready ones before others, shared out over the subsets. */
export function truncated(subsets: readonly EndpointSubset[]): {
  readonly subsets: readonly EndpointSubset[];
  readonly isCut: boolean;
} {
  const total = countOf(subsets, 'addresses') + countOf(subsets, 'notReadyAddresses');
  if (total <= MOST_ADDRESSES) return { subsets, isCut: false };
  const allReady = countOf(subsets, 'addresses');
  const readyRoom = Math.min(allReady, MOST_ADDRESSES);
  const share = (
    list: readonly EndpointAddress[] = [],
    room: number,
    of: number,
  ): readonly EndpointAddress[] => list.slice(0, of === 0 ? 0 : Math.trunc((room * list.length) / of));
  const cut = subsets.map(({ addresses, notReadyAddresses, ...rest }) => {
    const ready = share(addresses, readyRoom, allReady);
    const unready = share(notReadyAddresses, MOST_ADDRESSES - readyRoom, total - allReady);
    return {
      ...(ready.length > 0 && { addresses: ready }),
      ...(unready.length > 0 && { notReadyAddresses: unready }),
      ...rest,
    };
  });
  return { subsets: cut, isCut: true };
}
