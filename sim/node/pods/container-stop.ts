/**
 * Stops one container as an agent does: its `preStop` hook first, then SIGTERM, and SIGKILL when the
 * grace is over. Hook and waiting count; two seconds are always left for the container itself.
 */
import type { Process } from '../../engine/process.ts';
import { seconds } from '../../engine/time.ts';
import type { RuntimeContainer } from '../runtime/container-runtime.ts';
import { runHook } from './lifecycle-hooks.ts';
import type { PodContainer } from './pod-containers.ts';
import type { PodScope } from './pod-scope.ts';

const LEAST_GRACE_SECONDS = 2;

export interface StopOrder {
  readonly graceSeconds: number;
  /** Of the `Killing` event; absent: it was told already. */
  readonly message?: string;
  /** Waits for what is to end before, at most so many seconds. */
  readonly waitForTurn?: (graceSeconds: number) => Process<void>;
}

export const stoppingMessage = ({ spec }: PodContainer): string => `Stopping container ${spec.name}`;

/** Until it has ended. */
export function* stopContainer(
  scope: PodScope,
  container: PodContainer,
  running: RuntimeContainer,
  { graceSeconds, message, waitForTurn }: StopOrder,
): Process<void> {
  if (message !== undefined) scope.tellOf(container, 'Normal', 'Killing', message);
  let left = graceSeconds;
  if (container.spec.lifecycle?.preStop && left > 0)
    left -= yield* secondsOf(scope, preStop(scope, container, running, left));
  if (waitForTurn && left > 0) left -= yield* secondsOf(scope, waitForTurn(left));
  yield* scope.runtime.answer(scope.context);
  const graceMs = Math.max(LEAST_GRACE_SECONDS, left) * 1_000;
  scope.runtime.stop(running.id, scope.nowMs, graceMs);
  yield* scope.untilEnded(running.id);
}

/** A hook that outlasts the grace is left alone. */
function* preStop(
  scope: PodScope,
  container: PodContainer,
  running: RuntimeContainer,
  graceSeconds: number,
): Process<void> {
  const { context } = scope;
  const hook = runHook(scope, container, running, 'preStop');
  const first = yield* context.race([
    hook,
    scope.untilEnded(running.id),
    context.sleep(seconds(graceSeconds)),
  ]);
  if (first.index === 0 && first.value !== undefined)
    scope.tellOf(container, 'Warning', 'FailedPreStopHook', 'PreStopHook failed');
}

/** How many whole seconds a process took. */
function* secondsOf(scope: PodScope, process: Process<unknown>): Process<number> {
  const since = scope.nowMs;
  yield* process;
  return Math.floor((scope.nowMs - since) / 1_000);
}
