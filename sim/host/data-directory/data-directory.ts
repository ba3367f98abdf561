/**
 * The storage on disk: a snapshot, the log of everything since, and a manifest that names the two.
 *
 * A record is in the log before memory changes, so a write that is refused was never there; and it is there before
 * the answer that acknowledges it is sent, so nothing acknowledged is lost when the process is killed. With
 * `fsync: 'always'` answers wait until it is on disk, too, and a loss of power loses nothing acknowledged either; with
 * the other settings it may lose the last writes, but their revisions are not given out again.
 * While the disk takes nothing, the storage can be read and not written. Where nobody can say any more what is on
 * disk, it is `lost`: no answer leaves the gate, and the process is to end.
 */
import { deepFreeze } from '../../apiserver/registry/storage-form.ts';
import type { StoredObject } from '../../apiserver/stores/stored-object.ts';
import { decodeRecord, encodeRecord, type JournalRecord, type JsonRecord } from '../../storage/journal.ts';
import { MemoryStorage } from '../../storage/memory-storage.ts';
import { revision } from '../../storage/revision.ts';
import { StorageWriteError } from '../../storage/storage.ts';
import { DataDirectoryError, type FileLayer, type OpenFile, writeWhole } from './file-layer.ts';
import { isFull, LogFile, messageOf } from './log-file.ts';
import {
  logName,
  type Manifest,
  readManifest,
  removeOthers,
  snapshotName,
  writeManifest,
} from './manifest.ts';
import { beginMark, ceilingMark, closedMark, type LogContents, readLog, syncedMark } from './read-log.ts';
import { lineOf } from './records.ts';
import { readSnapshot, writeSnapshot } from './snapshot.ts';
import { SyncGate } from './sync-gate.ts';

/** When what was written is forced to disk: before each answer, about once a second, or when the system likes to. */
export type Fsync = 'always' | 'interval' | 'never';

export interface DataDirectoryOptions {
  readonly fsync: Fsync;
  /** A log that is longer is replaced by a snapshot. */
  readonly maxLogBytes?: number;
  /** Hears one line of whatever an operator should know. */
  readonly onNotice: (line: string) => void;
  /** Nobody can say what is on disk; nothing is answered any more. */
  readonly onLost: (error: StorageWriteError) => void;
  readonly nowMs: () => number;
  /** Runs work at the end of the turn. */
  readonly later: (work: () => void) => void;
}

const MAX_LOG_BYTES = 64 * 1024 * 1024;
/** How long writes are refused without a try after the disk has refused one. */
const REST_MS = 1_000;
/** So many revisions are laid aside at a time where power may take the last ones. */
const CEILING_STEP = 100_000;

export class DataDirectory {
  readonly storage: MemoryStorage<StoredObject>;
  readonly gate: SyncGate | undefined;
  readonly #files: FileLayer;
  readonly #options: DataDirectoryOptions;
  readonly #maxLogBytes: number;
  #manifest: Manifest = { generation: 0, revision: 1 };
  #log: LogFile;
  /** To be written before the next record. */
  #marks: readonly JsonRecord[] = [];
  /** What was left undone at the start, as there was no room. */
  #unsettled: (() => void) | undefined;
  #ceiling = 0;
  #syncedBytes = 0;
  /** Of them, how many a mark in the log vouches for. */
  #markedBytes = 0;
  #rotatesAt: number;
  #refusal: { readonly error: StorageWriteError; readonly untilMs: number } | undefined;
  #lost: StorageWriteError | undefined;

