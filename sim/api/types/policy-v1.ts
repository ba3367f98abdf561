/** Generated from the catalog by sim/cli/generate-types.ts: types of policy-v1. */
import type { ObjectMeta } from '../object.ts';
import type { Condition, DeleteOptions, LabelSelector } from './meta-k8s-io-v1.ts';

/** Request to delete a pod that budgets may refuse. */
export type Eviction = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** How an object is to be deleted. */
  readonly deleteOptions?: DeleteOptions;
};

/** Says how many pods of an application may be down of free will at once. */
export type PodDisruptionBudget = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: PodDisruptionBudgetSpec;
  readonly status?: PodDisruptionBudgetStatus;
};

export interface PodDisruptionBudgetSpec {
  /** Number, or percentage such as `25%`, or name of a port. */
  readonly minAvailable?: number | string;
  /** Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly selector?: LabelSelector;
  /** Number, or percentage such as `25%`, or name of a port. */
  readonly maxUnavailable?: number | string;
  /** One of "AlwaysAllow", "IfHealthyBudget". */
  readonly unhealthyPodEvictionPolicy?: 'AlwaysAllow' | 'IfHealthyBudget' | '';
}

export interface PodDisruptionBudgetStatus {
  readonly observedGeneration?: number;
  readonly disruptedPods?: Readonly<Record<string, string>>;
  /** Required. */
  readonly disruptionsAllowed: number;
  /** Required. */
  readonly currentHealthy: number;
  /** Required. */
  readonly desiredHealthy: number;
  /** Required. */
  readonly expectedPods: number;
  /** Items are told apart by type. */
  readonly conditions?: readonly Condition[];
}
