/**
 * Files by absolute path, wherever they are kept: on the disk of a node, or in a volume that outlives its nodes; and
 * where containers see them. It knows no volumes of pods.
 */
import { type Disk, type FileAttributes, type FileOwner, OF_ROOT } from '../machine/disk.ts';

export interface FileTree {
  /** Paths of the files below a directory, sorted. */
  list(directory: string): readonly string[];
  read(path: string): Uint8Array | undefined;
  /** Undefined: there is no such file. */
  attributesOf(path: string): FileAttributes | undefined;
  /** What is there already keeps its attributes. Default: everybody may read it, and root write. @throws DiskFullError */
  write(path: string, bytes: Uint8Array, attributes?: FileAttributes): void;
  remove(path: string): void;
}

/** A directory, or a single file, that a container sees at a path of its own. */
export interface ContainerMount {
  /** In the container: absolute, without a slash at its end. */
  readonly path: string;
  readonly tree: FileTree;
  /** What of the tree it is. */
  readonly root: string;
  readonly isReadOnly: boolean;
  /** Of the directory; a single file has its own. */
  readonly directory: FileAttributes;
  /** Its files are in memory (`tmpfs`). */
  readonly isInMemory: boolean;
}

/** Of what is created without saying more. */
export const USUAL_FILE_MODE = 0o644;
const USUAL: FileAttributes = { mode: USUAL_FILE_MODE, owner: OF_ROOT };

export const treeOn = (disk: Disk): FileTree => ({
  list: (directory) => disk.list(directory),
  read: (path) => disk.read(path)?.bytes,
  attributesOf: (path) => disk.read(path),
  write: (path, bytes, attributes = USUAL) => {
    const { mode, owner } = disk.read(path) ?? attributes;
    disk.write(path, { bytes, mode, owner });
  },
  remove: (path) => void disk.remove(path),
});

interface KeptFile extends FileAttributes {
  readonly bytes: Uint8Array;
}

export class MemoryTree implements FileTree {
  readonly #files = new Map<string, KeptFile>();

  list(directory: string): readonly string[] {
    const prefix = directory.endsWith('/') ? directory : `${directory}/`;
    return [...this.#files.keys()].filter((path) => path.startsWith(prefix)).sort();
  }

  read(path: string): Uint8Array | undefined {
    return this.#files.get(path)?.bytes;
  }

  attributesOf(path: string): FileAttributes | undefined {
    return this.#files.get(path);
  }

  write(path: string, bytes: Uint8Array, attributes: FileAttributes = USUAL): void {
    const { mode, owner } = this.#files.get(path) ?? attributes;
    this.#files.set(path, { bytes, mode, owner });
  }

  remove(path: string): void {
    this.#files.delete(path);
  }
}

/** The innermost one that a path lies in. */
export const mountAt = (mounts: readonly ContainerMount[], path: string): ContainerMount | undefined =>
  mounts
    .filter((mount) => path === mount.path || path.startsWith(`${mount.path}/`))
    .reduce<ContainerMount | undefined>(
      (best, mount) => (best && best.path.length >= mount.path.length ? best : mount),
      undefined,
    );

/** Where in its tree a path in a mount is. */
export const pathInTree = ({ path: from, root }: ContainerMount, path: string): string =>
  `${root === '/' ? '' : root}${path.slice(from.length)}`;

/** Whom a program runs as, with all groups. */
export interface Reader extends FileOwner {
  readonly groups: readonly number[];
}

const READ = 4;
const BITS_OF_EACH = 3;

/** Root may read everything; else the bits of the first that it is count: owner, group, others. */
export function mayRead({ uid, gid, groups }: Reader, { mode, owner }: FileAttributes): boolean {
  if (uid === OF_ROOT.uid) return true;
  const isOfGroup = gid === owner.gid || groups.includes(owner.gid);
  const place = uid === owner.uid ? 2 : isOfGroup ? 1 : 0;
  return ((mode >> (place * BITS_OF_EACH)) & READ) !== 0;
}

/** Whether who runs as somebody else may read a file in a mount. Of what lies elsewhere nobody knows the modes. */
export function mayReadIn(mounts: readonly ContainerMount[], reader: Reader, path: string): boolean {
  const mount = mountAt(mounts, path);
  const attributes = mount?.tree.attributesOf(pathInTree(mount, path));
  return !attributes || mayRead(reader, attributes);
}

/** Puts what is mounted over the files that were at its place. */
export function overlay(files: Map<string, Uint8Array>, mounts: readonly ContainerMount[]): void {
  for (const { path, tree, root } of mounts.toSorted((a, b) => a.path.length - b.path.length)) {
    for (const file of files.keys()) if (file === path || file.startsWith(`${path}/`)) files.delete(file);
    const single = tree.read(root);
    if (single) files.set(path, single);
    else
      for (const file of tree.list(root)) {
        const bytes = tree.read(file);
        if (bytes) files.set(path + file.slice(root === '/' ? 0 : root.length), bytes);
      }
  }
}
