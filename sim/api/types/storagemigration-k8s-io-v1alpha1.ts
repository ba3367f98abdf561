/** Generated from the catalog by sim/cli/generate-types.ts: types of storagemigration-k8s-io-v1alpha1. */
import type { ObjectMeta } from '../object.ts';

export interface GroupVersionResource {
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
}

export interface MigrationCondition {
  /** Required. */
  readonly type: string;
  /** Required. */
  readonly status: string;
  /** RFC 3339, whole seconds. */
  readonly lastUpdateTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Request to store all objects of a resource in its present version. */
export type StorageVersionMigration = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: StorageVersionMigrationSpec;
  readonly status?: StorageVersionMigrationStatus;
};

export interface StorageVersionMigrationSpec {
  /** Required. */
  readonly resource: GroupVersionResource;
  readonly continueToken?: string;
}

export interface StorageVersionMigrationStatus {
  /** Items are told apart by type. */
  readonly conditions?: readonly MigrationCondition[];
  readonly resourceVersion?: string;
}
