/** One attempt to start a container: its image, the container itself, its `postStart` hook. */
import type { Container, Pod } from '../../api/types/core-v1.ts';
import type { Process } from '../../engine/process.ts';
import { hostsFileOf } from '../environment/hosts-file.ts';
import { resolverFileOf } from '../environment/resolver-file.ts';
import { expandReferences } from '../environment/expand-references.ts';
import { isAgnhost } from '../runtime/agnhost/agnhost-image.ts';
import { testServerOf } from '../runtime/agnhost/test-servers.ts';
import { ContainerConsole } from '../runtime/container-console.ts';
import { courseOfContainer } from '../runtime/command-course.ts';
import type { CommandCourse, CourseFiles } from '../runtime/course.ts';
import type { ContainerUser, RuntimeContainer } from '../runtime/container-runtime.ts';
import type { WorkloadBehaviour } from '../runtime/workload-behaviour.ts';
import { isBusyBoxImage, isShellImage } from '../runtime/image-name.ts';
import { isOfSystem, removeFile, writeFile } from '../runtime/file-programs.ts';
import { writeServerLog } from '../runtime/server-log.ts';
import { WrittenLines } from '../runtime/written-lines.ts';
import { type ContainerMount, mountAt, overlay } from '../runtime/file-tree.ts';
import { subPathProblem } from '../volumes/sub-path.ts';
import { memoryLimitOf } from './container-limits.ts';
import { noteEnd } from './container-run.ts';
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
  const { metadata } = scope.pod;
  const restored = scope.options.restoredOf(spec.name);
  const memoryLimitBytes = memoryLimitOf(spec);
  const { environment, mounts } = configuration;
  const hasReadOnlyRoot = spec.securityContext?.readOnlyRootFilesystem === true;
  const command = spec.stdin === true ? typedCommand(configuration.command, spec) : configuration.command;
  // Nobody sees the files but who looks.
  if (mounts.some(({ path }) => command.some((word) => word.includes(path))))
    yield* scope.options.refreshFiles();
  const { podIP } = scope.options;
  const systemFiles = systemFilesOf(scope.pod, podIP);
  const { image: imageName = '' } = spec;
  const hasOnlyShell = isBusyBoxImage(imageName) || isShellImage(imageName);
  const course = courseOfContainer(behaviour, command, {
    environment,
    hostname: metadata.name ?? '',
    files: filesAtStart({ ...systemFiles, ...behaviour.files }, mounts, { hasReadOnlyRoot, hasOnlyShell }),
    isBusyBox: isBusyBoxImage(imageName),
    isShellImage: hasOnlyShell,
    hasInput: spec.stdin === true,
    isTestImage: spec.command === undefined && isAgnhost(spec),
  });
  const user = userOf(scope.pod, spec);
  const server = behaviour.listens ? undefined : testServerOf(spec, metadata.name ?? '', environment);
  const running = scope.runtime.start(
    scope.context,
    {
      podUid: scope.uid,
      podName: metadata.name ?? '',
      podNamespace: metadata.namespace ?? '',
      podIP,
      systemFiles,
      ...(user && { user }),
      name: spec.name,
      image: spec.image ?? '',
      command,
      environment,
      behaviour: course ? { ...behaviour, ...outcomeOf(course) } : behaviour,
      ...((course?.isOpen || server) && { written: new WrittenLines() }),
      ...(server && { server }),
      ...(course?.isOpen && spec.stdin === true && { console: consoleOf(spec) }),
      restartCount: restarts,
      ...(mounts.length > 0 && { mounts }),
      ...(hasReadOnlyRoot && { hasReadOnlyRoot }),
      ...((course || isAgnhost(spec)) && { isKnown: true }),
      ...(memoryLimitBytes !== undefined && { memoryLimitBytes }),
      ...(restored && { restored }),
    },
    scope.nowMs,
  );
  const place = { runtime: scope.runtime, container: running };
  for (const [path, bytes] of course?.writes ?? [])
    if (bytes) writeFile(place, path, bytes);
    else removeFile(place, path);
  for (const line of server?.greeting ?? []) writeServerLog(scope, running, line);
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

/** Where an image says itself what runs, of some it is known that it is a shell. */
const typedCommand = (command: readonly string[], { image = '' }: Container): readonly string[] =>
  command.length === 0 && isShellImage(image) ? ['sh'] : command;

