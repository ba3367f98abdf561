/**
 * A log that only grows by whole records: what cannot be written whole is cut off again before anybody hears of it.
 */
import { StorageWriteError } from '../../storage/storage.ts';
import { type OpenFile, writeWhole } from './file-layer.ts';

export interface LogFileOptions {
  readonly file: OpenFile;
  readonly length: number;
}

export class LogFile {
  readonly #file: OpenFile;
  #length: number;
  #syncsUnderWay = 0;
  #isClosed = false;

  constructor({ file, length }: LogFileOptions) {
    this.#file = file;
    this.#length = length;
  }

  get length(): number {
    return this.#length;
  }

  /** @throws StorageWriteError; then the log is as before, or `lost` */
  append(bytes: Uint8Array): void {
    try {
      writeWhole(this.#file, bytes, this.#length);
    } catch (error) {
      this.#cutBack(error);
      throw new StorageWriteError(isFull(error) ? 'noSpace' : 'failed', messageOf(error));
    }
    this.#length += bytes.length;
  }

  sync(): void {
    this.#file.sync();
  }

  syncLater(done: (error: Error | undefined) => void): void {
    this.#syncsUnderWay += 1;
    this.#file.syncLater((error) => {
      this.#syncsUnderWay -= 1;
      if (this.#isClosed && this.#syncsUnderWay === 0) this.#file.close();
      done(error);
    });
  }

  /** Not while a sync is under way: its descriptor might be another file's by then. */
  close(): void {
    this.#isClosed = true;
    if (this.#syncsUnderWay === 0) this.#file.close();
  }

  #cutBack(cause: unknown): void {
    try {
      this.#file.truncate(this.#length);
      // A loss of power must not bring it back either.
      this.#file.sync();
    } catch (error) {
      throw new StorageWriteError('lost', `${messageOf(cause)}; then ${messageOf(error)}`);
    }
  }
}

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

export const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && FULL.has(error.code);

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
