/** Generated from the catalog by sim/cli/generate-types.ts: types of apiregistration-k8s-io-v1. */
import type { ObjectMeta } from '../object.ts';

/** Server of a group and version of the API. */
export type APIService = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: APIServiceSpec;
  readonly status?: APIServiceStatus;
};

export interface APIServiceCondition {
  /** Required. */
  readonly type: string;
  /** Required. */
  readonly status: string;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface APIServiceSpec {
  readonly service?: ServiceReference;
  readonly group?: string;
  readonly version?: string;
  readonly insecureSkipTLSVerify?: boolean;
  /** Base64. */
  readonly caBundle?: string;
  /** Required. */
  readonly groupPriorityMinimum: number;
  /** Required. */
  readonly versionPriority: number;
}

export interface APIServiceStatus {
  /** Items are told apart by type. */
  readonly conditions?: readonly APIServiceCondition[];
}

export interface ServiceReference {
  readonly namespace?: string;
  readonly name?: string;
  readonly port?: number;
}