const consoleOf = ({ stdinOnce = false, tty = false }: Container): ContainerConsole =>
  new ContainerConsole({ isOnce: stdinOnce, isTerminal: tty });

const outcomeOf = ({ writes: _, isOpen: __, ...course }: CommandCourse): WorkloadBehaviour => course;

const TEXT = new TextEncoder();

const systemFilesOf = (pod: Pod, podIP: string): Readonly<Record<string, string>> => ({
  '/etc/hosts': hostsFileOf(pod, podIP),
  '/etc/resolv.conf': resolverFileOf(pod),
});

/** Where images have files. */
const OF_IMAGE = /^\/(bin|etc|home|lib|lib64|proc|root|sbin|sys|usr|var)(\/|$)/;

/** Of its volumes all is known, of its image what its behaviour says; one that has a shell alone has nothing elsewhere. */
function filesAtStart(
  texts: Readonly<Record<string, string>>,
  mounts: readonly ContainerMount[],
  { hasReadOnlyRoot, hasOnlyShell }: { readonly hasReadOnlyRoot: boolean; readonly hasOnlyShell: boolean },
): CourseFiles {
  const present = new Map(Object.entries(texts).map(([path, text]) => [path, TEXT.encode(text)] as const));
  overlay(present, mounts);
  const isAbove = (directory: string, path: string): boolean =>
    path.startsWith(directory.endsWith('/') ? directory : `${directory}/`);
  return {
    at: (path) => present.get(path),
    knows: (path) => mountAt(mounts, path) !== undefined || (hasOnlyShell && !OF_IMAGE.test(path)),
    isReadOnly: (path) => mountAt(mounts, path)?.isReadOnly ?? (hasReadOnlyRoot && !isOfSystem(path)),
    isDirectory: (path) =>
      mounts.some((mount) => (mount.path === path && !present.has(path)) || isAbove(path, mount.path)) ||
      [...present.keys()].some((file) => isAbove(path, file)),
  };
}

interface Configuration {
  readonly command: readonly string[];
  /** `NAME=value`. */
  readonly environment: readonly string[];
  readonly mounts: readonly ContainerMount[];
}

/** Undefined: it cannot be started as it is, and its record says why. */
function* configure(scope: PodScope, container: PodContainer): Process<Configuration | undefined> {
  const { role, spec } = container;
  const outcome = yield* scope.options.environment(scope.pod, spec);
  const problem = outcome.kind === 'lacking' ? outcome.message : rootProblem(scope.pod, spec);
  if (outcome.kind === 'lacking' || problem !== undefined) {
    scope.tellOf(container, 'Warning', 'Failed', `Error: ${problem ?? ''}`);
    scope.records.wait(role, spec.name, 'CreateContainerConfigError', problem);
    return undefined;
  }
  for (const warning of outcome.warnings) scope.tell('Warning', 'InvalidEnvironmentVariableNames', warning);
  const { variables } = outcome;
  const pathProblem = subPathProblem(spec, variables);
  if (pathProblem !== undefined) {
    scope.tellOf(container, 'Warning', 'Failed', `Error: ${pathProblem}`);
    scope.records.wait(role, spec.name, 'CreateContainerConfigError', pathProblem);
    return undefined;
  }
  const words = [...(spec.command ?? []), ...(spec.args ?? [])];
  return {
    command: words.map((word) => expandReferences(word, variables)),
    environment: Array.from(variables, ([name, value]) => `${name}=${value}`),
    mounts: scope.options.mounts(spec, variables),
  };
}

/** Undefined: whom its image says, which nobody knows. */
function userOf({ spec: pod }: Pod, { securityContext: own }: Container): ContainerUser | undefined {
  const { runAsUser, runAsGroup, fsGroup, supplementalGroups = [] } = pod?.securityContext ?? {};
  const [uid = runAsUser, gid = runAsGroup] = [own?.runAsUser, own?.runAsGroup];
  const groups = [...supplementalGroups, ...(fsGroup === undefined ? [] : [fsGroup])];
  if (uid === undefined && gid === undefined && groups.length === 0) return undefined;
  return { uid: uid ?? 0, gid: gid ?? 0, groups };
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
