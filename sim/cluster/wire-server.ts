/**
 * The API server's side of `sim/client/wire-port.ts`: answers one socket of somebody who speaks HTTP, request after
 * request, in bytes. Faults strike these requests as they strike all others.
 */
import type { Status } from '../api/status.ts';
import type { ApiServer } from '../apiserver/api-server.ts';
import { type RequestInfo, requestInfoOf } from '../apiserver/request/request-info.ts';
import {
  type ApiRequest,
  type ApiResponse,
  bytesOfBody,
  type ChannelStream,
  QueryParameters,
  type ResponseBody,
  type ResponseStream,
} from '../apiserver/request/request.ts';
import type { WireCall, WireHead, WireMessage, WireReply } from '../client/wire-port.ts';
import type { Connection } from '../engine/connection.ts';
import type { Context } from '../engine/context.ts';
import type { Process } from '../engine/process.ts';
import type { Signal } from '../engine/signal.ts';
import type { Task } from '../engine/task.ts';
import type { RequestEffect } from './request-faults.ts';

/** What a socket needs of its server. */
export interface WireWorld {
  readonly server: ApiServer;
  strike(
    info: RequestInfo,
    by: { readonly user: string; readonly userAgent: string },
  ): RequestEffect | undefined;
  /** What is done for a request that is struck beside what is said of it. */
  suffer(effect: RequestEffect): void;
  /** The answer of a server whose storage is in trouble; undefined: it is not. */
  trouble(request: ApiRequest, info: RequestInfo): Process<Status> | undefined;
  /** A watch is served from now on, until what is returned is called. */
  watches(info: RequestInfo, end: (last: Uint8Array | undefined) => void): () => void;
}

export class WireSession {
  readonly #context: Context;
  readonly #connection: Connection<WireMessage, WireReply>;
  readonly #world: WireWorld;
  /** What streams at present. */
  #open: { readonly channels?: ChannelStream; end(): void } | undefined;

  constructor(context: Context, connection: Connection<WireMessage, WireReply>, world: WireWorld) {
    this.#context = context;
    this.#connection = connection;
    this.#world = world;
  }

  *serve(): Process<void> {
    const connection = this.#connection;
    try {
      for (let message = yield* connection.receive(); message; message = yield* connection.receive()) {
        if (message.kind === 'frame') this.#open?.channels?.take(message.frame);
        else yield* this.#answer(message.call);
      }
    } finally {
      this.#open?.end();
    }
  }

