/** An open watch: decodes what arrives into events and hands them to the steps that read. */
import type { ByteStream, ServerUnderTest } from './server-under-test.ts';
import type { WatchEvent } from './golden-case.ts';
import { isObject } from './json-object.ts';
import { readBinaryEvent, splitFrames } from './binary-envelope.ts';

export type ReadEnd = 'enough' | 'closed' | 'timeout' | 'quiet';

export interface ReadWish {
  keep(event: WatchEvent): boolean;
  enough(taken: readonly WatchEvent[]): boolean;
  readonly timeoutMs: number;
  /** Stop when nothing has arrived for so long. */
  readonly quietMs?: number | undefined;
}

/** How finely time goes by while a step waits for events. */
const POLL_MS = 20;

export class WatchReader {
  readonly #stream: ByteStream;
  readonly #decode: (bytes: Uint8Array) => readonly WatchEvent[];
  readonly #waiting: WatchEvent[] = [];

  constructor(stream: ByteStream, isBinary: boolean) {
    this.#stream = stream;
    this.#decode = isBinary ? binaryDecoder() : jsonDecoder();
  }

  close(): void {
    this.#stream.close();
  }

  take(server: ServerUnderTest, { keep, enough, timeoutMs, quietMs = Infinity }: ReadWish): { events: WatchEvent[]; end: ReadEnd } {
    const events: WatchEvent[] = [];
    const deadline = server.nowMs() + timeoutMs;
    let quietAt = server.nowMs() + quietMs;
    for (;;) {
      if (enough(events)) return { events, end: 'enough' };
      const event = this.#next();
      if (event) {
        if (keep(event)) events.push(event);
        quietAt = server.nowMs() + quietMs;
      } else if (this.#stream.isEnded) return { events, end: 'closed' };
      else if (server.nowMs() >= quietAt) return { events, end: 'quiet' };
      else if (server.nowMs() >= deadline) return { events, end: 'timeout' };
      else server.sleep(Math.max(1, Math.min(POLL_MS, quietAt - server.nowMs(), deadline - server.nowMs())));
    }
  }

  #next(): WatchEvent | undefined {
    while (this.#waiting.length === 0) {
      const bytes = this.#stream.read();
      if (!bytes) return undefined;
      this.#waiting.push(...this.#decode(bytes));
    }
    return this.#waiting.shift();
  }
}

/** Events in JSON, one on each line. */
function jsonDecoder(): (bytes: Uint8Array) => readonly WatchEvent[] {
  const utf8 = new TextDecoder();
  let partial = '';
  return (bytes) => {
    const lines = (partial + utf8.decode(bytes, { stream: true })).split('\n');
    partial = lines.pop() ?? '';
    return lines.filter((line) => line.trim() !== '').map(parseEvent);
  };
}

function parseEvent(line: string): WatchEvent {
  try {
    const event: unknown = JSON.parse(line);
    if (isObject(event)) return event;
  } catch {
    // Shown as what it is.
  }
  return { type: '(not JSON)', object: line };
}

function binaryDecoder(): (bytes: Uint8Array) => readonly WatchEvent[] {
  let partial = new Uint8Array();
  return (bytes) => {
    const all = new Uint8Array(partial.length + bytes.length);
    all.set(partial);
    all.set(bytes, partial.length);
    const { frames, rest } = splitFrames(all);
    partial = Uint8Array.from(rest);
    return frames.map(readBinaryEvent);
  };
}
