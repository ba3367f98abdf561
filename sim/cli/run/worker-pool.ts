/**
 * Runs work in parallel processes. A process that dies or does not come to an end costs one run: its record says
 * so, and a new process goes on with the rest.
 */
import { fork, type ChildProcess } from 'node:child_process';
import type { RunRecord } from '../../../reports/run-record.ts';
import { scenarioKey, type WorkItem } from './work-item.ts';
import type { WorkerMessage, WorkMessage } from './worker.ts';

export interface PoolOptions {
  readonly jobs: number;
  /** The command line's own file: workers are the same program. */
  readonly entry: string;
  readonly execArgv?: readonly string[];
  /** Real milliseconds that one run may take. */
  readonly limitMs: number;
  /** Ends all processes and the work; no run is lost by it. */
  readonly signal?: AbortSignal;
  readonly textOf: (item: WorkItem) => string;
  readonly onRecord: (record: RunRecord) => void;
  /** A record for a run whose process died. */
  readonly lost: (item: WorkItem, reason: string) => RunRecord;
}

/**
 * Worlds that are over are garbage, some megabytes each: room for several of them spares the collector from copying
 * those that are still in use. In megabytes, three times of it at most.
 */
const ROOM_FOR_THE_YOUNG = '--max-semi-space-size=64';

/** In the order in which they end. */
export async function runInPool(items: readonly WorkItem[], options: PoolOptions): Promise<void> {
  const queue = [...items];
  options.signal?.addEventListener('abort', () => queue.splice(0), { once: true });
  const jobs = Math.min(options.jobs, queue.length);
  await Promise.all(Array.from({ length: jobs }, () => new WorkerSlot(queue, options).run()));
}

class WorkerSlot {
  readonly #queue: WorkItem[];
  readonly #options: PoolOptions;

  constructor(queue: WorkItem[], options: PoolOptions) {
    this.#queue = queue;
    this.#options = options;
  }

  async run(): Promise<void> {
    while (this.#queue.length > 0) await this.#oneProcess();
  }

  /** Until the queue is empty or the process is gone. */
  #oneProcess(): Promise<void> {
    const { entry, execArgv = process.execArgv, limitMs, signal, onRecord, lost, textOf } = this.#options;
    const child: ChildProcess = fork(entry, ['worker'], {
      execArgv: [ROOM_FOR_THE_YOUNG, ...execArgv],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const kill = (): void => void child.kill('SIGKILL');
    signal?.addEventListener('abort', kill, { once: true });
    if (signal?.aborted) kill();
    const known = new Set<string>();
    return new Promise((resolve) => {
      let current: WorkItem | undefined;
      let timer: NodeJS.Timeout | undefined;
      let reason: string | undefined;
      let hasBegun = false;
      const next = (): void => {
        clearTimeout(timer);
        current = this.#queue.shift();
        if (!current) return child.disconnect();
        const message: WorkMessage = {
          item: current,
          ...(!known.has(scenarioKey(current)) && { text: textOf(current) }),
        };
        known.add(scenarioKey(current));
        child.send(message);
        timer = setTimeout(() => {
          reason = `no end after ${limitMs / 1_000}s of real time`;
          child.kill('SIGKILL');
        }, limitMs);
      };
      child.on('message', (message: WorkerMessage) => {
        hasBegun = true;
        if (message.kind === 'done') onRecord(message.record);
        next();
      });
      // A message to a process that is just ending.
      child.on('error', () => undefined);
      child.on('exit', (code, killedBy) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', kill);
        if (signal?.aborted) {
          resolve();
          return;
        }
        const ending = reason ?? `the worker process ended with ${killedBy ?? `code ${code ?? 'unknown'}`}`;
        if (current) onRecord(lost(current, ending));
        // A process that cannot even start would fail for ever.
        else if (!hasBegun) for (const item of this.#queue.splice(0)) onRecord(lost(item, ending));
        resolve();
      });
    });
  }
}
