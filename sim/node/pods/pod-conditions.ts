/** The conditions of a pod that its node agent owns, with Kubernetes' own reasons and messages. Pure. */
import type { Container, Pod, PodCondition, PodStatus } from '../../api/types/core-v1.ts';
import type { ContainerRecord } from './container-state.ts';
import { initContainersOf, isSidecar, mainContainersOf } from './pod-containers.ts';
import type { Phase } from './pod-phase.ts';
import type { PodRecord } from './pod-record.ts';

interface Judgement {
  readonly type: string;
  readonly isTrue: boolean;
  readonly reason?: string;
  readonly message?: string;
}

type Finding = Omit<Judgement, 'type'>;
type Records = ReadonlyMap<string, ContainerRecord>;

/** The types of the conditions that only the agent writes. */
export const OWN_CONDITIONS: ReadonlySet<string> = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
]);
const DISRUPTION = 'DisruptionTarget';
const FINE: Finding = { isTrue: true };

/** `old` gives them their transition times, and the conditions of others, which stay. */
export function conditionsOf(
  pod: Pod,
  record: PodRecord,
  phase: Phase,
  now: string,
  old: PodStatus | undefined,
): readonly PodCondition[] {
  const others = (old?.conditions ?? []).filter(({ type }) => !OWN_CONDITIONS.has(type));
  const disruption = disruptionOf(record, others);
  const kept = disruption ? others.filter(({ type }) => type !== DISRUPTION) : others;
  const containers = containersReady(pod, record, phase);
  const judgements: readonly Judgement[] = [
    ...(disruption ? [disruption] : []),
    { type: 'PodReadyToStartContainers', isTrue: record.hasSandbox },
    { type: 'Initialized', ...initialized(pod, record, phase) },
    { type: 'Ready', ...(containers.isTrue ? gatesOpen(pod, others) : containers) },
    { type: 'ContainersReady', ...containers },
    { type: 'PodScheduled', isTrue: true },
  ];
  // A pod that was never let in has nothing to say of itself.
  const own = record.isRejected ? [] : judgements.map((judgement) => condition(judgement, now, old));
  return [...kept, ...own];
}

function condition(
  { type, isTrue, reason, message }: Judgement,
  now: string,
  old: PodStatus | undefined,
): PodCondition {
  const before = old?.conditions?.find((candidate) => candidate.type === type);
  const status = isTrue ? 'True' : 'False';
  const since = before?.status === status ? before.lastTransitionTime : undefined;
  return {
    type,
    status,
    lastTransitionTime: since ?? now,
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
  };
}

/** Told with the end of the pod, unless it has been told by then. */
function disruptionOf(
  { isOver, failure }: PodRecord,
  others: readonly PodCondition[],
): Judgement | undefined {
  if (!isOver || !failure?.disruption) return undefined;
  const known = others.find(({ type, status }) => type === DISRUPTION && status === 'True');
  return known?.reason === failure.disruption.reason
    ? undefined
    : { type: DISRUPTION, isTrue: true, ...failure.disruption };
}

function initialized(pod: Pod, { init, main }: PodRecord, phase: Phase): Finding {
  const containers = initContainersOf(pod);
  const unknown = containers.filter(({ name }) => !init.has(name));
  if (phase === 'Succeeded' && unknown.length === 0) return { isTrue: true, reason: 'PodCompleted' };
  if ([...main.values()].some(({ state, lastTermination }) => lastTermination || state.kind !== 'waiting'))
    return FINE;
  const incomplete = containers.filter((container) => {
    const record = init.get(container.name);
    if (!record) return false;
    if (isSidecar(container)) return !record.isStarted;
    return !(record.state.kind === 'terminated' && record.state.exitCode === 0);
  });
  return failing('ContainersNotInitialized', unknown, 'incomplete', incomplete);
}

function containersReady(pod: Pod, { init, main }: PodRecord, phase: Phase): Finding {
  if (phase === 'Failed') return { isTrue: false, reason: 'PodFailed' };
  if (phase === 'Succeeded') return { isTrue: false, reason: 'PodCompleted' };
  const sidecars = initContainersOf(pod).filter(isSidecar);
  const regular = mainContainersOf(pod);
  const without = (records: Records) => (container: Container) => !records.has(container.name);
  const notReady = (records: Records) => (container: Container) =>
    records.get(container.name)?.isReady === false;
  return failing(
    'ContainersNotReady',
    [...sidecars.filter(without(init)), ...regular.filter(without(main))],
    'unready',
    [...sidecars.filter(notReady(init)), ...regular.filter(notReady(main))],
  );
}

function failing(
  reason: string,
  unknown: readonly Container[],
  word: string,
  wrong: readonly Container[],
): Finding {
  if (unknown.length + wrong.length === 0) return FINE;
  const parts = [
    ...(unknown.length > 0 ? [`containers with unknown status: ${listOf(unknown)}`] : []),
    ...(wrong.length > 0 ? [`containers with ${word} status: ${listOf(wrong)}`] : []),
  ];
  return { isTrue: false, reason, message: parts.join(', ') };
}

const listOf = (containers: readonly Container[]): string =>
  `[${containers.map(({ name }) => name).join(' ')}]`;

/** Conditions that others have to set before the pod counts as ready. */
function gatesOpen({ spec }: Pod, others: readonly PodCondition[]): Finding {
  const problems = (spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = others.find(({ type }) => type === conditionType);
    const quoted = JSON.stringify(conditionType);
    if (!gate) return [`corresponding condition of pod readiness gate ${quoted} does not exist.`];
    if (gate.status === 'True') return [];
    return [`the status of pod readiness gate ${quoted} is not "True", but ${gate.status}`];
  });
  if (problems.length === 0) return FINE;
  return { isTrue: false, reason: 'ReadinessGatesNotReady', message: problems.join(', ') };
}
