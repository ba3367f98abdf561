/**
 * Keeps a container as its policy wants it: started, followed, started again after a pause that grows. Cancelled, it
 * starts nothing more; what runs is followed to its end all the same.
 */
import type { Process } from '../../engine/process.ts';
import { seconds, milliseconds } from '../../engine/time.ts';
import type { RuntimeContainer } from '../runtime/container-runtime.ts';
import { followContainer } from './container-run.ts';
import { startContainer } from './container-start.ts';
import type { Terminated } from './container-state.ts';
import { durationText } from './duration-text.ts';
import { backOffFromPull } from './image-pull.ts';
import { podText, type PodContainer } from './pod-containers.ts';
import type { PodScope } from './pod-scope.ts';
import { startsAgain } from './starts-again.ts';

/** What has failed is to be seen for so long before the pause after it is told. */
const LOOK_AGAIN_AFTER = seconds(1);

/** Until it has ended and is not to be started again: how it ended. */
export function* keepContainer(scope: PodScope, container: PodContainer): Process<Terminated> {
  let ended = scope.records.endOf(container.role, container.spec.name);
  for (;;) {
    ended ??= yield* runOnce(scope, container);
    if (!startsAgain(scope.pod, container, ended.exitCode)) return ended;
    yield* backOff(scope, container);
    ended = undefined;
  }
}

/** From its start, or from where the agent finds it running, to its end. */
export function* runOnce(scope: PodScope, container: PodContainer): Process<Terminated> {
  const running = stillRunning(scope, container) ?? (yield* untilStarted(scope, container));
  if (!running) {
    yield* scope.context.sleep(LOOK_AGAIN_AFTER);
    return lastEnd(scope, container);
  }
  const { name } = container.spec;
  // A task of its own: it goes on when nobody keeps the container any more.
  return yield* scope.context.spawn(`container ${name}`, followContainer(scope, container, running)).join();
}

/** An agent looks at a pod again after so long when it could not do all that it had to. */
const NEXT_TRY_MS = { min: 10_000, nominal: 12_000, max: 15_000 };

/** Undefined: it was started, and stopped because its hook failed. */
function* untilStarted(scope: PodScope, container: PodContainer): Process<RuntimeContainer | undefined> {
  const { min, nominal, max } = NEXT_TRY_MS;
  const pulls = scope.backoffOf(`image ${container.spec.image ?? ''}`);
  for (;;) {
    const outcome = yield* scope.starts.take(startContainer(scope, container));
    if (outcome.kind === 'started') return outcome.running;
    if (outcome.kind === 'stopped') return undefined;
    if (outcome.kind === 'not configured') {
      yield* scope.context.sleep(milliseconds(scope.context.site('next try').around(min, nominal, max)));
      continue;
    }
    const pauseMs = pulls.pauseAfterFailure(scope.nowMs);
    yield* scope.context.sleep(LOOK_AGAIN_AFTER);
    backOffFromPull(scope, container);
    yield* scope.context.sleep(milliseconds(pauseMs));
  }
}

function lastEnd({ records }: PodScope, { role, spec }: PodContainer): Terminated {
  const known = records.endOf(role, spec.name) ?? records.get(role, spec.name)?.lastTermination;
  return (
    known ?? { kind: 'terminated', exitCode: 0, reason: '', startedAt: '', finishedAt: '', containerId: '' }
  );
}

/** A container that runs since before the agent was restarted. */
function stillRunning(
  { runtime, uid, nowMs }: PodScope,
  { spec }: PodContainer,
): RuntimeContainer | undefined {
  return runtime
    .containersOf(uid)
    .find(({ id, name }) => name === spec.name && runtime.fateOf(id, nowMs).kind === 'running');
}

function* backOff(scope: PodScope, container: PodContainer): Process<void> {
  const { role, spec } = container;
  const pauseMs = scope.backoffOf(spec.name).pauseAfterEnd(scope.nowMs);
  if (pauseMs === 0) return;
  const pod = podText(scope.pod);
  const message = `back-off ${durationText(pauseMs)} restarting failed container=${spec.name} pod=${pod}`;
  scope.tellOf(
    container,
    'Warning',
    'BackOff',
    `Back-off restarting failed container ${spec.name} in pod ${pod}`,
  );
  scope.records.wait(role, spec.name, 'CrashLoopBackOff', message);
  yield* scope.context.sleep(milliseconds(pauseMs));
}
