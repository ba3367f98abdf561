/** Generated from the catalog by sim/cli/generate-types.ts: types of internal-apiserver-k8s-io-v1alpha1. */
import type { ApiObject, ObjectMeta } from '../object.ts';

export interface ServerStorageVersion {
  readonly apiServerID?: string;
  readonly encodingVersion?: string;
  readonly decodableVersions?: readonly string[];
  readonly servedVersions?: readonly string[];
}

export interface StorageVersion extends ApiObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly spec: StorageVersionSpec;
  readonly status: StorageVersionStatus;
}

export interface StorageVersionCondition {
  readonly type: string;
  readonly status: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string;
  readonly reason: string;
  readonly message: string;
}

export interface StorageVersionSpec {}

export interface StorageVersionStatus {
  readonly storageVersions?: readonly ServerStorageVersion[];
  readonly commonEncodingVersion?: string;
  readonly conditions?: readonly StorageVersionCondition[];
}
