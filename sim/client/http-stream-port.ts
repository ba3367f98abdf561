/**
 * Ports of the simulated network that speak HTTP with answers whose bodies come bit by bit: watches of aggregated servers.
 * One connection is one call; its end amid a body is seen by the caller as a broken answer, never as the end of the body.
 */
import type { HttpAnswer, HttpCall, HttpHeaders, HttpOutcome } from '../api/http-call.ts';
import { type Connection, ConnectionError } from '../engine/connection.ts';
import type { Context } from '../engine/context.ts';
import { definePort, type Port } from '../engine/port.ts';
import type { Process } from '../engine/process.ts';
import type { Micros } from '../engine/time.ts';

/** What a server says bit by bit. */
export interface HttpPieces {
  readonly status: number;
  readonly headers?: HttpHeaders;
  /** Undefined: that was all. */
  next(): Process<Uint8Array | undefined>;
  /** The caller has gone, or nothing more is wanted. */
  close(): void;
}

/** The same on the caller's side. */
export interface HttpStream {
  readonly kind: 'stream';
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Waits for the next piece. Undefined: that was all; `broken`: there would have been more. */
  receive(): Process<Uint8Array | 'broken' | undefined>;
  close(): void;
}

type Reply =
  | { readonly kind: 'answer'; readonly answer: HttpAnswer }
  | { readonly kind: 'opened'; readonly status: number; readonly headers: HttpHeaders }
  | { readonly kind: 'piece'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' };

type Handler = (call: HttpCall, peer: string) => Process<HttpAnswer | HttpPieces>;

const streamPort = (port: number): Port<HttpCall, Reply> =>
  definePort(`http stream ${port}`, (message) => ('path' in message ? message.path : undefined));

export const isPieces = (answer: HttpAnswer | HttpPieces): answer is HttpPieces => 'next' in answer;

export function serveHttpStreams(context: Context, port: number, handler: Handler): void {
  context.listen(streamPort(port), (connection) => answer(context, connection, handler));
}

function* answer(context: Context, connection: Connection<HttpCall, Reply>, handler: Handler): Process<void> {
  const call = yield* connection.receive();
  if (!call) return;
  const answered = yield* handler(call, connection.remote);
  if (!isPieces(answered)) {
    connection.send({ kind: 'answer', answer: answered });
    connection.close();
    return;
  }
  const { status, headers = {} } = answered;
  connection.send({ kind: 'opened', status, headers });
  const pump = context.spawn('pieces', sendPieces(connection, answered));
  try {
    // The caller says no more: what is received is the end of the connection.
    yield* connection.receive();
  } finally {
    pump.cancel();
    answered.close();
  }
}

function* sendPieces(connection: Connection<HttpCall, Reply>, answered: HttpPieces): Process<void> {
  for (let bytes = yield* answered.next(); bytes !== undefined; bytes = yield* answered.next())
    connection.send({ kind: 'piece', bytes });
  connection.send({ kind: 'end' });
  connection.close();
}

/** Calls somebody who may answer bit by bit; waits for the beginning of the answer at most so long. */
export function* openHttpStream(
  context: Context,
  { actor, port }: { readonly actor: string; readonly port: number },
  call: HttpCall,
  timeout: Micros,
): Process<HttpStream | HttpOutcome> {
  let connection: Connection<Reply, HttpCall> | undefined;
  let stream: HttpStream | undefined;
  try {
    const begun = yield* context.within(
      timeout,
      (function* (): Process<Reply | undefined> {
        connection = yield* context.dial({ actor, port: streamPort(port) });
        connection.send(call);
        return yield* connection.receive();
      })(),
    );
    if (begun.isLate || !connection) return { kind: 'timeout' };
    if (begun.value?.kind === 'answer') return { kind: 'answer', answer: begun.value.answer };
    if (begun.value?.kind !== 'opened') return { kind: 'reset' };
    return (stream = streamOf(connection, begun.value));
  } catch (error) {
    if (error instanceof ConnectionError) return { kind: error.kind };
    throw error;
  } finally {
    if (!stream) connection?.close();
  }
}

const streamOf = (
  connection: Connection<Reply, HttpCall>,
  { status, headers }: Extract<Reply, { kind: 'opened' }>,
): HttpStream => ({
  kind: 'stream',
  status,
  headers,
  *receive(): Process<Uint8Array | 'broken' | undefined> {
    try {
      const reply = yield* connection.receive();
      if (reply?.kind === 'piece') return reply.bytes;
      return reply?.kind === 'end' ? undefined : 'broken';
    } catch (error) {
      if (error instanceof ConnectionError) return 'broken';
      throw error;
    }
  },
  close: () => connection.close(),
});
