/** The real disk. The directory is its owner's alone, and so is every file in it; links are not followed. */
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DataDirectoryError, type FileLayer, type OpenFile } from './file-layer.ts';
import { bootId } from './process-identity.ts';

const { O_RDWR, O_RDONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

export class RealFiles implements FileLayer {
  readonly bootId = bootId();
  readonly #directory: string;

  /** Makes the directory where there is none. @throws DataDirectoryError */
  constructor(directory: string) {
    this.#directory = directory;
    makePrivate(directory);
  }

  names(): readonly string[] {
    return readdirSync(this.#directory);
  }

  read(name: string): Uint8Array | undefined {
    const path = this.#path(name);
    if (!lstatSync(path, { throwIfNoEntry: false })) return undefined;
    const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW);
    try {
      return readFileSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  create(name: string): OpenFile {
    rmSync(this.#path(name), { force: true });
    return openFile(openSync(this.#path(name), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600));
  }

  open(name: string): OpenFile {
    return openFile(openSync(this.#path(name), O_RDWR | O_NOFOLLOW));
  }

  rename(from: string, to: string): void {
    renameSync(this.#path(from), this.#path(to));
  }

  remove(name: string): void {
    rmSync(this.#path(name), { force: true });
  }

  syncDirectory(): void {
    syncDirectoryAt(this.#directory);
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }
}

const openFile = (descriptor: number): OpenFile => ({
  write: (bytes, position) => writeSync(descriptor, bytes, 0, bytes.length, position),
  truncate: (length) => ftruncateSync(descriptor, length),
  sync: () => fsyncSync(descriptor),
  syncLater: (done) => fsync(descriptor, (error) => done(error ?? undefined)),
  close: () => closeSync(descriptor),
});

function makePrivate(directory: string): void {
  if (!existsSync(directory)) {
    const first = mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (first !== undefined) syncDirectoryAt(dirname(first));
  }
  const stat = lstatSync(directory);
  if (!stat.isDirectory()) throw new DataDirectoryError(`${directory} is not a directory`);
  if ((stat.mode & 0o077) !== 0) chmodSync(directory, 0o700);
}

function syncDirectoryAt(path: string): void {
  const descriptor = openSync(path, O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
