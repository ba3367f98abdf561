/** Generated from the catalog by sim/cli/generate-types.ts: types of batch-v1. */
import type { ObjectMeta } from '../object.ts';
import type { ObjectReference, PodTemplateSpec } from './core-v1.ts';
import type { LabelSelector } from './meta-k8s-io-v1.ts';

/** Creates jobs by a schedule. */
export type CronJob = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: CronJobSpec;
  readonly status?: CronJobStatus;
};

export interface CronJobSpec {
  /** Required. */
  readonly schedule: string;
  readonly timeZone?: string;
  readonly startingDeadlineSeconds?: number;
  /** One of "Allow", "Forbid", "Replace". */
  readonly concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace' | '';
  readonly suspend?: boolean;
  /** Required. */
  readonly jobTemplate: JobTemplateSpec;
  readonly successfulJobsHistoryLimit?: number;
  readonly failedJobsHistoryLimit?: number;
}

export interface CronJobStatus {
  readonly active?: readonly ObjectReference[];
  /** RFC 3339, whole seconds. */
  readonly lastScheduleTime?: string;
  /** RFC 3339, whole seconds. */
  readonly lastSuccessfulTime?: string;
}

/** Runs pods until enough of them have succeeded. */
export type Job = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: JobSpec;
  readonly status?: JobStatus;
};

export interface JobCondition {
  /** Required. */
  readonly type: string;
  /** Required. */
  readonly status: string;
  /** RFC 3339, whole seconds. */
  readonly lastProbeTime?: string;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface JobSpec {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly activeDeadlineSeconds?: number;
  readonly podFailurePolicy?: PodFailurePolicy;
  readonly successPolicy?: SuccessPolicy;
  readonly backoffLimit?: number;
  readonly backoffLimitPerIndex?: number;
  readonly maxFailedIndexes?: number;
  /** Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly selector?: LabelSelector;
  readonly manualSelector?: boolean;
  /** Required. What the pods of a template are like. */
  readonly template: PodTemplateSpec;
  readonly ttlSecondsAfterFinished?: number;
  /** One of "Indexed", "NonIndexed". */
  readonly completionMode?: 'Indexed' | 'NonIndexed' | '';
  readonly suspend?: boolean;
  /** One of "Failed", "TerminatingOrFailed". */
  readonly podReplacementPolicy?: 'Failed' | 'TerminatingOrFailed' | '';
  readonly managedBy?: string;
}

export interface JobStatus {
  readonly conditions?: readonly JobCondition[];
  /** RFC 3339, whole seconds. */
  readonly startTime?: string;
  /** RFC 3339, whole seconds. */
  readonly completionTime?: string;
  readonly active?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly terminating?: number;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly uncountedTerminatedPods?: UncountedTerminatedPods;
  readonly ready?: number;
}

export interface JobTemplateSpec {
  /** What all objects have in common. */
  readonly metadata?: ObjectMeta;
  readonly spec?: JobSpec;
}

export interface PodFailurePolicy {
  /** Required. */
  readonly rules: readonly PodFailurePolicyRule[];
}

export interface PodFailurePolicyOnExitCodesRequirement {
  readonly containerName?: string;
  /** One of "In", "NotIn". Required. */
  readonly operator: 'In' | 'NotIn';
  /** Required. */
  readonly values: readonly number[];
}

export interface PodFailurePolicyOnPodConditionsPattern {
  /** Required. */
  readonly type: string;
  /** Required. */
  readonly status: string;
}

export interface PodFailurePolicyRule {
  /** One of "Count", "FailIndex", "FailJob", "Ignore". Required. */
  readonly action: 'Count' | 'FailIndex' | 'FailJob' | 'Ignore';
  readonly onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  readonly onPodConditions?: readonly PodFailurePolicyOnPodConditionsPattern[];
}

export interface SuccessPolicy {
  /** Required. */
  readonly rules: readonly SuccessPolicyRule[];
}

export interface SuccessPolicyRule {
  readonly succeededIndexes?: string;
  readonly succeededCount?: number;
}

export interface UncountedTerminatedPods {
  readonly succeeded?: readonly string[];
  readonly failed?: readonly string[];
}
