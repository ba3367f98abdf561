/**
 * Programs of simulated containers that are about files: `cat`, `ls`, `tee`, `test`. A directory is there when a file is
 * below it, or when it was made.
 */
import { encodeJson } from '../../api/codec/encode.ts';
import { joined } from '../../api/codec/joined.ts';
import type { Process } from '../../engine/process.ts';
import { DiskFullError, type FileAttributes, type FileOwner, OF_ROOT, SET_GROUP } from '../machine/disk.ts';
import type { CommandPlace, CommandStreams } from './command-place.ts';
import type { RuntimeContainer } from './container-runtime.ts';
import {
  type ContainerMount,
  mayReadIn,
  mountAt,
  overlay,
  pathInTree,
  USUAL_FILE_MODE,
} from './file-tree.ts';
import { usualFiles } from './known-programs.ts';
import { fitsTar } from './tar-archive.ts';

const USAGE_EXIT = 2;
const TEXT = new TextEncoder();
/** Are there in every image. */
const DIRECTORIES = ['/', '/etc', '/proc', '/root', '/tmp', '/var'];

/** Those of the image, of the behaviour, and those that were written, without those that were taken away; over them its volumes. */
export function filesOf({ container, process, runtime }: CommandPlace): ReadonlyMap<string, Uint8Array> {
  const { behaviour, podName, id, restored, image, systemFiles, mounts = [] } = container;
  const texts = {
    '/etc/hostname': `${podName}\n`,
    ...systemFiles?.(),
    '/proc/1/mem': `${encodeJson({ ...process(), files: undefined })}\n`,
    ...usualFiles(image),
    ...behaviour.files,
  };
  const files = new Map([
    ...Object.entries(texts).map(([path, text]) => [path, TEXT.encode(text)] as const),
    ...Object.entries(restored?.files ?? {}),
  ]);
  for (const [path, bytes] of runtime.written.of(id))
    if (bytes) files.set(path, bytes);
    else files.delete(path);
  overlay(files, mounts);
  return files;
}

/** Undefined: there is none. */
export const fileAt = (place: CommandPlace, path: string): Uint8Array | undefined =>
  filesOf(place).get(resolved(path));

export type Unreadable = 'No such file or directory' | 'Permission denied';

/** A text: why it cannot be read. */
export function readFile(place: CommandPlace, path: string): Uint8Array | Unreadable {
  const { user, mounts = [] } = place.container;
  const bytes = fileAt(place, path);
  if (!bytes) return 'No such file or directory';
  return !user || mayReadIn(mounts, user, resolved(path)) ? bytes : 'Permission denied';
}

const NO_SPACE = 'No space left on device';

type ContainerPlace = Pick<CommandPlace, 'runtime' | 'container'>;

/** Undefined: it was written; else why not. */
export function writeFile(
  { runtime, container }: ContainerPlace,
  path: string,
  bytes: Uint8Array,
  mode = USUAL_FILE_MODE,
): string | undefined {
  const whole = resolved(path);
  if (!fitsTar(whole.slice(1))) return 'File name too long';
  return changed(container, whole, {
    outside: () => (runtime.written.write(container.id, whole, bytes) ? undefined : NO_SPACE),
    inside: ({ tree, directory }, file) =>
      tree.write(file, bytes, { mode, owner: ownerOfNew(container, directory) }),
  });
}

/** What a directory with the set-group-ID bit holds is its group's. */
function ownerOfNew({ user }: RuntimeContainer, directory: FileAttributes): FileOwner {
  const { uid, gid } = user ?? OF_ROOT;
  return { uid, gid: directory.mode & SET_GROUP ? directory.owner.gid : gid };
}

/** Undefined: it was taken away; else why not. */
export const removeFile = ({ runtime, container }: ContainerPlace, path: string): string | undefined =>
  changed(container, resolved(path), {
    outside: () => {
      runtime.written.remove(container.id, resolved(path));
      return undefined;
    },
    inside: ({ tree }, file) => tree.remove(file),
  });

function changed(
  { mounts = [], hasReadOnlyRoot = false }: RuntimeContainer,
  path: string,
  {
    outside,
    inside,
  }: {
    readonly outside: () => string | undefined;
    readonly inside: (mount: ContainerMount, file: string) => void;
  },
): string | undefined {
  const mount = mountAt(mounts, path);
  if (mount ? mount.isReadOnly : hasReadOnlyRoot && !isOfSystem(path)) return READ_ONLY;
  if (!mount) return outside();
  try {
    inside(mount, pathInTree(mount, path));
  } catch (error) {
    if (!(error instanceof DiskFullError)) throw error;
    return NO_SPACE;
  }
  return undefined;
}

