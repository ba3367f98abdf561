/** What a guest answers on a port of its own: at once or bit by bit, in its turns alone. What it throws is an answer of 500. */
import type { HttpAnswer, HttpCall } from '../../api/http-call.ts';
import type { HttpPieces } from '../../client/http-stream-port.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import type { GuestHandler, GuestPieces } from './guest-program.ts';
import { messageOf } from './verdicts.ts';

const TEXT = new TextEncoder();

/** Runs what is given in a turn of the guest. */
type Plan = (act: () => void) => void;

export class GuestAnswers {
  readonly #context: Context;
  readonly #handler: GuestHandler;
  readonly #plan: Plan;

  constructor(context: Context, handler: GuestHandler, plan: Plan) {
    this.#context = context;
    this.#handler = handler;
    this.#plan = plan;
  }

  *of(call: HttpCall, peer: string): Process<HttpAnswer | HttpPieces> {
    const answer = yield* this.#inTurn(() => answerOf(this.#handler, call, peer));
    return 'pieces' in answer ? this.#piecesOf(answer) : answer;
  }

  #piecesOf({ status, headers, pieces }: GuestPieces): HttpPieces {
    const iterator = pieces[Symbol.asyncIterator]();
    const next = (): Process<IteratorResult<Uint8Array | string | object, unknown>> =>
      this.#inTurn(() => nextOf(iterator));
    let isOver = false;
    return {
      status,
      ...(headers && { headers }),
      *next(): Process<Uint8Array | undefined> {
        const { done, value } = yield* next();
        isOver = done === true;
        return done ? undefined : bytesOf(value);
      },
      close: () => {
        if (isOver) return;
        isOver = true;
        this.#plan(() => void returned(iterator));
      },
    };
  }

  *#inTurn<T>(act: () => Promise<T>): Process<T> {
    const outcome = this.#context.deferred<T>();
    this.#plan(() => void act().then((value) => outcome.resolve(value)));
    return yield* outcome.wait();
  }
}

async function answerOf(
  handler: GuestHandler,
  call: HttpCall,
  peer: string,
): Promise<HttpAnswer | GuestPieces> {
  try {
    return await handler(call, peer);
  } catch (error) {
    const body = { kind: 'bytes', bytes: TEXT.encode(messageOf(error)) } as const;
    return { status: 500, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
  }
}

type Pieces = AsyncIterator<Uint8Array | string | object>;

/** What it throws ends what it says. */
async function nextOf(iterator: Pieces): Promise<IteratorResult<Uint8Array | string | object, unknown>> {
  try {
    return await iterator.next();
  } catch {
    return { done: true, value: undefined };
  }
}

async function returned(iterator: Pieces): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // Nobody is there to hear of it.
  }
}

function bytesOf(piece: Uint8Array | string | object): Uint8Array {
  if (piece instanceof Uint8Array) return piece;
  return TEXT.encode(typeof piece === 'string' ? piece : `${JSON.stringify(piece)}\n`);
}