  /** @throws DataDirectoryError, and errors of the system */
  constructor(files: FileLayer, options: DataDirectoryOptions) {
    this.#files = files;
    this.#options = options;
    this.#maxLogBytes = options.maxLogBytes ?? MAX_LOG_BYTES;
    this.#rotatesAt = this.#maxLogBytes;
    this.storage = new MemoryStorage<StoredObject>({ onRecord: (record) => this.#append(record) });
    if (options.fsync === 'always') {
      this.gate = new SyncGate({ sync: (done) => this.#syncLater(done), later: options.later });
    }
    const manifest = readManifest(files);
    this.#log = manifest ? this.#restore(manifest) : this.#begin();
  }

  /** Forces what was written to disk, without waiting. */
  syncSoon(): void {
    if (this.#lost || this.#syncedBytes === this.#log.length) return;
    this.#syncLater(() => undefined);
  }

  /** Everything is on disk when it returns, unless the disk takes nothing. */
  close(): void {
    try {
      if (!this.#lost) this.#closeWhole();
    } catch (error) {
      this.#options.onNotice(`the log was not closed: ${messageOf(error)}`);
    }
    this.#log.close();
  }

  #closeWhole(): void {
    this.#log.sync();
    // Who has written nothing leaves the log as it was: what it says of earlier lives still holds.
    if (this.#ceiling === 0 || this.#marks.length > 0) return;
    this.#log.append(bytesOf([closedMark()]));
    this.#log.sync();
  }

  #restore(manifest: Manifest): LogFile {
    const name = logName(manifest);
    const bytes = this.#files.read(name);
    if (!bytes) throw new DataDirectoryError(`${name} is missing`);
    const log = readLog(name, bytes, this.#files.bootId);
    this.#replay(readSnapshot(this.#files, snapshotName(manifest)));
    if (this.storage.revision !== manifest.revision)
      throw new DataDirectoryError(`${snapshotName(manifest)} does not belong to the manifest`);
    this.#replay(log.records);
    const file = this.#files.open(name);
    this.#settle(() => {
      // An earlier life may have named these files and ended before that was certain: others may go only afterwards.
      this.#files.syncDirectory();
      settleLog(file, bytes, log);
    });
    if (log.droppedBytes > 0) {
      this.#options.onNotice(
        `${name}: dropped ${log.droppedBytes} bytes after byte ${log.wholeBytes}, which were not written whole`,
      );
    }
    this.#manifest = manifest;
    this.#marks = [beginMark(this.#files.bootId, this.#raiseCeiling())];
    if (log.ceiling > this.storage.revision) this.#skipTo(log.ceiling);
    return new LogFile({ file, length: log.wholeBytes });
  }

  /** On a full disk it has time until something is to be written. */
  #settle(settle: () => void): void {
    try {
      settle();
      this.#unsettled = undefined;
    } catch (error) {
      if (!isFull(error)) throw error;
      this.#unsettled = settle;
    }
  }

  /** @throws StorageWriteError */
  #settleNow(settle: () => void): void {
    try {
      this.#settle(settle);
    } catch (error) {
      this.#unsettled = undefined;
      this.#rescue(error);
    }
    if (this.#unsettled) throw new StorageWriteError('noSpace', 'no room to write the log again');
  }

  #replay(records: readonly JsonRecord[]): void {
    for (const record of records)
      this.storage.replay(decodeRecord(record, (value) => deepFreeze(value as StoredObject)));
  }

  /** Clients may have seen revisions whose writes are lost: they read everything anew. */
  #skipTo(ceiling: number): void {
    const skip: JournalRecord<StoredObject> = { kind: 'skip', revision: revision(ceiling) };
    this.storage.replay(skip);
    // A torn write must not leave the beginning of this life without what it begins from.
    this.#marks = [encode(skip), beginMark(this.#files.bootId, this.#raiseCeiling())];
    this.#options.onNotice(`power was lost: revisions go on after ${ceiling}`);
  }

