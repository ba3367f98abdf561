/** One attempt to start a container: its image, the container itself, its `postStart` hook. */
import type { Container, Pod } from '../../api/types/core-v1.ts';
import type { Process } from '../../engine/process.ts';
import { expandReferences } from '../environment/expand-references.ts';
import type { RuntimeContainer } from '../runtime/container-runtime.ts';
import { removeFile, writeFile } from '../runtime/file-programs.ts';
import { writeServerLog } from '../runtime/server-log.ts';
import { subPathProblem } from '../volumes/sub-path.ts';
import { noteEnd } from './container-run.ts';
import { type Configuration, containerSpecOf } from './container-spec.ts';
import { stopContainer } from './container-stop.ts';
import { ensureImage } from './image-pull.ts';
import { runHook } from './lifecycle-hooks.ts';
import { initContainersOf, podText, type PodContainer } from './pod-containers.ts';
import type { PodScope } from './pod-scope.ts';
import { startsAgain } from './starts-again.ts';

export type StartOutcome =
  | { readonly kind: 'started'; readonly running: RuntimeContainer }
  /** The image is not there. */
  | { readonly kind: 'no image' }
  /** Its environment lacks something, it may not run as whom it is to run, or there is no image and none is to be pulled. */
  | { readonly kind: 'not configured' }
  /** It was stopped because its hook failed. */
  | { readonly kind: 'stopped' };

export function* startContainer(scope: PodScope, container: PodContainer): Process<StartOutcome> {
  const { role, spec } = container;
  const behaviour = scope.behaviourOf(container);
  yield* tellOfPullSecrets(scope);
  const image = yield* ensureImage(scope, container, behaviour);
  if (image.kind === 'missing') return { kind: image.isLasting ? 'not configured' : 'no image' };
  const configuration = yield* configure(scope, container);
  if (!configuration) return { kind: 'not configured' };
  yield* scope.runtime.answer(scope.context);
  const known = scope.records.get(role, spec.name);
  const restarts = known?.containerId ? known.restartCount + 1 : 0;
  yield* scope.options.refreshFiles(scope.pod, scope.options.dueFiles(scope.pod, configuration.command));
  const { started, writes } = containerSpecOf(scope, spec, { behaviour, configuration, restarts });
  const running = scope.runtime.start(scope.context, started, scope.nowMs);
  const place = { runtime: scope.runtime, container: running };
  for (const [path, bytes] of writes)
    if (bytes) writeFile(place, path, bytes);
    else removeFile(place, path);
  for (const line of started.server?.greeting ?? []) writeServerLog(scope, running, line);
  scope.tellOf(container, 'Normal', 'Created', `Created container ${spec.name}`);
  scope.tellOf(container, 'Normal', 'Started', `Started container ${spec.name}`);
  scope.backoffOf(spec.name).started(scope.nowMs);
  const failure = yield* runHook(scope, container, running, 'postStart');
  if (failure === undefined) return { kind: 'started', running };
  yield* stopAfterHook(scope, container, running, failure);
  return { kind: 'stopped' };
}

/** Before each attempt: they may have come meanwhile. */
function* tellOfPullSecrets(scope: PodScope): Process<void> {
  if (!scope.pod.spec?.imagePullSecrets?.length) return;
  const missing = yield* scope.options.missingPullSecrets(scope.pod);
  if (missing.length === 0) return;
  const message = `Unable to retrieve some image pull secrets (${missing.join(', ')}); attempting to pull the image may not succeed.`;
  scope.tell('Warning', 'FailedToRetrieveImagePullSecret', message);
}

/** Undefined: it cannot be started as it is, and its record says why. */
function* configure(scope: PodScope, container: PodContainer): Process<Configuration | undefined> {
  const { role, spec } = container;
  const outcome = yield* scope.options.environment(scope.pod, spec);
  const problem =
    outcome.kind === 'lacking'
      ? outcome.message
      : (rootProblem(scope.pod, spec) ?? subPathProblem(spec, outcome.variables));
  if (outcome.kind === 'lacking' || problem !== undefined) {
    scope.tellOf(container, 'Warning', 'Failed', `Error: ${problem ?? ''}`);
    scope.records.wait(role, spec.name, 'CreateContainerConfigError', problem);
    return undefined;
  }
  for (const warning of outcome.warnings) scope.tell('Warning', 'InvalidEnvironmentVariableNames', warning);
  const { variables } = outcome;
  const words = [...(spec.command ?? []), ...(spec.args ?? [])];
  return {
    command: words.map((word) => expandReferences(word, variables)),
    environment: Array.from(variables, ([name, value]) => `${name}=${value}`),
    mounts: scope.options.mounts(spec, variables),
  };
}

/** Who an image runs as is not known: only what its pod says of it is checked. */
function rootProblem(pod: Pod, { name, securityContext: own }: Container): string | undefined {
  const ofPod = pod.spec?.securityContext;
  const mayBeRoot = (own?.runAsNonRoot ?? ofPod?.runAsNonRoot) !== true;
  if (mayBeRoot || (own?.runAsUser ?? ofPod?.runAsUser) !== 0) return undefined;
  return `container's runAsUser breaks non-root policy (pod: "${podText(pod)}", container: ${name})`;
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
  const { exitCode } = noteEnd(scope, container, running);
  if (startsAgain(scope.pod, container, exitCode))
    scope.records.wait(role, spec.name, 'PostStartHookError', failure);
}

/** Of a container that has not been started yet. */
export const waitingReason = ({ pod }: PodScope): string =>
  initContainersOf(pod).length > 0 ? 'PodInitializing' : 'ContainerCreating';
