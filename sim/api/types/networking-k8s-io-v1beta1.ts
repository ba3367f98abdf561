/** Generated from the catalog by sim/cli/generate-types.ts: types of networking-k8s-io-v1beta1. */
import type { ApiObject, ObjectMeta } from '../object.ts';
import type { Condition } from './meta-k8s-io-v1.ts';

export interface IPAddress extends ApiObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly spec?: IPAddressSpec;
}

export interface IPAddressSpec {
  readonly parentRef: ParentReference;
}

export interface ParentReference {
  readonly group?: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
}

export interface ServiceCIDR extends ApiObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly spec?: ServiceCIDRSpec;
  readonly status?: ServiceCIDRStatus;
}

export interface ServiceCIDRSpec {
  readonly cidrs?: readonly string[];
}

export interface ServiceCIDRStatus {
  readonly conditions?: readonly Condition[];
}
