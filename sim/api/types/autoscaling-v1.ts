/** Generated from the catalog by sim/cli/generate-types.ts: types of autoscaling-v1. */
import type { ObjectMeta } from '../object.ts';

export interface CrossVersionObjectReference {
  /** Required. */
  readonly kind: string;
  /** Required. */
  readonly name: string;
  readonly apiVersion?: string;
}

/** Changes the number of replicas of a workload so that its metrics stay near their targets. */
export type HorizontalPodAutoscaler = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: HorizontalPodAutoscalerSpec;
  readonly status?: HorizontalPodAutoscalerStatus;
};

export interface HorizontalPodAutoscalerSpec {
  /** Required. */
  readonly scaleTargetRef: CrossVersionObjectReference;
  readonly minReplicas?: number;
  /** Required. */
  readonly maxReplicas: number;
  readonly targetCPUUtilizationPercentage?: number;
}

export interface HorizontalPodAutoscalerStatus {
  readonly observedGeneration?: number;
  /** RFC 3339, whole seconds. */
  readonly lastScaleTime?: string;
  /** Required. */
  readonly currentReplicas: number;
  /** Required. */
  readonly desiredReplicas: number;
  readonly currentCPUUtilizationPercentage?: number;
}

/** How many replicas a workload has and is to have. */
export type Scale = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: ScaleSpec;
  readonly status?: ScaleStatus;
};

export interface ScaleSpec {
  readonly replicas?: number;
}

export interface ScaleStatus {
  /** Required. */
  readonly replicas: number;
  readonly selector?: string;
}
