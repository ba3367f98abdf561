/** Generated from the catalog by sim/cli/generate-types.ts: types of autoscaling-v2. */
import type { ObjectMeta } from '../object.ts';
import type { LabelSelector } from './meta-k8s-io-v1.ts';

export interface ContainerResourceMetricSource {
  /** Required. */
  readonly name: string;
  /** Required. */
  readonly target: MetricTarget;
  /** Required. */
  readonly container: string;
}

export interface ContainerResourceMetricStatus {
  /** Required. */
  readonly name: string;
  /** Required. */
  readonly current: MetricValueStatus;
  /** Required. */
  readonly container: string;
}

export interface CrossVersionObjectReference {
  /** Required. */
  readonly kind: string;
  /** Required. */
  readonly name: string;
  readonly apiVersion?: string;
}

export interface ExternalMetricSource {
  /** Required. */
  readonly metric: MetricIdentifier;
  /** Required. */
  readonly target: MetricTarget;
}

export interface ExternalMetricStatus {
  /** Required. */
  readonly metric: MetricIdentifier;
  /** Required. */
  readonly current: MetricValueStatus;
}

export interface HPAScalingPolicy {
  /** Required. */
  readonly type: string;
  /** Required. */
  readonly value: number;
  /** Required. */
  readonly periodSeconds: number;
}

export interface HPAScalingRules {
  readonly stabilizationWindowSeconds?: number;
  readonly selectPolicy?: string;
  readonly policies?: readonly HPAScalingPolicy[];
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

export interface HorizontalPodAutoscalerBehavior {
  readonly scaleUp?: HPAScalingRules;
  readonly scaleDown?: HPAScalingRules;
}

export interface HorizontalPodAutoscalerCondition {
  /** Required. */
  readonly type: string;
  /** Required. */
  readonly status: string;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface HorizontalPodAutoscalerSpec {
  /** Required. */
  readonly scaleTargetRef: CrossVersionObjectReference;
  readonly minReplicas?: number;
  /** Required. */
  readonly maxReplicas: number;
  readonly metrics?: readonly MetricSpec[];
  readonly behavior?: HorizontalPodAutoscalerBehavior;
}

export interface HorizontalPodAutoscalerStatus {
  readonly observedGeneration?: number;
  /** RFC 3339, whole seconds. */
  readonly lastScaleTime?: string;
  readonly currentReplicas?: number;
  /** Required. */
  readonly desiredReplicas: number;
  readonly currentMetrics?: readonly MetricStatus[];
  /** Items are told apart by type. */
  readonly conditions?: readonly HorizontalPodAutoscalerCondition[];
}

export interface MetricIdentifier {
  /** Required. */
  readonly name: string;
  /** Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly selector?: LabelSelector;
}

export interface MetricSpec {
  /** Required. */
  readonly type: string;
  readonly object?: ObjectMetricSource;
  readonly pods?: PodsMetricSource;
  readonly resource?: ResourceMetricSource;
  readonly containerResource?: ContainerResourceMetricSource;
  readonly external?: ExternalMetricSource;
}

export interface MetricStatus {
  /** Required. */
  readonly type: string;
  readonly object?: ObjectMetricStatus;
  readonly pods?: PodsMetricStatus;
  readonly resource?: ResourceMetricStatus;
  readonly containerResource?: ContainerResourceMetricStatus;
  readonly external?: ExternalMetricStatus;
}

export interface MetricTarget {
  /** Required. */
  readonly type: string;
  /** Quantity such as `500m`, `2` or `1Gi`. */
  readonly value?: string;
  /** Quantity such as `500m`, `2` or `1Gi`. */
  readonly averageValue?: string;
  readonly averageUtilization?: number;
}

export interface MetricValueStatus {
  /** Quantity such as `500m`, `2` or `1Gi`. */
  readonly value?: string;
  /** Quantity such as `500m`, `2` or `1Gi`. */
  readonly averageValue?: string;
  readonly averageUtilization?: number;
}

export interface ObjectMetricSource {
  /** Required. */
  readonly describedObject: CrossVersionObjectReference;
  /** Required. */
  readonly target: MetricTarget;
  /** Required. */
  readonly metric: MetricIdentifier;
}

export interface ObjectMetricStatus {
  /** Required. */
  readonly metric: MetricIdentifier;
  /** Required. */
  readonly current: MetricValueStatus;
  /** Required. */
  readonly describedObject: CrossVersionObjectReference;
}

export interface PodsMetricSource {
  /** Required. */
  readonly metric: MetricIdentifier;
  /** Required. */
  readonly target: MetricTarget;
}

export interface PodsMetricStatus {
  /** Required. */
  readonly metric: MetricIdentifier;
  /** Required. */
  readonly current: MetricValueStatus;
}

export interface ResourceMetricSource {
  /** Required. */
  readonly name: string;
  /** Required. */
  readonly target: MetricTarget;
}

export interface ResourceMetricStatus {
  /** Required. */
  readonly name: string;
  /** Required. */
  readonly current: MetricValueStatus;
}
