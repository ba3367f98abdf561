/** One attempt to start a container: its image, the container itself, its `postStart` hook. */
import type { Process } from '../../engine/process.ts';
import { withCommand } from '../runtime/command-course.ts';
import type { RuntimeContainer } from '../runtime/container-runtime.ts';
import { memoryLimitOf } from './container-limits.ts';
import { noteEnd } from './container-run.ts';
import { stopContainer } from './container-stop.ts';
import { ensureImage } from './image-pull.ts';
import { runHook } from './lifecycle-hooks.ts';
import { initContainersOf, type PodContainer } from './pod-containers.ts';
import type { PodScope } from './pod-scope.ts';

export type StartOutcome =
  | { readonly kind: 'started'; readonly running: RuntimeContainer }
  /** The image is not there. */
  | { readonly kind: 'no image' }
  /** It was stopped because its hook failed. */
  | { readonly kind: 'stopped' };

export function* startContainer(scope: PodScope, container: PodContainer): Process<StartOutcome> {
  const { role, spec } = container;
  const behaviour = scope.behaviourOf(container);
  const image = yield* ensureImage(scope, container, behaviour);
  if (image.kind === 'missing') return { kind: 'no image' };
  yield* scope.runtime.answer(scope.context);
  const known = scope.records.get(role, spec.name);
  const restarts = known?.containerId ? known.restartCount + 1 : 0;
  const { metadata } = scope.pod;
  const restored = scope.options.restoredOf(spec.name);
  const memoryLimitBytes = memoryLimitOf(spec);
  const command = [...(spec.command ?? []), ...(spec.args ?? [])];
  const environment = (spec.env ?? []).map(({ name, value = '' }) => `${name}=${value}`);
  const running = scope.runtime.start(
    scope.context,
    {
      podUid: scope.uid,
      podName: metadata.name ?? '',
      podNamespace: metadata.namespace ?? '',
      name: spec.name,
      image: spec.image ?? '',
      command,
      environment,
      behaviour: withCommand(behaviour, command, environment),
      restartCount: restarts,
      ...(memoryLimitBytes !== undefined && { memoryLimitBytes }),
      ...(restored && { restored }),
    },
    scope.nowMs,
  );
  scope.tellOf(container, 'Normal', 'Created', `Created container ${spec.name}`);
  scope.tellOf(container, 'Normal', 'Started', `Started container ${spec.name}`);
  scope.backoffOf(spec.name).started(scope.nowMs);
  const failure = yield* runHook(scope, container, behaviour, 'postStart');
  if (failure === undefined) return { kind: 'started', running };
  yield* stopAfterHook(scope, container, running, failure);
  return { kind: 'stopped' };
}

/** The text of the failure is for the status alone: Events are read by more people. */
function* stopAfterHook(
  scope: PodScope,
  container: PodContainer,
  running: RuntimeContainer,
  failure: string,
): Process<void> {
  scope.tellOf(container, 'Warning', 'FailedPostStartHook', 'PostStartHook failed');
  const { role, spec } = container;
  yield* stopContainer(scope, container, running, {
    graceSeconds: scope.ownGraceSeconds,
    message: 'FailedPostStartHook',
  });
  noteEnd(scope, container, running);
  scope.records.wait(role, spec.name, 'PostStartHookError', failure);
}

/** Of a container that has not been started yet. */
export const waitingReason = ({ pod }: PodScope): string =>
  initContainersOf(pod).length > 0 ? 'PodInitializing' : 'ContainerCreating';
