/** Generated from the catalog by sim/cli/generate-types.ts: types of scheduling-k8s-io-v1. */
import type { ApiObject, ObjectMeta } from '../object.ts';

export interface PriorityClass extends ApiObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly value: number;
  readonly globalDefault?: boolean;
  readonly description?: string;
  readonly preemptionPolicy?: string;
}
