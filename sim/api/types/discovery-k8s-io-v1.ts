/** Generated from the catalog by sim/cli/generate-types.ts: types of discovery-k8s-io-v1. */
import type { ObjectMeta } from '../object.ts';
import type { ObjectReference } from './core-v1.ts';

export interface Endpoint {
  /** Required. */
  readonly addresses: readonly string[];
  readonly conditions?: EndpointConditions;
  readonly hostname?: string;
  readonly targetRef?: ObjectReference;
  readonly deprecatedTopology?: Readonly<Record<string, string>>;
  readonly nodeName?: string;
  readonly zone?: string;
  readonly hints?: EndpointHints;
}

export interface EndpointConditions {
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
}

export interface EndpointHints {
  readonly forZones?: readonly ForZone[];
}

export interface EndpointPort {
  readonly name?: string;
  /** One of "SCTP", "TCP", "UDP". */
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP' | '';
  readonly port?: number;
  readonly appProtocol?: string;
}

/** Some of the addresses and ports behind a service. */
export type EndpointSlice = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** One of "FQDN", "IPv4", "IPv6". Required. */
  readonly addressType: 'FQDN' | 'IPv4' | 'IPv6';
  /** Required. */
  readonly endpoints: readonly Endpoint[];
  readonly ports?: readonly EndpointPort[];
};

export interface ForZone {
  /** Required. */
  readonly name: string;
}
