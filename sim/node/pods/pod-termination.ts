/**
 * Ends the containers of a pod: the main containers at once, sidecars when these have ended, the last one first.
 * All have the same grace; who waits for its turn has less of it.
 */
import type { Pod } from '../../api/types/core-v1.ts';
import type { Process } from '../../engine/process.ts';
import { seconds } from '../../engine/time.ts';
import type { RuntimeContainer } from '../runtime/container-runtime.ts';
import { stopContainer, stoppingMessage } from './container-stop.ts';
import {
  findContainer,
  initContainersOf,
  isSidecar,
  mainContainersOf,
  type PodContainer,
} from './pod-containers.ts';
import type { PodScope } from './pod-scope.ts';

interface Target {
  readonly container: PodContainer;
  readonly running: RuntimeContainer;
}

/** Until all have ended. `isFirst`: the end has not been told yet. */
export function* endContainers(scope: PodScope, graceSeconds: number, isFirst: boolean): Process<void> {
  const targets = targetsOf(scope);
  const byName = new Map(targets.map(({ container, running }) => [container.spec.name, running.id]));
  const stops = targets.map(({ container, running }) => {
    const before = endBefore(scope.pod, container).flatMap((name) => byName.get(name) ?? []);
    return stopContainer(scope, container, running, {
      graceSeconds,
      ...(isFirst && { message: stoppingMessage(container) }),
      ...(before.length > 0 && { waitForTurn: (limit) => untilAllEnded(scope, before, limit) }),
    });
  });
  yield* scope.context.all(stops);
}

function targetsOf({ pod, uid, runtime, nowMs }: PodScope): readonly Target[] {
  return runtime.containersOf(uid).flatMap((running) => {
    if (runtime.fateOf(running.id, nowMs).kind === 'ended') return [];
    const container = findContainer(pod, running.name);
    return container ? [{ container, running }] : [];
  });
}

/** Names of the containers whose end one waits for. Pure. */
export function endBefore(pod: Pod, { role, spec }: PodContainer): readonly string[] {
  if (role !== 'init' || !isSidecar(spec)) return [];
  const init = initContainersOf(pod);
  const at = init.findIndex(({ name }) => name === spec.name);
  return [...init.slice(at + 1).filter(isSidecar), ...mainContainersOf(pod)].map(({ name }) => name);
}

function* untilAllEnded(scope: PodScope, ids: readonly string[], limitSeconds: number): Process<void> {
  yield* scope.context.within(
    seconds(limitSeconds),
    scope.context.all(ids.map((id) => scope.untilEnded(id))),
  );
}
