/**
 * The storage on disk: a snapshot and the log of everything since, one checksummed record on each line.
 * A record is in the file before the answer that acknowledges it is sent, so nothing acknowledged is lost
 * when the process is killed. A torn last record is dropped; damage anywhere else is an error.
 * Files: `snapshot-N`, `log-N`; a new pair is begun at every start and whenever the log has grown long.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { deepFreeze } from '../apiserver/registry/storage-form.ts';
import type { StoredObject } from '../apiserver/stores/stored-object.ts';
import { decodeRecord, encodeRecord, type JournalRecord, type JsonRecord } from '../storage/journal.ts';
import { MemoryStorage } from '../storage/memory-storage.ts';

/** The files are damaged, or belong to another process. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
}

/** A log that is longer is replaced by a snapshot. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;
const LOCK = 'lock';
/** The last line of a snapshot that is whole. */
const SNAPSHOT_END = 'end';

export class JournalFile {
  readonly storage: MemoryStorage<StoredObject>;
  /** Bytes of a torn last record that were dropped at the start. */
  readonly droppedBytes: number = 0;
  readonly #directory: string;
  readonly #maxLogBytes: number;
  #generation: number;
  #log: number;
  #logBytes = 0;

  /** @throws JournalError */
  constructor(directory: string, { maxLogBytes = MAX_LOG_BYTES }: { readonly maxLogBytes?: number } = {}) {
    this.#directory = directory;
    this.#maxLogBytes = maxLogBytes;
    mkdirSync(directory, { recursive: true });
    takeLock(directory);
    let isReplaying = true;
    this.storage = new MemoryStorage<StoredObject>({
      onRecord: (record) => {
        if (!isReplaying) this.#append(record);
      },
    });
    this.#generation = newestSnapshot(directory);
    if (this.#generation > 0) this.droppedBytes = restore(directory, this.#generation, this.storage);
    this.#log = this.#begin(this.#generation + 1);
    isReplaying = false;
  }

  close(): void {
    closeSync(this.#log);
    rmSync(join(this.#directory, LOCK), { force: true });
  }

  #append(record: JournalRecord<StoredObject>): void {
    const line = lineOf(encodeRecord(record, (value) => value));
    this.#logBytes += writeSync(this.#log, line);
    if (this.#logBytes < this.#maxLogBytes) return;
    closeSync(this.#log);
    this.#log = this.#begin(this.#generation + 1);
  }

  /** The snapshot gets its name once it is whole; only then are older files of no use. */
  #begin(generation: number): number {
    const snapshot = join(this.#directory, `snapshot-${generation}`);
    writeSnapshot(`${snapshot}.part`, this.storage);
    const log = openSync(join(this.#directory, `log-${generation}`), 'w', 0o600);
    renameSync(`${snapshot}.part`, snapshot);
    syncDirectory(this.#directory);
    this.#generation = generation;
    this.#logBytes = 0;
    for (const file of readdirSync(this.#directory)) {
      const of = /^(?:snapshot|log)-(\d+)(?:\.part)?$/.exec(file)?.[1];
      if (of !== undefined && Number(of) !== generation) rmSync(join(this.#directory, file));
    }
    return log;
  }
}

function lineOf(record: JsonRecord): string {
  const json = JSON.stringify(record);
  return `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`;
}

function writeSnapshot(file: string, storage: MemoryStorage<StoredObject>): void {
  const descriptor = openSync(file, 'w', 0o600);
  for (const record of storage.snapshot())
    writeSync(descriptor, lineOf(encodeRecord(record, (value) => value)));
  writeSync(descriptor, lineOf([SNAPSHOT_END]));
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function newestSnapshot(directory: string): number {
  const generations = readdirSync(directory).map((file) => Number(/^snapshot-(\d+)$/.exec(file)?.[1] ?? 0));
  return Math.max(0, ...generations);
}

/** @returns how many bytes of a torn last record were dropped */
function restore(directory: string, generation: number, storage: MemoryStorage<StoredObject>): number {
  const snapshot = readRecords(join(directory, `snapshot-${generation}`));
  if (snapshot.records.at(-1)?.[0] !== SNAPSHOT_END)
    throw new JournalError(`snapshot-${generation} is not whole`);
  const logFile = join(directory, `log-${generation}`);
  const log = existsSync(logFile) ? readRecords(logFile) : { records: [], tornBytes: 0, wholeBytes: 0 };
  for (const record of [...snapshot.records.slice(0, -1), ...log.records]) {
    storage.replay(decodeRecord(record, (value) => deepFreeze(value as StoredObject)));
  }
  if (log.tornBytes > 0) truncateSync(logFile, log.wholeBytes);
  return log.tornBytes;
}

interface ReadRecords {
  readonly records: readonly JsonRecord[];
  readonly wholeBytes: number;
  readonly tornBytes: number;
}

/** @throws JournalError where a damaged record is not the last */
function readRecords(file: string): ReadRecords {
  const bytes = readFileSync(file);
  const records: JsonRecord[] = [];
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(0x0a, start);
    const record = end < 0 ? undefined : recordOf(bytes.toString('utf8', start, end));
    if (!record) {
      const isLast = end < 0 || end === bytes.length - 1;
      if (!isLast) throw new JournalError(`${file} is damaged at byte ${start}`);
      return { records, wholeBytes: start, tornBytes: bytes.length - start };
    }
    records.push(record);
    start = end + 1;
  }
  return { records, wholeBytes: start, tornBytes: 0 };
}

function recordOf(line: string): JsonRecord | undefined {
  const json = line.slice(9);
  if (line[8] !== ' ' || crc32(json).toString(16).padStart(8, '0') !== line.slice(0, 8)) return undefined;
  return JSON.parse(json) as JsonRecord;
}

/** Two processes never write to one directory; the lock of a process that is gone does not count. */
function takeLock(directory: string): void {
  const file = join(directory, LOCK);
  const owner = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (owner > 0 && owner !== process.pid && isRunning(owner)) {
    throw new JournalError(`${directory} is used by process ${owner}`);
  }
  writeFileSync(file, String(process.pid));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
