/**
 * An API server as an actor of the simulated network: its ports, and what survives its crashes (the storage does,
 * its caches do not). The server's side of `sim/client/protocol.ts`.
 */
import type { Status } from '../api/status.ts';
import type { ApiServer } from '../apiserver/api-server.ts';
import {
  type ApiRequest,
  type ApiResponse,
  bytesOfBody,
  QueryParameters,
  type ResponseStream,
} from '../apiserver/request/request.ts';
import {
  API_PORT,
  type ApiAnswer,
  type ApiCall,
  WATCH_PORT,
  type WatchReply,
  type WatchRequest,
} from '../client/protocol.ts';
import type { Actor } from '../engine/actor.ts';
import type { Connection } from '../engine/connection.ts';
import type { Context } from '../engine/context.ts';
import { begin, type Process } from '../engine/process.ts';
import { serveCalls } from '../engine/request-reply.ts';
import type { Simulation } from '../engine/simulation.ts';
import { type ControlPlaneOptions, createApiServer } from './control-plane.ts';
import { engineSurroundings, type UrlCalls } from './engine-surroundings.ts';
import type { WriteFaults } from './write-faults.ts';

export interface ApiServerSettings extends Omit<ControlPlaneOptions, 'surroundings'> {
  readonly writeFaults?: WriteFaults;
  /** The way to real URLs; without it there is none. */
  readonly urlCalls?: UrlCalls;
}

export class ApiServerActor {
  readonly actor: Actor;
  readonly #settings: ApiServerSettings;
  #server: ApiServer | undefined;

