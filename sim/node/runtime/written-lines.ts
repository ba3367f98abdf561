/**
 * What a process has written so far that had to run for it, line by line. Two lines are never of one instant. Of very much
 * only the later part is kept: the log file is rotated.
 */
import type { LogEntry } from './workload-behaviour.ts';

export type WrittenLine = Pick<LogEntry, 'text' | 'stream' | 'isPartial'>;

const APART_SECONDS = 1e-6;
/** Characters: a file, and the one before it. */
const MOST_KEPT = 2 * 10 * 2 ** 20;

export class WrittenLines {
  #entries: LogEntry[] = [];
  #length = 0;

  get entries(): readonly LogEntry[] {
    return this.#entries;
  }

  /** When the last was written; 0: nothing was. */
  get lastSeconds(): number {
    return this.#entries.at(-1)?.afterSeconds ?? 0;
  }

  /** `seconds`: since the container has started. */
  add(line: WrittenLine, seconds: number): void {
    const last = this.#entries.at(-1)?.afterSeconds ?? -1;
    this.#entries.push({ ...line, afterSeconds: Math.max(seconds, last + APART_SECONDS) });
    this.#length += line.text.length + 1;
    if (this.#length > MOST_KEPT) this.#rotate();
  }

  /** As long as half of it is left. */
  #rotate(): void {
    let at = 0;
    for (; this.#length > MOST_KEPT / 2 && at < this.#entries.length - 1; at++)
      this.#length -= (this.#entries[at]?.text.length ?? 0) + 1;
    this.#entries = this.#entries.slice(at);
  }

  clear(): void {
    this.#entries = [];
    this.#length = 0;
  }
}
