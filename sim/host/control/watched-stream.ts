/** The events of one watch on their way to a client: noted, and subject to the rules of its world. */
import type { ResponseStream, StreamPiece } from '../../apiserver/request/request.ts';
import { refusalOf } from '../../cluster/request-faults.ts';
import { type ClientName, eventsIn } from './client-ledger.ts';
import type { RuledWatch, WatchedEvent, WatchRules } from './watch-rules.ts';

export interface WatchedStreamOptions {
  readonly client: ClientName;
  readonly resource: string;
  readonly rules: WatchRules;
  /** What the client hears, when it does. */
  readonly heard: (bytes: Uint8Array) => void;
  readonly nowMs: () => number;
  /** Calls back after so much virtual time. */
  readonly after: (ms: number, ring: () => void) => void;
}

/** Events that wait behind rules at the most. */
const MOST_WAITING = 1_000;

interface Waiting {
  readonly bytes: Uint8Array;
  readonly event: WatchedEvent;
  readonly dueMs: number;
}

export class WatchedStream implements ResponseStream, RuledWatch {
  readonly #inner: ResponseStream;
  readonly #options: WatchedStreamOptions;
  readonly #waiting: Waiting[] = [];
  readonly #forget: () => void;
  #onReady = (): void => undefined;
  /** By somebody who was asked to, before the server has. */
  #isCut = false;

  constructor(inner: ResponseStream, options: WatchedStreamOptions) {
    this.#inner = inner;
    this.#options = options;
    this.#forget = options.rules.add(this);
  }

  subscribe(onReady: () => void): void {
    this.#onReady = onReady;
    this.#inner.subscribe(() => {
      if (this.#options.rules.list.length > 0) this.#take();
      onReady();
    });
  }

  read(): Uint8Array | undefined {
    this.#take();
    const { nowMs, rules, heard } = this.#options;
    const [first] = this.#waiting;
    if (!first || first.dueMs > nowMs() || rules.isHeld(first.event)) return undefined;
    this.#waiting.shift();
    heard(first.bytes);
    return first.bytes;
  }

  get ended(): boolean {
    return this.#waiting.length === 0 && (this.#isCut || this.#inner.ended);
  }

  get isBroken(): boolean {
    return !this.#isCut && (this.#inner.isBroken ?? false);
  }

  get client(): ClientName {
    return this.#options.client;
  }

  get resource(): string {
    return this.#options.resource;
  }

  reconsider(): void {
    this.#onReady();
  }

  /** What waits is not told any more. */
  end(isExpired: boolean): void {
    this.#isCut = true;
    this.#waiting.length = 0;
    const { client, resource } = this.#options;
    if (isExpired) this.#waiting.push({ bytes: bytesOf(EXPIRED), event: { client, resource }, dueMs: 0 });
    this.#onReady();
  }

  close(): void {
    this.#forget();
    this.#inner.close();
  }

  /**
   * Where there are rules, what is there of the watch itself is sorted at once, as lateness counts from then; otherwise only
   * what is read. Beyond a number it is left where it is: the server knows what to do with who reads nothing.
   */
  #take(most = this.#options.rules.list.length > 0 ? MOST_WAITING : 1): void {
    if (this.#isCut) return;
    for (let piece = this.#next(most); piece !== undefined; piece = this.#next(most))
      for (const bytes of piece instanceof Uint8Array ? eventsApart(piece) : [bytesOf(piece)])
        this.#sort(bytes);
  }

  #next(most: number): StreamPiece | undefined {
    return this.#waiting.length < most ? this.#inner.read() : undefined;
  }

  #sort(bytes: Uint8Array): void {
    const { client, resource, rules, nowMs, after } = this.#options;
    if (rules.list.length === 0) {
      this.#waiting.push({ bytes, event: { client, resource }, dueMs: 0 });
      return;
    }
    const event: WatchedEvent = { client, resource, ...eventsIn(bytes)[0] };
    if (rules.drops(event)) return;
    const delayMs = rules.delayMsOf(event);
    this.#waiting.push({ bytes, event, dueMs: delayMs === 0 ? 0 : nowMs() + delayMs });
    if (delayMs > 0) after(delayMs, () => this.#onReady());
  }
}

const EXPIRED = { type: 'ERROR', object: refusalOf({ status: 410 }) };

const bytesOf = (piece: object): Uint8Array => new TextEncoder().encode(`${JSON.stringify(piece)}\n`);

const LINE_BREAK = 10;

/** Each line is one event; what is not JSON is left whole. */
function eventsApart(piece: Uint8Array): readonly Uint8Array[] {
  const first = piece.indexOf(LINE_BREAK);
  if (piece[0] !== '{'.charCodeAt(0) || first < 0 || first === piece.length - 1) return [piece];
  const events: Uint8Array[] = [];
  for (let start = 0; start < piece.length;) {
    const end = piece.indexOf(LINE_BREAK, start);
    const next = end < 0 ? piece.length : end + 1;
    events.push(piece.subarray(start, next));
    start = next;
  }
  return events;
}
