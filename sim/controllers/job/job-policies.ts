/** What a Job's policies say about a pod that has failed, and about the indexes that have succeeded. Pure. */
import type {
  Job,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from '../../api/types/batch-v1.ts';
import type { ContainerStatus, Pod } from '../../api/types/core-v1.ts';
import { type Indexes, parseIndexes } from './job-indexes.ts';

export interface FailureVerdict {
  /** Against the limits of the Job. */
  readonly counts: boolean;
  readonly action?: string;
  /** Why the whole Job fails. */
  readonly failsJob?: string;
}

const COUNTS: FailureVerdict = { counts: true };

/** The first rule that matches decides. */
export function judgeFailure({ spec }: Job, pod: Pod): FailureVerdict {
  for (const [index, rule] of (spec?.podFailurePolicy?.rules ?? []).entries()) {
    const match = matchOf(rule, pod);
    if (match === undefined) continue;
    const { action } = rule;
    if (action !== 'FailJob') return { counts: action !== 'Ignore', action };
    return { counts: true, action, failsJob: `${match} matching FailJob rule at index ${index}` };
  }
  return COUNTS;
}

/** In words; undefined: it does not match. */
function matchOf(
  { onExitCodes, onPodConditions }: PodFailurePolicyRule,
  { metadata, status }: Pod,
): string | undefined {
  const pod = `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
  if (onExitCodes) {
    const containers = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
    const found = containers.find((container) => matchesExit(onExitCodes, container));
    return found && `Container ${found.name} for pod ${pod} failed with exit code ${exitCodeOf(found)}`;
  }
  const condition = status?.conditions?.find(({ type, status: is }) =>
    onPodConditions?.some((pattern) => pattern.type === type && pattern.status === is),
  );
  return condition && `Pod ${pod} has condition ${condition.type}`;
}

const exitCodeOf = ({ state }: ContainerStatus): number => state?.terminated?.exitCode ?? 0;

function matchesExit(
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
  container: ContainerStatus,
): boolean {
  const code = exitCodeOf(container);
  if (code === 0 || (containerName !== undefined && containerName !== container.name)) return false;
  return operator === 'In' ? values.includes(code) : operator === 'NotIn' && !values.includes(code);
}

/** The message of a Job that has succeeded before all of its indexes have; undefined: it has not. */
export function earlySuccess({ spec }: Job, succeeded: Indexes): string | undefined {
  if (succeeded.size === 0) return undefined;
  const index = (spec?.successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined)
      return succeededCount !== undefined && succeeded.size >= succeededCount;
    const required = parseIndexes(succeededIndexes, spec?.completions ?? 0);
    if (required.size === 0) return false;
    const met = [...required].filter((one) => succeeded.has(one)).length;
    return met === required.size || (succeededCount !== undefined && met >= succeededCount);
  });
  return index < 0 ? undefined : `Matched rules at index ${index}`;
}
