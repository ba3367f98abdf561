/**
 * The files that a Go program in the simulation finds: what a pod finds of its service account, and those it was given. There
 * is no other file, and none can be written; what it writes to its outputs is handed on by the line.
 */
import { readFileSync } from 'node:fs';

type Callback = (error: Error | null, value?: unknown) => void;

export interface GoFilesOptions {
  /** Texts by absolute path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly output: (line: string) => void;
}

const FIRST_DESCRIPTOR = 3;
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount/';

/** As Go's `syscall` knows them: by their code. */
function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

const refused =
  (code: string) =>
  (...args: unknown[]): void =>
    (args.at(-1) as Callback)(failure(code));

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  EROFS: [
    'chmod',
    'chown',
    'fchmod',
    'fchown',
    'ftruncate',
    'lchown',
    'link',
    'mkdir',
    'rename',
    'rmdir',
    'symlink',
    'truncate',
    'unlink',
    'utimes',
  ],
  EINVAL: ['readlink'],
  ENOENT: ['readdir'],
};

interface OpenFile {
  readonly bytes: Uint8Array;
  at: number;
}

/** The object that Go calls `fs`: all of Node's that Go asks for. */
export interface GoFiles extends Readonly<Record<string, unknown>> {
  writeSync(descriptor: number, bytes: Uint8Array): number;
}

export interface GoFileSystem {
  readonly fs: GoFiles;
  /** Whether a file was opened, or anything written, by now. */
  readonly wasUsed: () => boolean;
}

export function goFiles({ files = {}, output }: GoFilesOptions): GoFileSystem {
  let wasUsed = false;
  const open = new Map<number, OpenFile>();
  const printed = new Map<number, LineWriter>();
  let next = FIRST_DESCRIPTOR;
  const bytesOf = (path: string): Uint8Array | undefined => {
    const text = files[path] ?? accountFile(path);
    return text === undefined ? undefined : new TextEncoder().encode(text);
  };
  const print = (descriptor: number, bytes: Uint8Array): number => {
    const writer = printed.get(descriptor) ?? new LineWriter(output);
    printed.set(descriptor, writer);
    wasUsed = true;
    writer.write(bytes);
    return bytes.length;
  };
  const stat = (path: string, done: Callback): void => {
    const bytes = bytesOf(path);
    if (bytes) done(null, statusOf(bytes));
    else done(failure('ENOENT'));
  };
  const fs: GoFiles = {
    constants: {
      O_WRONLY: 1,
      O_RDWR: 2,
      O_CREAT: 64,
      O_TRUNC: 512,
      O_APPEND: 1024,
      O_EXCL: 128,
      O_DIRECTORY: 65536,
    },
    writeSync: print,
    write: (
      descriptor: number,
      buffer: Uint8Array,
      offset: number,
      length: number,
      _at: unknown,
      done: Callback,
    ) => done(null, print(descriptor, buffer.subarray(offset, offset + length))),
    open: (path: string, flags: number, _mode: number, done: Callback) => {
      const bytes = bytesOf(path);
      if (!bytes || flags !== 0) return done(failure(bytes ? 'EROFS' : 'ENOENT'));
      open.set(next, { bytes, at: 0 });
      wasUsed = true;
      return done(null, next++);
    },
    read: (
      descriptor: number,
      buffer: Uint8Array,
      offset: number,
      length: number,
      at: number | null,
      done: Callback,
    ) => {
      const file = open.get(descriptor);
      if (!file) return done(failure('EBADF'));
      const from = at ?? file.at;
      const piece = file.bytes.subarray(from, from + length);
      buffer.set(piece, offset);
      if (at === null) file.at += piece.length;
      return done(null, piece.length);
    },
    close: (descriptor: number, done: Callback) => done(open.delete(descriptor) ? null : failure('EBADF')),
    fsync: (_descriptor: number, done: Callback) => done(null),
    fstat: (descriptor: number, done: Callback) =>
      done(null, statusOf(open.get(descriptor)?.bytes ?? new Uint8Array())),
    stat,
    lstat: stat,
    ...Object.fromEntries(
      Object.entries(REFUSED).flatMap(([code, names]) => names.map((name) => [name, refused(code)])),
    ),
  };
  return { fs, wasUsed: () => wasUsed };
}

/** Node's own reading of files gives guests what a pod would find. */
function accountFile(path: string): string | undefined {
  if (!path.startsWith(ACCOUNT)) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

const REGULAR_FILE = 0o100444;

const statusOf = (bytes: Uint8Array): object => ({
  ...{ dev: 1, ino: 1, mode: REGULAR_FILE, nlink: 1, uid: 0, gid: 0, rdev: 0 },
  ...{ size: bytes.length, blksize: 4096, blocks: 1, atimeMs: 0, mtimeMs: 0, ctimeMs: 0 },
  isDirectory: () => false,
});

/** Bytes of an output come in pieces of any size. */
class LineWriter {
  readonly #output: (line: string) => void;
  readonly #decoder = new TextDecoder();
  #begun = '';

  constructor(output: (line: string) => void) {
    this.#output = output;
  }

  write(bytes: Uint8Array): void {
    const lines = (this.#begun + this.#decoder.decode(bytes, { stream: true })).split('\n');
    this.#begun = lines.pop() ?? '';
    for (const line of lines) this.#output(line);
  }
}

/** The object that Go calls `process`: no fetch is left out because of it, as under Node's own name. */
export const goProcess: object = {
  argv0: 'kubesim',
  pid: 1,
  ppid: 0,
  ...Object.fromEntries(['getuid', 'getgid', 'geteuid', 'getegid', 'umask'].map((name) => [name, () => 0])),
  getgroups: () => [],
  cwd: () => '/',
  chdir: () => {
    throw failure('ENOENT');
  },
};

/** The object that Go calls `path`. */
export const goPath: object = {
  resolve: (...parts: string[]) => parts.join('/').replace(/\/{2,}/g, '/'),
};
