/**
 * Reads large YAML off the main thread: one text after the other, in a thread that begins with the first of them.
 * A text that takes too long or too much memory costs its thread and is refused; the next gets a new one. It never
 * answers at once, and always answers, unless it was cancelled.
 */
import { Worker } from 'node:worker_threads';
import type { ReadYaml } from '../apiserver/request/read-yaml.ts';
import { tooManyValues } from '../api/codec/value-bound.ts';
import { ApiError } from '../api/status.ts';
import type { YamlAnswer } from './yaml-worker.ts';

export interface YamlReaderOptions {
  /** Of the thread's program. */
  readonly program: URL;
  readonly limitMs?: number;
  readonly maxHeapMegabytes?: number;
  readonly onDefect: (error: unknown) => void;
}

const DEFAULT_LIMIT_MS = 30_000;
const DEFAULT_MAX_HEAP_MEGABYTES = 768;
const MAX_WAITING = 100;

interface Job {
  readonly text: string;
  readonly deliver: (read: ReadYaml) => void;
}

const tooMuchWork = (): ApiError =>
  new ApiError({
    reason: 'RequestEntityTooLarge',
    message: 'Request entity too large: reading its YAML takes too much time or memory, JSON would not',
  });

const tooMany = (): ApiError =>
  new ApiError({
    reason: 'TooManyRequests',
    message: 'too many large YAML bodies are waiting to be read, please try again later',
    details: { retryAfterSeconds: 1 },
  });

export class YamlReader {
  readonly #options: YamlReaderOptions;
  readonly #waiting: Job[] = [];
  #current: Job | undefined;
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: YamlReaderOptions) {
    this.#options = options;
  }

  /** The result cancels it. */
  read(text: string, deliver: Job['deliver']): () => void {
    const job = { text, deliver };
    if (this.#isClosed || this.#waiting.length >= MAX_WAITING) {
      const refusal = setImmediate(() => deliver({ kind: 'refused', error: tooMany() }));
      return () => clearImmediate(refusal);
    }
    this.#waiting.push(job);
    this.#next();
    return () => this.#cancel(job);
  }

  /** Nobody is answered any more. */
  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
    this.#current = undefined;
    this.#endWorker();
  }

  #next(): void {
    if (this.#current || this.#isClosed) return;
    this.#current = this.#waiting.shift();
    if (!this.#current) return;
    const { limitMs = DEFAULT_LIMIT_MS } = this.#options;
    const worker = (this.#worker ??= this.#newWorker());
    this.#timer = setTimeout(() => this.#giveUp(worker), limitMs);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
    worker.postMessage(this.#current.text);
  }

  #newWorker(): Worker {
    const { program, maxHeapMegabytes = DEFAULT_MAX_HEAP_MEGABYTES, onDefect } = this.#options;
    const worker = new Worker(program, {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMegabytes },
    });
    // It alone does not keep the process alive.
    worker.unref();
    worker.on('message', (answer: YamlAnswer) => {
      if (worker === this.#worker) this.#answered(answer);
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') onDefect(error);
      this.#giveUp(worker);
    });
    worker.on('exit', () => this.#giveUp(worker));
    return worker;
  }

  #answered(answer: YamlAnswer): void {
    if (answer.kind === 'too many values') return this.#deliver({ kind: 'refused', error: tooManyValues() });
    if (answer.kind !== 'defect') return this.#deliver(answer);
    this.#options.onDefect(new Error(answer.message));
    this.#deliver({ kind: 'refused', error: tooMuchWork() });
  }

  #giveUp(worker: Worker): void {
    if (worker !== this.#worker) return;
    this.#endWorker();
    this.#deliver({ kind: 'refused', error: tooMuchWork() });
  }

  #endWorker(): void {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }

  #deliver(read: ReadYaml): void {
    clearTimeout(this.#timer);
    const job = this.#current;
    this.#current = undefined;
    this.#next();
    job?.deliver(read);
  }

  #cancel(job: Job): void {
    const at = this.#waiting.indexOf(job);
    if (at >= 0) this.#waiting.splice(at, 1);
    if (job !== this.#current) return;
    this.#endWorker();
    this.#current = undefined;
    this.#next();
  }
}