  #raiseCeiling(): number {
    this.#ceiling = this.gate ? 0 : this.storage.revision + CEILING_STEP;
    return this.#ceiling;
  }

  /** @throws StorageWriteError */
  #append(record: JournalRecord<StoredObject>): void {
    if (this.#lost) throw this.#lost;
    const { nowMs } = this.#options;
    if (this.#refusal && nowMs() < this.#refusal.untilMs && !isRemoval(record))
      return this.#refuse(record, this.#refusal.error);
    try {
      if (this.#unsettled) this.#settleNow(this.#unsettled);
      if (this.#log.length >= this.#rotatesAt) this.#rotate();
      this.#appendMarks(record);
      this.#log.append(bytesOf([encode(record)]));
    } catch (error) {
      if (!(error instanceof StorageWriteError)) throw error;
      if (error.kind === 'lost') this.#lose(error);
      else this.#rest(error);
      return this.#refuse(record, error);
    }
    if (this.#refusal) this.#options.onNotice('the data directory takes writes again');
    this.#refusal = undefined;
    this.gate?.noteWrite();
  }

  /** A compaction that is not written down leaves a longer history behind, which does no harm. */
  #refuse(record: JournalRecord<StoredObject>, error: StorageWriteError): void {
    if (record.kind !== 'compaction') throw error;
  }

  #rest(error: StorageWriteError): void {
    if (!this.#refusal) this.#options.onNotice(`the data directory takes no writes: ${error.cause}`);
    this.#refusal = { error, untilMs: this.#options.nowMs() + REST_MS };
  }

  #lose(error: StorageWriteError): void {
    if (this.#lost) return;
    this.#lost = error;
    this.#options.onLost(error);
  }

  #appendMarks(record: JournalRecord<StoredObject>): void {
    const needsCeiling = record.kind === 'commit' && this.#ceiling > 0 && record.revision > this.#ceiling;
    const isFirst = this.#marks.length > 0;
    const ceiling = needsCeiling ? record.revision + CEILING_STEP : this.#ceiling;
    const marks = [...this.#marks, ...(needsCeiling ? [ceilingMark(ceiling)] : [])];
    if (this.gate && this.#syncedBytes > this.#markedBytes) marks.push(syncedMark(this.#syncedBytes));
    if (marks.length === 0) return;
    this.#log.append(bytesOf(marks));
    // A revision above the ceiling of the disk is never given out.
    if (this.#ceiling > 0 && (isFirst || needsCeiling) && !this.#isSynced()) return;
    this.#marks = [];
    this.#ceiling = ceiling;
    this.#markedBytes = this.#syncedBytes;
  }

  /** False: the log has begun anew instead. @throws StorageWriteError `lost` */
  #isSynced(): boolean {
    try {
      this.#log.sync();
      return true;
    } catch (error) {
      this.#rescue(error);
      return false;
    }
  }

  #syncLater(done: () => void): void {
    const log = this.#log;
    const { length } = log;
    log.syncLater((error) => {
      if (this.#lost) return;
      // A new generation was forced to disk as a whole.
      if (log !== this.#log) return done();
      if (!error) this.#syncedBytes = Math.max(this.#syncedBytes, length);
      else if (!this.#isRescued(error)) return;
      done();
    });
  }

  #isRescued(error: Error): boolean {
    try {
      this.#rescue(error);
      return true;
    } catch {
      return false;
    }
  }

  /**
   * After a failed sync nobody knows what of the log is on disk, and the next sync would not say either; but memory
   * holds all of it. @throws StorageWriteError `lost`
   */
  #rescue(cause: unknown): void {
    const before = this.#log;
    try {
      this.#log = this.#begin();
    } catch (error) {
      const lost = new StorageWriteError('lost', `${messageOf(cause)}; then ${messageOf(error)}`);
      this.#lose(lost);
      throw lost;
    }
    before.close();
    this.#options.onNotice(`a sync failed (${messageOf(cause)}): the storage was written anew`);
  }

  #rotate(): void {
    const before = this.#log;
    try {
      this.#log = this.#begin();
      before.close();
    } catch (error) {
      if (error instanceof StorageWriteError) throw error;
      this.#rotatesAt = before.length + this.#maxLogBytes / 4;
      this.#options.onNotice(`no new snapshot, the log grows on: ${messageOf(error)}`);
    }
  }

  /**
   * A new generation of files. Until the manifest names it the old one stands, and nothing has happened.
   * @throws StorageWriteError `lost` if it is unknown which one stands; errors of the system if it is the old one
   */
  #begin(): LogFile {
    const next: Manifest = { generation: this.#manifest.generation + 1, revision: this.storage.revision };
    let isNamed = false;
    try {
      writeSnapshot(this.#files, snapshotName(next), this.storage.snapshot());
      const ceiling = this.gate ? 0 : this.storage.revision + CEILING_STEP;
      const log = this.#createLog(logName(next), ceiling);
      this.#files.syncDirectory();
      writeManifest(this.#files, next, () => {
        isNamed = true;
      });
      this.#adopt(next, log, ceiling);
      return log;
    } catch (error) {
      if (isNamed) throw new StorageWriteError('lost', messageOf(error));
      removeOthers(this.#files, this.#manifest);
      throw error;
    }
  }

  #createLog(name: string, ceiling: number): LogFile {
    const file = this.#files.create(name);
    const first = bytesOf([beginMark(this.#files.bootId, ceiling)]);
    try {
      writeWhole(file, first, 0);
      file.sync();
    } catch (error) {
      file.close();
      throw error;
    }
    return new LogFile({ file, length: first.length });
  }

  #adopt(manifest: Manifest, log: LogFile, ceiling: number): void {
    this.#manifest = manifest;
    this.#marks = [];
    this.#ceiling = ceiling;
    this.#syncedBytes = log.length;
    this.#markedBytes = 0;
    this.#rotatesAt = this.#maxLogBytes;
    removeOthers(this.#files, manifest);
  }
}

/**
 * What was read may be known to the system only, after a sync that failed in an earlier life: it is written again,
 * which takes no room, before anything relies on it.
 */
function settleLog(file: OpenFile, bytes: Uint8Array, { wholeBytes, syncedBytes }: LogContents): void {
  file.truncate(wholeBytes);
  if (syncedBytes < wholeBytes) writeWhole(file, bytes.subarray(syncedBytes, wholeBytes), syncedBytes);
  file.sync();
}

/** What makes room is tried even on a full disk; its record is small. */
const isRemoval = (record: JournalRecord<StoredObject>): boolean =>
  record.kind === 'commit' && record.operations.every(({ kind }) => kind === 'delete');

const encode = (record: JournalRecord<StoredObject>): JsonRecord => encodeRecord(record, (value) => value);

const bytesOf = (records: readonly JsonRecord[]): Uint8Array => Buffer.from(records.map(lineOf).join(''));
