/**
 * What a container is started as: by its manifest, its workload's behaviour and its environment, with what is known of its
 * command or of the server that it is.
 */
import type { Container, Pod } from '../../api/types/core-v1.ts';
import { OF_ROOT } from '../machine/disk.ts';
import { hostsFileOf } from '../environment/hosts-file.ts';
import { resolverFileOf } from '../environment/resolver-file.ts';
import { isAgnhost } from '../runtime/agnhost/agnhost-image.ts';
import { testServerOf } from '../runtime/agnhost/test-servers.ts';
import { courseOfContainer } from '../runtime/command-course.ts';
import { ContainerConsole } from '../runtime/container-console.ts';
import type { ContainerSpec, ContainerUser } from '../runtime/container-runtime.ts';
import type { CommandCourse, CourseFiles } from '../runtime/course.ts';
import { isOfSystem, isPartOfVolume } from '../runtime/file-programs.ts';
import { type ContainerMount, mayReadIn, mountAt, overlay } from '../runtime/file-tree.ts';
import { isBusyBoxImage, isShellImage } from '../runtime/image-name.ts';
import { usualCourse } from '../runtime/known-programs.ts';
import type { WorkloadBehaviour } from '../runtime/workload-behaviour.ts';
import { WrittenLines } from '../runtime/written-lines.ts';
import { memoryLimitOf } from './container-limits.ts';
import type { PodScope } from './pod-scope.ts';

export interface Configuration {
  readonly command: readonly string[];
  /** `NAME=value`. */
  readonly environment: readonly string[];
  readonly mounts: readonly ContainerMount[];
}

interface Start {
  readonly behaviour: WorkloadBehaviour;
  readonly configuration: Configuration;
  readonly restarts: number;
}

export interface StartedAs {
  readonly started: ContainerSpec;
  /** Files that it writes at once, by their paths; undefined: that it takes away. */
  readonly writes: ReadonlyMap<string, Uint8Array | undefined>;
}

export function containerSpecOf(
  scope: PodScope,
  spec: Container,
  { behaviour, configuration, restarts }: Start,
): StartedAs {
  const { pod, options } = scope;
  const { environment, mounts } = configuration;
  const { name, image = '', stdin: hasInput = false } = spec;
  const podName = pod.metadata.name ?? '';
  const command = hasInput ? typedCommand(configuration.command, image) : configuration.command;
  const systemFiles = systemFilesOf(pod, options.podIP);
  const user = userOf(pod, spec);
  const course = courseOf(spec, { behaviour, command, environment, mounts, podName, systemFiles, user });
  const server = behaviour.listens ? undefined : testServerOf(spec, podName, environment);
  const restored = options.restoredOf(name);
  const memoryLimitBytes = memoryLimitOf(spec);
  const started: ContainerSpec = {
    podUid: scope.uid,
    podName,
    podNamespace: pod.metadata.namespace ?? '',
    podIP: options.podIP,
    systemFiles,
    ...(user && { user }),
    name,
    image,
    command,
    environment,
    behaviour: course ? { ...behaviour, ...outcomeOf(course) } : behaviour,
    ...((course?.isOpen || server) && { written: new WrittenLines() }),
    ...(server && { server }),
    ...(course?.isOpen && hasInput && { console: consoleOf(spec) }),
    restartCount: restarts,
    ...(mounts.length > 0 && { mounts }),
    ...kernelOf(pod, spec),
    ...(hasReadOnlyRoot(spec) && { hasReadOnlyRoot: true }),
    ...((course || isAgnhost(spec)) && { isKnown: true }),
    ...(memoryLimitBytes !== undefined && { memoryLimitBytes }),
    ...(restored && { restored }),
  };
  return { started, writes: course?.writes ?? NOTHING };
}

/** What most have is not said. */
function kernelOf({ spec: pod }: Pod, { securityContext: own }: Container): Pick<ContainerSpec, 'kernel'> {
  const set = pod?.securityContext?.sysctls ?? [];
  const mayChangeNetwork = own?.privileged === true || own?.capabilities?.add?.some(isOverNetwork) === true;
  if (set.length === 0 && !mayChangeNetwork) return {};
  const sysctls = new Map(set.map(({ name, value }) => [name.replaceAll('/', '.'), value] as const));
  return { kernel: { sysctls, mayChangeNetwork } };
}

const isOverNetwork = (capability: string): boolean => /^(CAP_)?(NET_ADMIN|ALL)$/.test(capability);

const NOTHING: ReadonlyMap<string, undefined> = new Map();

