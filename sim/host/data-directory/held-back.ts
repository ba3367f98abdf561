/**
 * Answers, and what watches have to say, leave the server only when everything that they may tell of is on disk: no
 * client ever sees what a loss of power could take back.
 */
import type { ApiResponse, ResponseStream } from '../../apiserver/request/request.ts';
import type { Defects } from '../defects.ts';
import type { RequestHandler } from '../request-handler.ts';
import type { SyncGate } from './sync-gate.ts';

export const heldBack =
  (
    gate: SyncGate,
    handle: RequestHandler['handle'],
    defects: Pick<Defects, 'guard'>,
  ): RequestHandler['handle'] =>
  (request, respond, breakOff) => {
    const hold = (response: ApiResponse): void => {
      const { body } = response;
      const held =
        body.kind === 'stream'
          ? { ...response, body: { ...body, stream: new HeldStream(body.stream, gate, defects) } }
          : response;
      // One sync answers many: what fails for one of them is no affair of the others.
      gate.whenSettled(() => defects.guard(() => respond(held), breakOff));
    };
    // A connection that breaks tells nothing, and so waits for nothing.
    handle(request, hold, breakOff);
  };

type Piece = NonNullable<ReturnType<ResponseStream['read']>>;

/** So many pieces wait here for a sync; more wait in the stream, which bounds them. */
const MAX_PIECES = 64;

/** What is read while writes are under way waits for those: it may tell of them. */
class HeldStream implements ResponseStream {
  readonly #stream: ResponseStream;
  readonly #gate: SyncGate;
  readonly #defects: Pick<Defects, 'guard'>;
  #onReady: () => void = () => undefined;
  #pieces: { readonly writes: number; readonly piece: Piece }[] = [];
  #isWaiting = false;

  constructor(stream: ResponseStream, gate: SyncGate, defects: Pick<Defects, 'guard'>) {
    this.#stream = stream;
    this.#gate = gate;
    this.#defects = defects;
  }

  subscribe(onReady: () => void): void {
    this.#onReady = onReady;
    this.#stream.subscribe(onReady);
  }

  read(): Piece | undefined {
    this.#pull();
    const [first] = this.#pieces;
    if (!first) return undefined;
    if (first.writes <= this.#gate.settled) return this.#pieces.shift()?.piece;
    this.#tellLater();
    return undefined;
  }

  get ended(): boolean {
    return this.#pieces.length === 0 && this.#stream.ended;
  }

  close(): void {
    this.#stream.close();
  }

  #pull(): void {
    while (this.#pieces.length < MAX_PIECES) {
      const piece = this.#stream.read();
      if (piece === undefined) return;
      this.#pieces.push({ writes: this.#gate.written, piece });
    }
  }

  #tellLater(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#gate.whenSettled(() => {
      this.#isWaiting = false;
      this.#defects.guard(this.#onReady, () => this.close());
    });
  }
}
