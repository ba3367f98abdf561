/** Generated from the catalog by sim/cli/generate-types.ts: types of storage-k8s-io-v1alpha1. */
import type { ObjectMeta } from '../object.ts';

/** Attributes of volumes that can change while they are used. */
export type VolumeAttributesClass = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Required. */
  readonly driverName: string;
  readonly parameters?: Readonly<Record<string, string>>;
};