  *#answer(call: WireCall): Process<void> {
    const request = requestOf(call, this.#connection.remote);
    const info = requestInfoOf(request);
    const effect = this.#world.strike(info, {
      user: request.user?.name ?? 'system:anonymous',
      userAgent: request.headers['user-agent'] ?? '',
    });
    if (effect?.kind === 'fail') {
      this.#tell(call, refused(effect.answer));
      return;
    }
    if (effect?.kind === 'crash' && effect.when === 'before') {
      this.#world.suffer(effect);
      return;
    }
    const trouble = this.#world.trouble(request, info);
    const response = trouble ? refused(yield* trouble) : yield* this.#world.server.handle(request);
    if (effect) {
      this.#context.trace('unanswered', call.path, { method: call.method, done: true });
      this.#connection.withhold(this.#messageOf(response));
      giveUp(response.body);
      this.#world.suffer(effect);
    } else this.#respond(call, info, response);
  }

  #respond(call: WireCall, info: RequestInfo, response: ApiResponse): void {
    const { body } = response;
    if (body.kind === 'stream') this.#stream(info, this.#headOf(response), body.stream);
    else if (body.kind === 'channels') this.#exchange(this.#headOf(response), body.channels);
    else this.#tell(call, response);
  }

  #tell(call: WireCall, response: ApiResponse): void {
    const { method, path, body, user } = call;
    const by = { by: user?.name ?? '', status: response.status };
    // What is written belongs to the history of a run, so that runs that differ in it have different digests.
    this.#context.trace(method, path, body === undefined ? by : { ...by, body: textOf(body) });
    this.#connection.send(this.#messageOf(response));
  }

  #messageOf(response: ApiResponse): WireReply {
    return { kind: 'answer', head: this.#headOf(response), body: wholeOf(response.body) };
  }

  #headOf({ status, headers }: ApiResponse): WireHead {
    const date = new Date(this.#context.wallMs()).toUTCString();
    return { status, headers: [...headers, ['date', date]] };
  }

  #stream(info: RequestInfo, head: WireHead, stream: ResponseStream): void {
    this.#connection.send({ kind: 'stream', head });
    const send = (bytes: Uint8Array): void => void this.#connection.send({ kind: 'piece', bytes });
    const pump = this.#pump(stream, () => {
      for (let piece = stream.read(); piece !== undefined; piece = stream.read()) send(bytesOfPiece(piece));
    });
    const forget = this.#world.watches(info, (last) => {
      if (last) send(last);
      this.#finish();
    });
    this.#begin(pump, () => (forget(), stream.close()));
  }

  #exchange(head: WireHead, channels: ChannelStream): void {
    this.#connection.send({ kind: 'channels', head });
    const pump = this.#pump(channels, () => {
      for (let frame = channels.read(); frame !== undefined; frame = channels.read())
        this.#connection.send({ kind: 'frame', frame });
    });
    this.#begin(pump, () => channels.close(), channels);
  }

  #begin(pump: Task<void>, close: () => void, channels?: ChannelStream): void {
    this.#open = {
      ...(channels && { channels }),
      end: () => {
        this.#open = undefined;
        pump.cancel();
        close();
      },
    };
  }

  #pump(source: ResponseStream | ChannelStream, sendAll: () => void): Task<void> {
    const ready = this.#context.signal();
    source.subscribe(() => ready.fire());
    return this.#context.spawn('stream', this.#pumping(source, ready, sendAll));
  }

  *#pumping(source: ResponseStream | ChannelStream, ready: Signal, sendAll: () => void): Process<void> {
    for (;;) {
      sendAll();
      if (source.ended) return this.#finish();
      yield* ready.wait();
    }
  }

  /** The server ends what streams; the connection goes on. */
  #finish(): void {
    this.#connection.send({ kind: 'end' });
    this.#open?.end();
  }
}

const UTF8 = new TextDecoder();
const textOf = (bytes: Uint8Array): string => UTF8.decode(bytes);
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const requestOf = ({ method, path, query, headers, body, user }: WireCall, peer: string): ApiRequest => ({
  method,
  path,
  query: QueryParameters.parse(query),
  headers,
  ...(body && { body: { kind: 'bytes', bytes: body } }),
  ...(user && { user }),
  wire: true,
  remoteAddress: peer,
});

const bytesOfPiece = (piece: object): Uint8Array =>
  piece instanceof Uint8Array ? piece : bytesOf(`${JSON.stringify(piece)}\n`);

function wholeOf(body: ResponseBody): Uint8Array {
  switch (body.kind) {
    case 'bytes':
      return bytesOfBody(body);
    case 'text':
      return bytesOf(body.text);
    case 'object':
      return bytesOf(JSON.stringify(body.object));
    default:
      return new Uint8Array();
  }
}

/** Nobody will hear what would have streamed. */
function giveUp(body: ResponseBody): void {
  if (body.kind === 'stream') body.stream.close();
  if (body.kind === 'channels') body.channels.close();
  if (body.kind === 'tunnel') body.tunnel.close();
}

/** Without a word to the server: a fault. */
function refused(answer: Status): ApiResponse {
  const { retryAfterSeconds } = answer.details ?? {};
  return {
    status: answer.code,
    headers: [
      ['content-type', 'application/json'],
      ...(retryAfterSeconds === undefined ? [] : [['retry-after', String(retryAfterSeconds)] as const]),
    ],
    body: { kind: 'object', object: answer },
  };
}
