/** Generated from the catalog by sim/cli/generate-types.ts: types of scheduling-k8s-io-v1. */
import type { ObjectMeta } from '../object.ts';

/** Name for a priority of pods. */
export type PriorityClass = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Required. */
  readonly value: number;
  readonly globalDefault?: boolean;
  readonly description?: string;
  /** One of "Never", "PreemptLowerPriority". */
  readonly preemptionPolicy?: 'Never' | 'PreemptLowerPriority' | '';
};
