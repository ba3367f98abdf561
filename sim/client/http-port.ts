/**
 * Ports of the simulated network that speak HTTP with whole answers (`sim/api/http-call.ts`). An actor may serve any
 * number of them, each under a port number; calls and answers are messages of their own, so that each may be lost.
 */
import type { HttpAnswer, HttpCall, HttpOutcome } from '../api/http-call.ts';
import type { Context } from '../engine/context.ts';
import type { Process } from '../engine/process.ts';
import { Caller, type CallPort, defineCallPort, serveCalls } from '../engine/request-reply.ts';
import type { Micros } from '../engine/time.ts';
import { type HttpPieces, isPieces, serveHttpStreams } from './http-stream-port.ts';

/** Answers one call, at once or bit by bit; `peer` is the actor that calls. */
export type HttpHandler = (call: HttpCall, peer: string) => Process<HttpAnswer | HttpPieces>;

const httpPort = (port: number): CallPort<HttpCall, HttpAnswer> => defineCallPort(`http ${port}`);

/** From now on, and until this life of the actor ends. */
export function serveHttp(context: Context, port: number, handler: HttpHandler): void {
  serveCalls(context, httpPort(port), function* (call, { remote }) {
    const answer = yield* handler(call, remote);
    return isPieces(answer) ? yield* gathered(answer) : answer;
  });
  serveHttpStreams(context, port, handler);
}

/** Whoever wants a whole answer waits for all of it. */
function* gathered({ status, headers = {}, ...answer }: HttpPieces): Process<HttpAnswer> {
  const pieces: Uint8Array[] = [];
  for (let bytes = yield* answer.next(); bytes !== undefined; bytes = yield* answer.next())
    pieces.push(bytes);
  const bytes = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return { status, headers, body: { kind: 'bytes', bytes } };
}

/** Calls of one actor to others: a connection to each endpoint is kept, and dialled anew when it broke. */
export class HttpCallers {
  readonly #context: Context;
  readonly #callers = new Map<string, Caller<HttpCall, HttpAnswer>>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Waits for the answer, at most so long by the caller's clock. */
  *call(
    { actor, port }: { readonly actor: string; readonly port: number },
    call: HttpCall,
    timeout: Micros,
  ): Process<HttpOutcome> {
    const outcome = yield* this.#callerOf(actor, port).call(call, timeout);
    return outcome.kind === 'reply' ? { kind: 'answer', answer: outcome.reply } : outcome;
  }

  #callerOf(actor: string, port: number): Caller<HttpCall, HttpAnswer> {
    const key = `${actor} ${port}`;
    const known = this.#callers.get(key);
    if (known) return known;
    const caller = new Caller(this.#context, { actor, port: httpPort(port) });
    this.#callers.set(key, caller);
    return caller;
  }
}