/** Undefined: it was made; else why not. One in a volume is seen by the others that have it once something is in it. */
export function makeDirectory({ runtime, container }: ContainerPlace, path: string): string | undefined {
  let problem: string | undefined;
  const make = (): string | undefined =>
    (problem = runtime.written.makeDirectory(container.id, resolved(path)) ? undefined : NO_SPACE);
  return changed(container, resolved(path), { outside: make, inside: make }) ?? problem;
}

export const READ_ONLY = 'Read-only file system';

/** What lies in no image. */
export const isOfSystem = (path: string): boolean =>
  path.startsWith('/dev/') || path === '/etc/hosts' || path === '/etc/resolv.conf';

export const isDirectory = (
  { runtime, container: { id, mounts = [] } }: CommandPlace,
  files: ReadonlyMap<string, unknown>,
  path: string,
): boolean =>
  DIRECTORIES.includes(path) ||
  [...files.keys()].some((file) => file.startsWith(below(path))) ||
  [...runtime.written.directoriesOf(id)].some((made) => made === path || made.startsWith(below(path))) ||
  isPartOfVolume(mounts, path) ||
  mounts.some((mount) => (mount.path === path && !files.has(path)) || mount.path.startsWith(below(path)));

/** A directory that another mount shows a part of is there, though nothing is in it. */
export function isPartOfVolume(mounts: readonly ContainerMount[], path: string): boolean {
  const mount = mountAt(mounts, path);
  if (!mount) return false;
  const inTree = pathInTree(mount, path);
  return mounts.some(
    ({ tree, root }) => tree === mount.tree && (root === inTree || root.startsWith(below(inTree))),
  );
}

export const below = (path: string): string => (path.endsWith('/') ? path : `${path}/`);

/** Absolute, without `.` and `..`. */
export function resolved(path: string, from = '/'): string {
  const parts: string[] = [];
  for (const part of `${path.startsWith('/') ? '' : `${from}/`}${path}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** All that comes. */
export function* allOf(streams: CommandStreams): Process<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let bytes = yield* streams.read(); bytes; bytes = yield* streams.read()) pieces.push(bytes);
  return joined(pieces);
}

export function* cat(
  words: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<number> {
  let exitCode = 0;
  for (const path of words.length === 0 ? ['-'] : words) {
    if (path === '-') {
      for (let bytes = yield* streams.read(); bytes; bytes = yield* streams.read()) streams.write(bytes);
      continue;
    }
    const bytes = readFile(place, path);
    if (typeof bytes !== 'string') streams.write(bytes);
    else {
      streams.writeError(`cat: ${path}: ${bytes}\n`);
      exitCode = 1;
    }
  }
  return exitCode;
}

/** `ls [-F] [path]`; with `-F` a slash stands behind the names of directories. */
export function* ls(words: readonly string[], streams: CommandStreams, place: CommandPlace): Process<number> {
  const [path = '/'] = words.filter((word) => !word.startsWith('-'));
  const isMarked = words.some((word) => /^-[a-zA-Z]*[Fp]/.test(word));
  const { container, runtime } = place;
  const files = filesOf(place);
  const whole = resolved(path);
  const all = [
    ...files.keys(),
    ...runtime.written.directoriesOf(container.id),
    ...(container.mounts ?? []).map((mount) => mount.path),
  ];
  const names = new Set(
    all
      .filter((file) => file.startsWith(below(whole)))
      .map((file) => file.slice(below(whole).length).split('/')[0] ?? ''),
  );
  const mark = (name: string): string =>
    isMarked && isDirectory(place, files, below(whole) + name) ? '/' : '';
  if (files.has(whole)) streams.write(`${path}\n`);
  else if (isDirectory(place, files, whole))
    streams.write(
      [...names]
        .sort()
        .map((name) => `${name}${mark(name)}\n`)
        .join(''),
    );
  else {
    streams.writeError(`ls: cannot access '${path}': No such file or directory\n`);
    return USAGE_EXIT;
  }
  return 0;
}

/** `test -e|-f|-d path`. */
export function* test(
  words: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<number> {
  const [operator, path = ''] = words;
  const files = filesOf(place);
  const [isFile, isFolder] = [files.has(resolved(path)), isDirectory(place, files, resolved(path))];
  if (operator === '-f') return isFile ? 0 : 1;
  if (operator === '-d') return isFolder ? 0 : 1;
  if (operator === '-e') return isFile || isFolder ? 0 : 1;
  streams.writeError(`test: ${operator ?? ''} is not modelled in simulated containers\n`);
  return USAGE_EXIT;
}

export function* tee(
  words: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<number> {
  const bytes = yield* allOf(streams);
  let exitCode = 0;
  for (const path of words) {
    const problem = writeFile(place, path, bytes);
    if (problem === undefined) continue;
    streams.writeError(`tee: ${path}: ${problem}\n`);
    exitCode = 1;
  }
  streams.write(bytes);
  return exitCode;
}
