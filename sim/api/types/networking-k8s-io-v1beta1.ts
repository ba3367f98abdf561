/** Generated from the catalog by sim/cli/generate-types.ts: types of networking-k8s-io-v1beta1. */
import type { ObjectMeta } from '../object.ts';
import type { Condition } from './meta-k8s-io-v1.ts';

/** Address that an object has been given. */
export type IPAddress = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: IPAddressSpec;
};

export interface IPAddressSpec {
  /** Required. */
  readonly parentRef: ParentReference;
}

export interface ParentReference {
  readonly group?: string;
  /** Required. */
  readonly resource: string;
  readonly namespace?: string;
  /** Required. */
  readonly name: string;
}

/** Range out of which services get addresses. */
export type ServiceCIDR = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: ServiceCIDRSpec;
  readonly status?: ServiceCIDRStatus;
};

export interface ServiceCIDRSpec {
  readonly cidrs?: readonly string[];
}

export interface ServiceCIDRStatus {
  /** Items are told apart by type. */
  readonly conditions?: readonly Condition[];
}
