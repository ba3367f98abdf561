/**
 * A node's disk: files by absolute path, with owners and modes, bounded in size. It outlives the node
 * agent and the machine's crashes; only `wipe` (a new machine image) empties it. Writes are whole: a
 * file is there with all its bytes or not at all. Knows nothing of what is in the files.
 */
import { Signal } from '../../engine/signal.ts';

export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

export const OF_ROOT: FileOwner = { uid: 0, gid: 0 };

export interface FileAttributes {
  /** Permission bits, such as 0o600; of directories with the set-group-ID and the sticky bit. */
  readonly mode: number;
  readonly owner: FileOwner;
}

export interface DiskFile extends FileAttributes {
  readonly bytes: Uint8Array;
  /** Room that it takes; default: that of its bytes. Of large files not every byte is kept here. */
  readonly sizeBytes?: number;
}

/** Bits of a directory: what is made in it is its group's; only who owns a file may take it away. */
export const SET_GROUP = 0o2000;
export const STICKY = 0o1000;

/** No space is left. */
export class DiskFullError extends Error {
  override readonly name = 'DiskFullError';

  constructor(path: string) {
    super(`write ${path}: no space left on device`);
  }
}

export interface DiskOptions {
  readonly capacityBytes: number;
}

/** Bytes that are really kept: of more than these not even a large disk has room. */
const MOST_KEPT_BYTES = 256 * 2 ** 20;

export class Disk {
  /** Fires with every change of its files or its space. */
  readonly changed = new Signal();
  readonly #files = new Map<string, DiskFile>();
  readonly #capacityBytes: number;
  #usedBytes = 0;
  #keptBytes = 0;
  /** Taken by something else: a fault. */
  #ballastBytes = 0;

  constructor({ capacityBytes }: DiskOptions) {
    this.#capacityBytes = capacityBytes;
  }

  get capacityBytes(): number {
    return this.#capacityBytes;
  }

  get availableBytes(): number {
    return Math.max(0, this.#capacityBytes - this.#usedBytes - this.#ballastBytes);
  }

  get fileCount(): number {
    return this.#files.size;
  }

  /** Takes all the space that is left, or gives it back. */
  setFull(isFull: boolean): void {
    this.#ballastBytes = isFull ? this.#capacityBytes - this.#usedBytes : 0;
    this.changed.fire();
  }

  /** @throws DiskFullError */
  write(path: string, file: DiskFile): void {
    const present = this.#files.get(path);
    const more = sizeOf(file) - (present ? sizeOf(present) : 0);
    const kept = this.#keptBytes + file.bytes.length - (present?.bytes.length ?? 0);
    if (more > this.availableBytes || kept > MOST_KEPT_BYTES) throw new DiskFullError(path);
    this.#files.set(path, file);
    this.#usedBytes += more;
    this.#keptBytes = kept;
    this.changed.fire();
  }

  read(path: string): DiskFile | undefined {
    return this.#files.get(path);
  }

  /** Moves a file in one step; what was there before is gone. False: there is no such file. */
  rename(from: string, to: string): boolean {
    const file = this.#files.get(from);
    if (!file) return false;
    this.remove(from);
    this.remove(to);
    this.#files.set(to, file);
    this.#usedBytes += sizeOf(file);
    this.#keptBytes += file.bytes.length;
    this.changed.fire();
    return true;
  }

  remove(path: string): boolean {
    const file = this.#files.get(path);
    if (!file) return false;
    this.#files.delete(path);
    this.#usedBytes -= sizeOf(file);
    this.#keptBytes -= file.bytes.length;
    this.changed.fire();
    return true;
  }

  /** Paths of the files directly or deeper below a directory, in bytewise order. */
  list(directory: string): readonly string[] {
    const prefix = directory.endsWith('/') ? directory : `${directory}/`;
    return [...this.#files.keys()].filter((path) => path.startsWith(prefix)).sort();
  }

  wipe(): void {
    this.#files.clear();
    this.#usedBytes = 0;
    this.#keptBytes = 0;
    this.#ballastBytes = 0;
    this.changed.fire();
  }
}

const sizeOf = ({ bytes, sizeBytes = bytes.length }: DiskFile): number => sizeBytes;
