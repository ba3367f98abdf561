/** Generated from the catalog by sim/cli/generate-types.ts: types of internal-apiserver-k8s-io-v1alpha1. */
import type { ObjectMeta } from '../object.ts';

export interface ServerStorageVersion {
  readonly apiServerID?: string;
  readonly encodingVersion?: string;
  readonly decodableVersions?: readonly string[];
  readonly servedVersions?: readonly string[];
}

/** Versions in which servers store and read a resource. */
export type StorageVersion = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Required. */
  readonly spec: StorageVersionSpec;
  /** Required. */
  readonly status: StorageVersionStatus;
};

export interface StorageVersionCondition {
  /** Required. */
  readonly type: string;
  /** Required. */
  readonly status: string;
  readonly observedGeneration?: number;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime?: string;
  /** Required. */
  readonly reason: string;
  /** Required. */
  readonly message: string;
}

export interface StorageVersionSpec {}

export interface StorageVersionStatus {
  /** Items are told apart by apiServerID. */
  readonly storageVersions?: readonly ServerStorageVersion[];
  readonly commonEncodingVersion?: string;
  /** Items are told apart by type. */
  readonly conditions?: readonly StorageVersionCondition[];
}
