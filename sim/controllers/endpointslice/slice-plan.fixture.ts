import type { Endpoint, EndpointSlice } from '../../api/types/discovery-k8s-io-v1.ts';
import { planSlices, type SlicePlan, type WantedGroup } from './slice-plan.ts';

export const endpoint = (number: number, ready = true): Endpoint => ({
  addresses: [`10.0.0.${number}`],
  conditions: { ready },
  targetRef: { kind: 'Pod', uid: `u${number}` },
});
export const PORTS: EndpointSlice['ports'] = [{ name: '', protocol: 'TCP', port: 80 }];
export const group = (numbers: readonly number[], port = 80): WantedGroup => ({
  addressType: 'IPv4',
  ports: [{ name: '', protocol: 'TCP', port }],
  endpoints: numbers.map((number) => endpoint(number)),
});
export const slice = (
  name: string,
  numbers: readonly number[],
  ports: EndpointSlice['ports'] = PORTS,
): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name, uid: name },
  addressType: 'IPv4',
  endpoints: numbers.map((number) => endpoint(number)),
  ports,
});
export const plan = (
  groups: readonly WantedGroup[],
  present: readonly EndpointSlice[],
  isOwned: (slice: EndpointSlice) => boolean = () => true,
): SlicePlan =>
  planSlices(groups, present, { most: 5, isOwned, needsWrite: () => false, placeholders: ['IPv4'] });
