/** Generated from the catalog by sim/cli/generate-types.ts: types of discovery-k8s-io-v1. */
import type { ApiObject, ObjectMeta } from '../object.ts';
import type { ObjectReference } from './core-v1.ts';

export interface Endpoint {
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
  readonly protocol?: string;
  readonly port?: number;
  readonly appProtocol?: string;
}

export interface EndpointSlice extends ApiObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly addressType: string;
  readonly endpoints: readonly Endpoint[];
  readonly ports?: readonly EndpointPort[];
}

export interface ForZone {
  readonly name: string;
}