const hasReadOnlyRoot = ({ securityContext }: Container): boolean =>
  securityContext?.readOnlyRootFilesystem === true;

interface Known extends Pick<Configuration, 'command' | 'environment' | 'mounts'> {
  readonly behaviour: WorkloadBehaviour;
  readonly podName: string;
  readonly systemFiles: () => Readonly<Record<string, string>>;
  readonly user: ContainerUser | undefined;
}

/** Undefined: it is not known what it does. */
function courseOf(
  spec: Container,
  { behaviour, command, environment, mounts, podName, systemFiles, user }: Known,
): CommandCourse | undefined {
  const { image = '', stdin: hasInput = false } = spec;
  const usual = usualCourse(spec, user?.uid ?? OF_ROOT.uid);
  if (usual) return usual;
  const isTestImage = spec.command === undefined && isAgnhost(spec);
  if (command.length === 0 && !isTestImage) return undefined;
  const isBusyBox = isBusyBoxImage(image);
  const hasOnlyShell = isBusyBox || isShellImage(image);
  const texts = { ...systemFiles(), ...behaviour.files };
  return courseOfContainer(behaviour, command, {
    environment,
    hostname: podName,
    files: filesAtStart(texts, mounts, { hasReadOnlyRoot: hasReadOnlyRoot(spec), hasOnlyShell, user }),
    isBusyBox,
    isShellImage: hasOnlyShell,
    hasInput,
    isTestImage,
  });
}

/** Where an image says itself what runs, of some it is known that it is a shell. */
const typedCommand = (command: readonly string[], image: string): readonly string[] =>
  command.length === 0 && isShellImage(image) ? ['sh'] : command;

const consoleOf = ({ stdinOnce = false, tty = false }: Container): ContainerConsole =>
  new ContainerConsole({ isOnce: stdinOnce, isTerminal: tty });

const outcomeOf = ({ writes: _, isOpen: __, ...course }: CommandCourse): WorkloadBehaviour => course;

const TEXT = new TextEncoder();

/** Read only where somebody looks. */
const systemFilesOf = (pod: Pod, podIP: string) => (): Readonly<Record<string, string>> => ({
  '/etc/hosts': hostsFileOf(pod, podIP),
  '/etc/resolv.conf': resolverFileOf(pod),
});

/** Where images have files. */
const OF_IMAGE = /^\/(bin|etc|home|lib|lib64|proc|root|sbin|sys|usr|var)(\/|$)/;

interface FilesSeen {
  readonly hasReadOnlyRoot: boolean;
  readonly hasOnlyShell: boolean;
  /** Undefined: nobody knows. */
  readonly user: ContainerUser | undefined;
}

/** Of its volumes all is known, of its image what its behaviour says; one that has a shell alone has nothing elsewhere. */
function filesAtStart(
  texts: Readonly<Record<string, string>>,
  mounts: readonly ContainerMount[],
  { hasReadOnlyRoot, hasOnlyShell, user }: FilesSeen,
): CourseFiles {
  const present = new Map(Object.entries(texts).map(([path, text]) => [path, TEXT.encode(text)] as const));
  overlay(present, mounts);
  const isAbove = (directory: string, path: string): boolean =>
    path.startsWith(directory.endsWith('/') ? directory : `${directory}/`);
  return {
    at: (path) => present.get(path),
    knows: (path) => mountAt(mounts, path) !== undefined || (hasOnlyShell && !OF_IMAGE.test(path)),
    isReadOnly: (path) => mountAt(mounts, path)?.isReadOnly ?? (hasReadOnlyRoot && !isOfSystem(path)),
    mayRead: (path) => !user || mayReadIn(mounts, user, path),
    isDirectory: (path) =>
      mounts.some((mount) => (mount.path === path && !present.has(path)) || isAbove(path, mount.path)) ||
      [...present.keys()].some((file) => isAbove(path, file)) ||
      isPartOfVolume(mounts, path),
  };
}

/** Undefined: whom its image says, which nobody knows. */
function userOf({ spec: pod }: Pod, { securityContext: own }: Container): ContainerUser | undefined {
  const { runAsUser, runAsGroup, fsGroup, supplementalGroups = [] } = pod?.securityContext ?? {};
  const [uid = runAsUser, gid = runAsGroup] = [own?.runAsUser, own?.runAsGroup];
  const groups = [...supplementalGroups, ...(fsGroup === undefined ? [] : [fsGroup])];
  if (uid === undefined && gid === undefined && groups.length === 0) return undefined;
  return { uid: uid ?? OF_ROOT.uid, gid: gid ?? OF_ROOT.gid, groups };
}
