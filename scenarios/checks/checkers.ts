/** Ready-made checks: of everything that a scenario has asked, and which rules watch its run. */
import type { History } from '../../model/history.ts';
import { NODE_RULES } from '../../model/nodes/node-rules.ts';
import { WORKLOAD_RULES } from '../../model/workloads/workload-rules.ts';
import { durable, linearizable, type ObservedOperation } from '../../model/operation-guarantees.ts';
import { SCHEDULING_RULES } from '../../model/scheduling/scheduling-rules.ts';
import { API_RULES } from '../../model/api/api-rules.ts';
import { WEBHOOK_RULES } from '../../model/api/webhook-rules.ts';
import { CONTROLLER_RULES } from '../../model/controllers/controller-rules.ts';
import { STORAGE_RULES } from '../../model/storage/storage-rules.ts';
import { READ_RULES } from '../../model/reads/observation.ts';
import type { CheckerName, RuleName } from '../language/checkers.ts';
import type { Scenario } from '../language/scenario-shape.ts';
import { comparable, operationOf, type Asked } from './operations.ts';

/** What a scenario has asked of single objects, and was answered. */
export class Observations {
  readonly operations: ObservedOperation[] = [];

  asked(asked: Asked): void {
    const operation = operationOf(asked);
    if (operation) this.operations.push(operation);
  }
}

/** Whether a checker compares with what truly happened. */
export const needsHistory = ({ spec: { checkers = [] } }: Scenario): boolean =>
  checkers.includes('writes-durable') || checkers.includes('reads-linearizable');

/** Rules about reads watch every run; those about nodes and schedulers every cluster with nodes, those about workloads every one with all controllers, and others by name. */
export function rulesOf({ spec }: Scenario): readonly RuleName[] {
  const { checkers = [], exempt = [], cluster } = spec;
  const hasNodes = cluster?.nodes !== undefined && cluster.nodes !== 0;
  const hasAll = cluster?.controllers === undefined;
  const ofNodes = [...NODE_RULES, ...SCHEDULING_RULES];
  const rules = [
    ...READ_RULES,
    ...API_RULES,
    ...WEBHOOK_RULES,
    ...CONTROLLER_RULES,
    ...STORAGE_RULES,
    ...ofNodes.filter((rule) => hasNodes || checkers.includes(rule)),
    ...WORKLOAD_RULES.filter((rule) => hasAll || checkers.includes(rule)),
  ];
  return rules.filter(
    (rule) => !exempt.includes(rule) && !(rule === 'no-pod-waits-in-vain' && waitsLonger(cluster)),
  );
}

/** Pods may wait for more than rooms and taints, or for longer, where somebody says so of the scheduler. */
const waitsLonger = (cluster: Scenario['spec']['cluster']): boolean =>
  typeof cluster?.scheduler === 'object' &&
  (cluster.scheduler.profiles !== undefined || (cluster.scheduler.podMaxBackoffSeconds ?? 0) > 10);

/** What does not hold, in words; none when all is well. Rules are the world's affair. */
export function checkObservations(
  checker: CheckerName,
  { operations }: Observations,
  history: History,
): readonly string[] {
  if (checker === 'writes-durable')
    return durable(comparable(operations, history), history).map(({ message }) => message);
  if (checker === 'reads-linearizable')
    return linearizable(comparable(operations, history), history).map(({ message }) => message);
  return [];
}
