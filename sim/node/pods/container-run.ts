/** A container that runs, followed to its end: its record says what it does, its probes look after it. */
import { formatTime } from '../../api/time-format.ts';
import type { Process } from '../../engine/process.ts';
import { type ProcessPlace, runProcess } from '../runtime/container-process.ts';
import type { RuntimeContainer } from '../runtime/container-runtime.ts';
import { ContainerProbes, hasProbes } from './container-probes.ts';
import type { ContainerRecord, Terminated } from './container-state.ts';
import type { PodContainer } from './pod-containers.ts';
import type { PodScope } from './pod-scope.ts';
import { terminationMessageOf } from './termination-message.ts';

export function* followContainer(
  scope: PodScope,
  container: PodContainer,
  running: RuntimeContainer,
): Process<Terminated> {
  const isFound = noteStart(scope, container, running);
  const isProcess = running.written && !running.server;
  const process = isProcess && scope.context.spawn('process', runProcess(placeOf(scope, running)));
  if (container.role === 'ephemeral' || !hasProbes(container)) yield* scope.untilEnded(running.id);
  else {
    const probes = new ContainerProbes(scope, container, running, isFound);
    yield* scope.context.race([scope.untilEnded(running.id), runFor(probes, scope, running)]);
  }
  if (process) process.cancel();
  return noteEnd(scope, container, running);
}

const placeOf = (scope: PodScope, container: RuntimeContainer): ProcessPlace => ({
  context: scope.context,
  container,
  runtime: scope.runtime,
  process: () => scope.runtime.processOf(container, scope.nowMs),
  network: scope.options.network,
  refreshFiles: (words) => scope.refreshAside(words),
});

/** What a failed probe has stopped has ended when it has ended. */
function* runFor(probes: ContainerProbes, scope: PodScope, running: RuntimeContainer): Process<void> {
  yield* probes.run();
  yield* scope.untilEnded(running.id);
}

/** It runs, and its record says so. @returns whether it is told of as running already, by an agent before this one */
export function noteStart(scope: PodScope, { role, spec }: PodContainer, running: RuntimeContainer): boolean {
  const before = scope.records.get(role, spec.name);
  const isAdopted = before?.containerId === running.id && before.state.kind === 'running';
  const ended = scope.records.endOf(role, spec.name);
  const hasStarted = !spec.startupProbe;
  const isFoundOut = isAdopted && scope.options.keepsFindings;
  scope.records.set(role, {
    name: spec.name,
    state: { kind: 'running', startedAt: isAdopted ? startOf(before) : startedAt(scope, running) },
    lastTermination: ended ?? before?.lastTermination,
    restartCount: isAdopted ? before.restartCount : running.restartCount,
    containerId: running.id,
    imageId: running.imageId,
    isStarted: hasStarted || (isFoundOut && before.isStarted),
    isReady: isFoundOut ? before.isReady : hasStarted && !spec.readinessProbe,
  });
  return isAdopted;
}

const startOf = ({ state }: ContainerRecord): string => (state.kind === 'running' ? state.startedAt : '');

const startedAt = ({ context, nowMs }: PodScope, { startedAtMs }: RuntimeContainer): string =>
  formatTime(context.wallMs() - (nowMs - startedAtMs));

/** It has ended, as the runtime says; its record says it, too. */
export function noteEnd(
  scope: PodScope,
  { role, spec }: PodContainer,
  running: RuntimeContainer,
): Terminated {
  const { context, nowMs, records, runtime } = scope;
  const fate = runtime.fateOf(running.id, nowMs);
  const [exitCode, reason, endedAtMs] =
    fate.kind === 'ended' ? [fate.exitCode, fate.reason, fate.atMs] : [0, 'Completed', nowMs];
  const known = records.get(role, spec.name);
  const pod = scope.pod.spec ?? { containers: [spec] };
  const message = terminationMessageOf({ spec, pod, running, runtime, exitCode, atMs: endedAtMs });
  const state: Terminated = {
    kind: 'terminated',
    exitCode,
    reason,
    ...(message !== undefined && { message }),
    startedAt: known?.state.kind === 'running' ? known.state.startedAt : startedAt(scope, running),
    finishedAt: formatTime(context.wallMs() - Math.max(0, nowMs - endedAtMs)),
    containerId: running.id,
  };
  records.set(role, {
    name: spec.name,
    state,
    lastTermination: lastEnd(known, running),
    restartCount: running.restartCount,
    containerId: running.id,
    imageId: running.imageId,
    isStarted: false,
    isReady: false,
  });
  return state;
}

/** Of the container before this one. */
function lastEnd(known: ContainerRecord | undefined, { id }: RuntimeContainer): Terminated | undefined {
  const isAnother = known?.state.kind === 'terminated' && known.state.containerId !== id;
  return isAnother && known.state.kind === 'terminated' ? known.state : known?.lastTermination;
}
