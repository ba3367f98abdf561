/** A pod's row in a Table: how far it is, in one word, as kubectl shows it. */
import type { Container, ContainerStatus, Pod } from '../../../../api/types/core-v1.ts';
import { parseTime } from '../../../../api/time-format.ts';
import type { TableClock, TableRow } from '../../table-row.ts';

const NONE = '<none>';

const ENDED: Readonly<Record<string, object>> = {
  Succeeded: {
    type: 'Completed',
    status: 'True',
    reason: 'Succeeded',
    message: 'The pod has completed successfully.',
  },
  Failed: { type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' },
};

export function podRow(pod: Pod, clock: TableClock): TableRow {
  const { metadata, spec, status } = pod;
  const { reason, ready, restarts, lastRestart } = progressOf(pod);
  const sidecars = (spec?.initContainers ?? []).filter(isSidecar).length;
  const total = (spec?.containers?.length ?? 0) + sidecars;
  const ended = ENDED[status?.phase ?? ''];
  return {
    cells: [
      metadata.name,
      `${ready}/${total}`,
      reason,
      lastRestart === undefined ? String(restarts) : `${restarts} (${clock.age(lastRestart)} ago)`,
      clock.age(metadata.creationTimestamp),
      status?.podIPs?.[0]?.ip || NONE,
      spec?.nodeName || NONE,
      status?.nominatedNodeName || NONE,
      readinessGates(pod),
    ],
    ...(ended && { conditions: [ended] }),
  };
}

interface Progress {
  readonly reason: string;
  readonly ready: number;
  readonly restarts: number;
  readonly lastRestart: string | undefined;
}

/** Restarts of containers, and when the last of them was. */
interface Restarts {
  readonly count: number;
  readonly last: string | undefined;
}

const NEVER: Restarts = { count: 0, last: undefined };

function addRestarts(sum: Restarts, { restartCount, lastState }: ContainerStatus): Restarts {
  return {
    count: sum.count + restartCount,
    last: later(sum.last, lastState?.terminated?.finishedAt ?? undefined),
  };
}

function later(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return parseTime(a).epochSeconds < parseTime(b).epochSeconds ? b : a;
}

function progressOf(pod: Pod): Progress {
  const { status = {}, metadata } = pod;
  const start = initialization(pod);
  const isInitialized = hasCondition(pod, 'Initialized');
  const done = start.reason === undefined || isInitialized ? running(pod, start) : undefined;
  const reason = done?.reason ?? start.reason ?? baseReason(pod);
  const restarts = done?.restarts ?? start.restarts;
  const shown = { ready: done?.ready ?? start.ready, restarts: restarts.count, lastRestart: restarts.last };
  if (metadata.deletionTimestamp === undefined) return { reason, ...shown };
  if (status.reason === 'NodeLost') return { reason: 'Unknown', ...shown };
  const isEnded = status.phase === 'Succeeded' || status.phase === 'Failed';
  return { reason: isEnded ? reason : 'Terminating', ...shown };
}

function baseReason({ status = {} }: Pod): string {
  const isGated = status.conditions?.some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  return isGated ? 'SchedulingGated' : status.reason || status.phase || '';
}

interface Start {
  /** Undefined: every init container has done its part. */
  readonly reason: string | undefined;
  readonly ready: number;
  readonly restarts: Restarts;
  readonly sidecarRestarts: Restarts;
}

function initialization({ spec, status }: Pod): Start {
  const containers = spec?.initContainers ?? [];
  let ready = 0;
  let restarts = NEVER;
  let sidecarRestarts = NEVER;
  for (const [at, own] of (status?.initContainerStatuses ?? []).entries()) {
    const container = containers.find(({ name }) => name === own.name);
    restarts = addRestarts(restarts, own);
    if (container && isSidecar(container)) sidecarRestarts = addRestarts(sidecarRestarts, own);
    const { terminated, waiting } = own.state ?? {};
    if (terminated && terminated.exitCode === 0) continue;
    if (container && isSidecar(container) && own.started === true) {
      if (own.ready) ready += 1;
      continue;
    }
    const reason = terminated
      ? `Init:${endReason(terminated)}`
      : waiting?.reason && waiting.reason !== 'PodInitializing'
        ? `Init:${waiting.reason}`
        : `Init:${at}/${containers.length}`;
    return { reason, ready, restarts, sidecarRestarts };
  }
  return { reason: undefined, ready, restarts, sidecarRestarts };
}

function running(pod: Pod, start: Start): { reason: string | undefined; ready: number; restarts: Restarts } {
  let { ready } = start;
  let restarts = start.sidecarRestarts;
  let reason = start.reason ?? baseReason(pod);
  let isAnyRunning = false;
  for (const own of (pod.status?.containerStatuses ?? []).toReversed()) {
    restarts = addRestarts(restarts, own);
    const { waiting, terminated, running: isRunning } = own.state ?? {};
    if (waiting?.reason) reason = waiting.reason;
    else if (terminated) reason = endReason(terminated);
    else if (own.ready && isRunning) {
      isAnyRunning = true;
      ready += 1;
    }
  }
  if (reason === 'Completed' && isAnyRunning) reason = hasCondition(pod, 'Ready') ? 'Running' : 'NotReady';
  return { reason, ready, restarts };
}

function endReason({
  reason,
  signal = 0,
  exitCode,
}: {
  reason?: string;
  signal?: number;
  exitCode: number;
}): string {
  if (reason) return reason;
  return signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`;
}

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';

const hasCondition = ({ status }: Pod, wanted: string): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === wanted && value === 'True') ?? false;

function readinessGates(pod: Pod): string {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return NONE;
  return `${gates.filter(({ conditionType }) => hasCondition(pod, conditionType)).length}/${gates.length}`;
}
