/**
 * The status of a pod out of what its containers do: phase, conditions, container statuses. Pure; the
 * same rules, reasons and messages as Kubernetes' own node agent.
 * Specification: "Pods on nodes" (not shown: Kubernetes 1.31).
 */
import type { Container, ContainerStatus, Pod, PodCondition, PodStatus } from '../../api/types/core-v1.ts';
import { assertNever } from '../../engine/invariant.ts';
import type { ContainerRecord, ContainerState, Terminated } from './container-state.ts';

export interface PodRecord {
  readonly init: ReadonlyMap<string, ContainerRecord>;
  readonly main: ReadonlyMap<string, ContainerRecord>;
  readonly ephemeral: ReadonlyMap<string, ContainerRecord>;
  /** The sandbox has its network. */
  readonly hasSandbox: boolean;
  readonly startTime: string;
  readonly podIPs: readonly string[];
  readonly hostIP: string;
  /** Its containers have ended for good. */
  readonly isOver: boolean;
  /** The agent has given the pod up: evicted, rejected, past its deadline. */
  readonly failure?: { readonly reason: string; readonly message: string };
}

export type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';

export function phaseOf(pod: Pod, record: PodRecord): Phase {
  if (record.failure) return 'Failed';
  const policy = pod.spec?.restartPolicy ?? 'Always';
  if (record.isOver) {
    const { stopped, succeeded } = mainCounts(pod, record);
    return succeeded === stopped && stopped === (pod.spec?.containers ?? []).length ? 'Succeeded' : 'Failed';
  }
  const init = initCounts(pod, record);
  if (init.failed > 0 && policy === 'Never') return 'Failed';
  if (init.pending > 0) return 'Pending';
  const main = mainCounts(pod, record);
  if (main.waiting > 0) return 'Pending';
  if (main.running > 0 && main.unknown === 0) return 'Running';
  if (main.stopped === 0 || main.unknown > 0) return 'Pending';
  if (policy === 'Always') return 'Running';
  if (main.stopped === main.succeeded) return 'Succeeded';
  return policy === 'Never' ? 'Failed' : 'Running';
}

function initCounts(pod: Pod, { init }: PodRecord): { pending: number; failed: number } {
  let pending = 0;
  let failed = 0;
  for (const container of pod.spec?.initContainers ?? []) {
    const record = init.get(container.name);
    if (isSidecar(container)) {
      if (!record?.isStarted) pending += 1;
    } else if (!record) pending += 1;
    else if (record.state.kind === 'terminated') failed += record.state.exitCode === 0 ? 0 : 1;
    else if (record.state.kind === 'running') pending += 1;
    else if (!record.lastTermination) pending += 1;
    else if (record.lastTermination.exitCode !== 0) failed += 1;
  }
  // With another try to come the pod is still being initialised.
  return { pending: pending + (pod.spec?.restartPolicy === 'Never' ? 0 : failed), failed };
}

function mainCounts(pod: Pod, { main }: PodRecord) {
  const counts = { unknown: 0, running: 0, waiting: 0, stopped: 0, succeeded: 0 };
  for (const { name } of pod.spec?.containers ?? []) {
    const record = main.get(name);
    if (!record) counts.unknown += 1;
    else if (record.state.kind === 'running') counts.running += 1;
    else if (record.state.kind === 'terminated') {
      counts.stopped += 1;
      if (record.state.exitCode === 0) counts.succeeded += 1;
    } else if (record.lastTermination) counts.stopped += 1;
    else counts.waiting += 1;
  }
  return counts;
}

/** `old` gives conditions their transition times; `now` is RFC 3339. */
export function podStatusOf(pod: Pod, record: PodRecord, now: string, old: PodStatus | undefined): PodStatus {
  const phase = phaseOf(pod, record);
  const { spec } = pod;
  const statuses = (containers: readonly Container[], records: ReadonlyMap<string, ContainerRecord>) =>
    containers.flatMap((container) => {
      const known = records.get(container.name);
      return known ? [containerStatus(container, known)] : [];
    });
  const initStatuses = statuses(spec?.initContainers ?? [], record.init);
  const ephemeral = statuses((spec?.ephemeralContainers ?? []) as readonly Container[], record.ephemeral);
  return {
    phase,
    conditions: conditionsOf(pod, record, phase, now, old),
    ...(record.failure && { reason: record.failure.reason, message: record.failure.message }),
    hostIP: record.hostIP,
    hostIPs: [{ ip: record.hostIP }],
    ...(record.podIPs[0] !== undefined && {
      podIP: record.podIPs[0],
      podIPs: record.podIPs.map((ip) => ({ ip })),
    }),
    startTime: record.startTime,
    ...(initStatuses.length > 0 && { initContainerStatuses: initStatuses }),
    containerStatuses: statuses(spec?.containers ?? [], record.main),
    ...(ephemeral.length > 0 && { ephemeralContainerStatuses: ephemeral }),
    ...(old?.qosClass !== undefined && { qosClass: old.qosClass }),
  };
}

