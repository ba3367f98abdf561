/** What a process has written so far that had to run for it, line by line. Two lines are never of one instant. */
import type { LogEntry } from './workload-behaviour.ts';

export type WrittenLine = Pick<LogEntry, 'text' | 'stream'>;

const APART_SECONDS = 1e-6;

export class WrittenLines {
  #entries: LogEntry[] = [];

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
  }

  clear(): void {
    this.#entries = [];
  }
}
