/**
 * Files by absolute path, wherever they are kept: on the disk of a node, or in a volume that outlives its nodes; and
 * where containers see them. It knows no volumes of pods.
 */
import type { Disk } from '../machine/disk.ts';

export interface FileTree {
  /** Paths of the files below a directory, sorted. */
  list(directory: string): readonly string[];
  read(path: string): Uint8Array | undefined;
  /** @throws DiskFullError */
  write(path: string, bytes: Uint8Array): void;
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
}

const FILE_MODE = 0o644;

export const treeOn = (disk: Disk): FileTree => ({
  list: (directory) => disk.list(directory),
  read: (path) => disk.read(path)?.bytes,
  write: (path, bytes) => disk.write(path, { bytes, mode: FILE_MODE, owner: 'root' }),
  remove: (path) => void disk.remove(path),
});

export class MemoryTree implements FileTree {
  readonly #files = new Map<string, Uint8Array>();

  list(directory: string): readonly string[] {
    const prefix = directory.endsWith('/') ? directory : `${directory}/`;
    return [...this.#files.keys()].filter((path) => path.startsWith(prefix)).sort();
  }

  read(path: string): Uint8Array | undefined {
    return this.#files.get(path);
  }

  write(path: string, bytes: Uint8Array): void {
    this.#files.set(path, bytes);
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