function containerStatus({ image }: Container, record: ContainerRecord): ContainerStatus {
  const { state, lastTermination, containerId } = record;
  return {
    name: record.name,
    state: stateBody(state),
    lastState: lastTermination ? stateBody(lastTermination) : {},
    ready: record.isReady,
    restartCount: record.restartCount,
    image: image ?? '',
    imageID: record.imageId,
    ...(containerId && { containerID: `kubesim://${containerId}` }),
    started: record.isStarted,
  };
}

function stateBody(state: ContainerState) {
  switch (state.kind) {
    case 'running':
      return { running: { startedAt: state.startedAt } };
    case 'waiting':
      return { waiting: { reason: state.reason, ...(state.message && { message: state.message }) } };
    case 'terminated':
      return { terminated: terminatedBody(state) };
    default:
      return assertNever(state, 'container state');
  }
}

const terminatedBody = ({ exitCode, reason, startedAt, finishedAt, containerId }: Terminated) => ({
  exitCode,
  reason,
  startedAt,
  finishedAt,
  containerID: `kubesim://${containerId}`,
});

interface Judgement {
  readonly type: string;
  readonly isTrue: boolean;
  readonly reason?: string;
  readonly message?: string;
}

function conditionsOf(
  pod: Pod,
  record: PodRecord,
  phase: Phase,
  now: string,
  old: PodStatus | undefined,
): PodCondition[] {
  const ready = readiness(pod, record, phase);
  const judgements: readonly Judgement[] = [
    { type: 'PodReadyToStartContainers', isTrue: record.hasSandbox },
    initialisation(pod, record, phase),
    { type: 'Ready', ...ready },
    { type: 'ContainersReady', ...ready },
    { type: 'PodScheduled', isTrue: true },
  ];
  const own = judgements.map((judgement) => condition(judgement, now, old));
  // Conditions that others set (DisruptionTarget, readiness gates) are theirs.
  const types = new Set(judgements.map(({ type }) => type));
  return [...own, ...(old?.conditions ?? []).filter(({ type }) => !types.has(type))];
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

const COMPLETED = { isTrue: false, reason: 'PodCompleted' };

function initialisation(pod: Pod, { init }: PodRecord, phase: Phase): Judgement {
  const type = 'Initialized';
  if (phase === 'Succeeded') return { type, isTrue: true, reason: 'PodCompleted' };
  const incomplete = (pod.spec?.initContainers ?? []).filter((container) => {
    const record = init.get(container.name);
    if (isSidecar(container)) return record?.isStarted !== true;
    return !(record?.state.kind === 'terminated' && record.state.exitCode === 0);
  });
  if (incomplete.length === 0) return { type, isTrue: true };
  const names = incomplete.map(({ name }) => name).join(' ');
  return {
    type,
    isTrue: false,
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: [${names}]`,
  };
}

function readiness(pod: Pod, { main }: PodRecord, phase: Phase): Omit<Judgement, 'type'> {
  if (phase === 'Succeeded') return COMPLETED;
  if (phase === 'Failed') return { isTrue: false, reason: 'PodFailed' };
  const containers = pod.spec?.containers ?? [];
  const unknown = containers.filter(({ name }) => !main.has(name)).map(({ name }) => name);
  const unready = containers
    .filter(({ name }) => main.has(name) && main.get(name)?.isReady !== true)
    .map(({ name }) => name);
  if (unknown.length + unready.length === 0) return { isTrue: true };
  const parts = [
    ...(unknown.length > 0 ? [`containers with unknown status: [${unknown.join(' ')}]`] : []),
    ...(unready.length > 0 ? [`containers with unready status: [${unready.join(' ')}]`] : []),
  ];
  return { isTrue: false, reason: 'ContainersNotReady', message: parts.join(', ') };
}
