/**
 * What a node agent that has just started knows of a pod's containers: what it told the API before, set right by
 * what the runtime says now. Pure but for the questions to the runtime.
 */
import { formatTime } from '../../api/time-format.ts';
import type { ContainerStatus } from '../../api/types/core-v1.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import { noteEnd, noteStart } from './container-run.ts';
import type { ContainerRecord, ContainerState, Terminated } from './container-state.ts';
import { findContainer } from './pod-containers.ts';
import type { PodScope } from './pod-scope.ts';

interface Now {
  readonly nowMs: number;
  readonly wallMs: number;
}

export function recall(
  records: Map<string, ContainerRecord>,
  statuses: readonly ContainerStatus[] = [],
  runtime: ContainerRuntime,
  now: Now,
): void {
  for (const status of statuses) {
    const state = stateOf(status, runtime, now);
    const isRunning = state.kind === 'running';
    records.set(status.name, {
      name: status.name,
      state,
      lastTermination: terminated(status.lastState?.terminated),
      restartCount: status.restartCount,
      containerId: idOf(status.containerID),
      imageId: status.imageID,
      isStarted: isRunning && status.started === true,
      isReady: isRunning && status.ready,
    });
  }
}

/** What a pod's containers did of which nobody was told. */
export function recallFromRuntime(scope: PodScope): void {
  for (const running of scope.runtime.containersOf(scope.uid)) {
    const container = findContainer(scope.pod, running.name);
    if (!container) continue;
    const isEnded = scope.runtime.fateOf(running.id, scope.nowMs).kind === 'ended';
    if (isEnded) noteEnd(scope, container, running);
    else noteStart(scope, container, running);
  }
}

const idOf = (text = ''): string => text.replace(/^[^:]*:\/\//, '');

function stateOf(
  { state = {}, containerID }: ContainerStatus,
  runtime: ContainerRuntime,
  now: Now,
): ContainerState {
  const ended = terminated(state.terminated);
  if (ended) return ended;
  if (!state.running) {
    const { reason = 'ContainerCreating', message } = state.waiting ?? {};
    return { kind: 'waiting', reason, ...(message !== undefined && { message }) };
  }
  const id = idOf(containerID);
  const startedAt = state.running.startedAt ?? '';
  const fate = runtime.fateOf(id, now.nowMs);
  if (fate.kind === 'running') return { kind: 'running', startedAt };
  return {
    kind: 'terminated',
    exitCode: fate.exitCode,
    reason: fate.reason,
    startedAt,
    finishedAt: formatTime(now.wallMs - Math.max(0, now.nowMs - fate.atMs)),
    containerId: id,
  };
}

type TerminatedStatus = NonNullable<ContainerStatus['state']>['terminated'];

function terminated(status: TerminatedStatus): Terminated | undefined {
  if (!status) return undefined;
  const { exitCode, reason = '', message, startedAt = '', finishedAt = '', containerID } = status;
  return {
    kind: 'terminated',
    exitCode,
    reason,
    ...(message !== undefined && { message }),
    startedAt,
    finishedAt,
    containerId: idOf(containerID),
  };
}
