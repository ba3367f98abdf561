/**
 * The rules about workloads that watch whole runs, by name. They see what is stored and whether the control plane is
 * whole, and nothing else.
 */
import type { NodeRule, RuleSettings } from '../nodes/observation.ts';
import { CronStartsOnce } from './cron-starts-once.ts';
import { JobPodsCountedOnce } from './job-pods-counted-once.ts';
import { OneControllerPerObject } from './one-controller-per-object.ts';
import { ReplicasConverge } from './replicas-converge.ts';
import { RolloutsWithinBounds } from './rollouts-within-bounds.ts';
import { StatefulPodsInOrder } from './stateful-pods-in-order.ts';

export const WORKLOAD_RULE_CLASSES = {
  'one-controller-per-object': OneControllerPerObject,
  'replicas-converge': ReplicasConverge,
  'rollouts-within-bounds': RolloutsWithinBounds,
  'stateful-pods-in-order': StatefulPodsInOrder,
  'job-pods-counted-once': JobPodsCountedOnce,
  'cron-starts-once': CronStartsOnce,
} as const satisfies Readonly<Record<string, new (settings: RuleSettings) => NodeRule>>;

export type WorkloadRuleName = keyof typeof WORKLOAD_RULE_CLASSES;
export const WORKLOAD_RULES = Object.keys(WORKLOAD_RULE_CLASSES) as readonly WorkloadRuleName[];
