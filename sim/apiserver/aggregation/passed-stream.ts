/**
 * An answer of somebody else that is passed on as it comes. What its reader does not take is not asked for, so that nobody
 * who sends without end fills the memory of the server. Components of the simulation read events, others bytes.
 */
import type { Process } from '../../engine/process.ts';
import type { ResponseStream, StreamPiece, WatchEventObject } from '../request/request.ts';
import type { AnswerStream, ApiServerSurroundings } from '../surroundings.ts';

type Surroundings = Pick<ApiServerSurroundings, 'start' | 'waitFor'>;

const MOST_WAITING_BYTES = 1024 * 1024;
const MOST_EVENT_BYTES = 16 * 1024 * 1024;
/** Whoever reads nothing for so long is asked about again. */
const PATIENCE_MS = 60_000;

const NOBODY = (): void => undefined;

export class PassedStream implements ResponseStream {
  readonly #source: AnswerStream;
  readonly #surroundings: Surroundings;
  readonly #piecesOf: (bytes: Uint8Array) => readonly StreamPiece[];
  readonly #waiting: { readonly piece: StreamPiece; readonly size: number }[] = [];
  #waitingBytes = 0;
  #end: 'broken' | 'whole' | undefined;
  #onReady: () => void = NOBODY;
  #onTaken: () => void = NOBODY;
  readonly #stop: () => void;

  constructor(source: AnswerStream, surroundings: Surroundings, isWire: boolean) {
    this.#source = source;
    this.#surroundings = surroundings;
    const events = new EventLines();
    this.#piecesOf = isWire ? (bytes) => [bytes] : (bytes) => events.take(bytes);
    this.#stop = surroundings.start(this.#passOn());
  }

  *#passOn(): Process<void> {
    for (;;) {
      const bytes = yield* this.#source.receive();
      if (bytes === undefined || bytes === 'broken') return this.#finish(bytes ?? 'whole');
      const pieces = piecesOrNone(() => this.#piecesOf(bytes));
      if (!pieces) return this.#finish('broken');
      this.#waitingBytes += bytes.length;
      pieces.forEach((piece, index) => {
        this.#waiting.push({ piece, size: index === 0 ? bytes.length : 0 });
      });
      if (pieces.length === 0) this.#waitingBytes -= bytes.length;
      else this.#onReady();
      while (this.#waitingBytes > MOST_WAITING_BYTES)
        yield* this.#surroundings.waitFor((wake) => {
          this.#onTaken = wake;
          return () => (this.#onTaken = NOBODY);
        }, PATIENCE_MS);
    }
  }

  #finish(end: 'broken' | 'whole'): void {
    this.#end = end;
    this.#source.close();
    this.#onReady();
  }

  subscribe(onReady: () => void): void {
    this.#onReady = onReady;
  }

  read(): StreamPiece | undefined {
    const next = this.#waiting.shift();
    if (!next) return undefined;
    this.#waitingBytes -= next.size;
    if (this.#waitingBytes <= MOST_WAITING_BYTES) this.#onTaken();
    return next.piece;
  }

  get ended(): boolean {
    return this.#end !== undefined && this.#waiting.length === 0;
  }

  get isBroken(): boolean {
    return this.#end === 'broken';
  }

  close(): void {
    this.#stop();
    this.#waiting.length = 0;
    this.#end ??= 'broken';
    this.#source.close();
  }
}

/** What is no stream of events is nothing that a component can read. */
function piecesOrNone(pieces: () => readonly StreamPiece[]): readonly StreamPiece[] | undefined {
  try {
    return pieces();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** One JSON object follows the other, each on a line of its own. */
class EventLines {
  readonly #decoder = new TextDecoder();
  #rest = '';

  /** @throws SyntaxError where a line is none, RangeError where it never ends */
  take(bytes: Uint8Array): readonly WatchEventObject[] {
    const lines = `${this.#rest}${this.#decoder.decode(bytes, { stream: true })}`.split('\n');
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > MOST_EVENT_BYTES) throw new RangeError('an event is too long');
    return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as WatchEventObject);
  }
}
