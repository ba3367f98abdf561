/** What is asked of the metrics of an autoscaler, and what one of them proposes. */
import type { MetricSpec, MetricStatus } from '../../api/types/autoscaling-v2.ts';
import type { Pod } from '../../api/types/core-v1.ts';

export interface MetricsQuestion {
  readonly metrics: readonly MetricSpec[];
  readonly namespace: string;
  /** Text of a label selector. */
  readonly selector: string;
  readonly pods: readonly Pod[];
  readonly currentReplicas: number;
  /** As the target's status counts them. */
  readonly presentReplicas: number;
  readonly nowMs: () => number;
}

export interface Proposal {
  readonly replicas: number;
  readonly metric: string;
  readonly status: MetricStatus;
}
