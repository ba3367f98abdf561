/** A server in a process of its own, whose memory nobody else uses. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Memory, Question } from './measured-server.ts';

export class MeasuredProcess {
  readonly url: URL;
  /** What it said of defects. */
  said = '';
  readonly #child: ChildProcess;
  #asked: Promise<Memory | undefined> = Promise.resolve(undefined);

  private constructor(child: ChildProcess, url: URL) {
    this.#child = child;
    this.url = url;
    child.stderr?.on('data', (piece: Buffer) => (this.said += piece.toString()));
  }

  static async start(): Promise<MeasuredProcess> {
    const child = fork(join(import.meta.dirname, 'measured-server.ts'), [], {
      execArgv: ['--expose-gc', '--import', 'tsx'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const [url] = (await once(child, 'message')) as [string];
    return new MeasuredProcess(child, new URL(url));
  }

  /** One question after the other. */
  memory(question: Question = 'now'): Promise<Memory> {
    const asked = this.#asked.then(async () => {
      const answer = once(this.#child, 'message');
      this.#child.send(question);
      const [memory] = (await answer) as [Memory];
      return memory;
    });
    this.#asked = asked;
    return asked;
  }

  stop(): void {
    this.#child.disconnect();
  }
}

const BYTES_PER_MB = 1_000_000;

/** What it holds for its clients, without what the allocator keeps in reserve. */
export const heldMb = ({ heapBytes, externalBytes }: Memory): number =>
  Math.round(((heapBytes + externalBytes) / BYTES_PER_MB) * 10) / 10;

export const residentMb = ({ residentBytes }: Memory): number => Math.round(residentBytes / BYTES_PER_MB);
