/** Generated from the catalog by sim/cli/generate-types.ts: types of storagemigration-k8s-io-v1alpha1. */
import type { ApiObject, ObjectMeta } from '../object.ts';

export interface GroupVersionResource {
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
}

export interface MigrationCondition {
  readonly type: string;
  readonly status: string;
  readonly lastUpdateTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface StorageVersionMigration extends ApiObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly spec?: StorageVersionMigrationSpec;
  readonly status?: StorageVersionMigrationStatus;
}

export interface StorageVersionMigrationSpec {
  readonly resource: GroupVersionResource;
  readonly continueToken?: string;
}

export interface StorageVersionMigrationStatus {
  readonly conditions?: readonly MigrationCondition[];
  readonly resourceVersion?: string;
}