  /** Serves from the next step of the simulation on. */
  constructor(simulation: Simulation, name: string, settings: ApiServerSettings) {
    this.#settings = settings;
    this.actor = simulation.actor(name, { start: (context) => this.#serve(context) });
  }

  get name(): string {
    return this.actor.name;
  }

  /** Of its present life; undefined before the first step, and while it is down. */
  get server(): ApiServer | undefined {
    return this.actor.state === 'crashed' ? undefined : this.#server;
  }

  *#serve(context: Context): Process<void> {
    // The caches of the life before are gone with it; only the storage they were told by still knows them.
    this.#server?.close();
    const server = createApiServer({
      ...this.#settings,
      surroundings: engineSurroundings(context, this.#settings.urlCalls),
    });
    this.#server = server;
    const { writeFaults } = this.#settings;
    serveCalls(context, API_PORT, (call, peer) => {
      const refusal = writeFaults?.answerTo(call);
      return refusal ? refuse(context, call, refusal) : answerCall(context, server, call, peer);
    });
    context.listen(WATCH_PORT, (connection) => serveWatch(context, server, connection));
  }
}

/** Without a word to the server: a fault of writing. */
function refuse(context: Context, call: ApiCall, refusal: Status): ApiAnswer {
  context.trace(call.method, call.path, { by: call.user.name, refused: refusal.code });
  return { status: refusal.code, warnings: NO_WARNINGS, ...(call.headers && { headers: [] }), body: refusal };
}

/** The answer itself where the server needs no time for it. */
function answerCall(
  context: Context,
  server: ApiServer,
  call: ApiCall,
  peer: string,
): ApiAnswer | Process<ApiAnswer> {
  const handling = begin(server.handle(requestOf(call, peer)));
  return handling.isOver
    ? answered(context, call, handling.value)
    : answerLater(context, call, handling.rest);
}

function* answerLater(context: Context, call: ApiCall, response: Process<ApiResponse>): Process<ApiAnswer> {
  return answered(context, call, yield* response);
}

function answered(context: Context, call: ApiCall, response: ApiResponse): ApiAnswer {
  const answer = answerOf(response, call);
  // What is written belongs to the history of a run, so that runs that differ in it have different digests.
  const { method, path, user, body } = call;
  const { status } = answer;
  const facts = body === undefined ? { by: user.name, status } : { by: user.name, status, body };
  // Whoever writes an object back sends the managed fields that the server has made of earlier writes.
  context.trace(method, path, facts, 'managedFields');
  return answer;
}

function requestOf(
  { method, path, query, contentType, accept, headers: further, body, user, userAgent }: ApiCall,
  peer: string,
): ApiRequest {
  return {
    method,
    path,
    query: QueryParameters.of(query),
    headers:
      accept === undefined ? headersOf(userAgent, contentType, further) : { 'user-agent': userAgent, accept },
    user,
    wire: further !== undefined && query['watch'] === undefined,
    remoteAddress: peer,
    ...(body !== undefined && { body: { kind: 'object', object: body } }),
  };
}

/** Apart, so that the headers of most calls have one shape. */
function headersOf(
  userAgent: string,
  contentType: string | undefined,
  further: ApiCall['headers'],
): Readonly<Record<string, string>> {
  if (further)
    return {
      'user-agent': userAgent,
      ...further,
      ...(contentType !== undefined && { 'content-type': contentType }),
    };
  return contentType === undefined
    ? { 'user-agent': userAgent }
    : { 'user-agent': userAgent, 'content-type': contentType };
}

function answerOf({ status, headers, body }: ApiResponse, call: ApiCall): ApiAnswer {
  const answer = { status, warnings: warningsOf(headers), body: valueOf(body) };
  return call.headers ? { ...answer, headers } : answer;
}

function valueOf(body: ApiResponse['body']): unknown {
  switch (body.kind) {
    case 'object':
      return body.object;
    case 'text':
      return body.text;
    case 'bytes':
      return new TextDecoder().decode(bytesOfBody(body));
    default:
      return undefined;
  }
}

const NO_WARNINGS: readonly string[] = [];

function warningsOf(headers: ApiResponse['headers']): readonly string[] {
  if (headers.length === 0) return NO_WARNINGS;
  return headers.filter(([name]) => name === 'warning').map(([, value]) => unquoted(value));
}

/** `299 - "text"` → text. */
const unquoted = (header: string): string =>
  /^\d+ \S+ "(.*)"$/s.exec(header)?.[1]?.replaceAll(/\\(.)/gs, '$1') ?? header;

function* serveWatch(
  context: Context,
  server: ApiServer,
  connection: Connection<WatchRequest, WatchReply>,
): Process<void> {
  const first = yield* connection.receive();
  if (first?.kind !== 'open') return;
  const response = yield* server.handle(requestOf(first.call, connection.remote));
  if (response.body.kind !== 'stream') {
    connection.send({ kind: 'refused', answer: answerOf(response, first.call) });
    return;
  }
  connection.send({ kind: 'opened', warnings: warningsOf(response.headers) });
  const { stream } = response.body;
  const pump = context.spawn('watch', sendEvents(context, { stream, connection, of: first.call.path }));
  try {
    yield* answerPings(connection);
  } finally {
    pump.cancel();
    stream.close();
  }
}

interface Pumped {
  readonly stream: ResponseStream;
  readonly connection: Connection<WatchRequest, WatchReply>;
  /** Path of what is watched. */
  readonly of: string;
}

/** Sends what there is, closes at the end, and is woken for more. */
function* sendEvents(context: Context, { stream, connection, of }: Pumped): Process<void> {
  const ready = context.signal();
  stream.subscribe(() => ready.fire());
  for (;;) {
    for (let piece = stream.read(); piece !== undefined; piece = stream.read()) {
      if ('type' in piece)
        connection.send({
          kind: 'event',
          event: piece as Extract<WatchReply, { kind: 'event' }>['event'],
          of,
        });
    }
    if (stream.ended) {
      connection.close();
      return;
    }
    yield* ready.wait();
  }
}

function* answerPings(connection: Connection<WatchRequest, WatchReply>): Process<void> {
  for (;;) {
    const request = yield* connection.receive();
    if (!request) return;
    if (request.kind === 'ping') connection.send({ kind: 'pong' });
  }
}
