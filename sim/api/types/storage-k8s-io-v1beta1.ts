/** Generated from the catalog by sim/cli/generate-types.ts: types of storage-k8s-io-v1beta1. */
import type { ApiObject, ObjectMeta } from '../object.ts';

export interface VolumeAttributesClass extends ApiObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly driverName: string;
  readonly parameters?: Readonly<Record<string, string>>;
}
