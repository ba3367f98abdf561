/**
 * The machine that a guest runs on, as far as it has a network: leads sockets to API servers, and those to ports of other
 * guests to them. Each socket is a connection of the simulated network, read on this side by Node's own HTTP server, so
 * that any client of HTTP works as it is. Loaded with the first guest that is driven: most programs have none.
 */
import type { Server } from 'node:http';
import type { HttpAnswer, HttpCall } from '../../api/http-call.ts';
import { HttpCallers } from '../../client/http-port.ts';
import type { Identity } from '../../client/protocol.ts';
import { WIRE_PORT, type WireMessage, type WireReply } from '../../client/wire-port.ts';
import { type Connection, ConnectionError } from '../../engine/connection.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { minutes } from '../../engine/time.ts';
import { bodyBytes } from '../../api/http-call.ts';
import { createHttpServer } from '../http-server.ts';
import type { ApiRequest, ApiResponse } from '../../apiserver/request/request.ts';
import { GuestSocket, type SocketAddress, socketError } from './guest-socket.ts';
import { type AskedRequest, Exchange, type Heard } from './exchange.ts';
import type { Holdings } from './holdings.ts';
import { handlerOf, type WireCaller, WireHandler } from './wire-handler.ts';

export interface MachineOptions {
  readonly context: Context;
  /** API servers; the first is tried first. */
  readonly servers: readonly string[];
  readonly user: Identity;
  readonly token: string;
  /** Whether there is an actor of a name. */
  readonly hasActor: (name: string) => boolean;
  /** Something happens in a turn of the guest. */
  readonly plan: (act: () => void) => void;
  /** Gets to know the sockets. */
  readonly holdings: Holdings;
}

/** Longer than anybody in the simulation takes: its own patience is not what is tested. */
const PATIENCE = { headersMs: 3_600_000, requestMs: 3_600_000 };
/** Names under which clusters know their API server, and its address. */
const API_HOST = /^(kubernetes(\.default(\.svc(\.cluster\.local)?)?)?|10\.96\.0\.1|apiserver(-\d+)?)$/;
const CALL_TIMEOUT = minutes(10);

type Handle = (request: ApiRequest, respond: (response: ApiResponse) => void) => void;

/** Who answers what is written to a socket. */
interface Behind {
  readonly handle: Handle;
  readonly onClose: () => void;
}

type Target =
  { readonly kind: 'api'; readonly server?: string } | { readonly kind: 'guest'; readonly actor: string };

export class GuestMachine {
  readonly #options: MachineOptions;
  readonly #callers: HttpCallers;
  /** By the end of a socket. Nothing that the platform may keep leads there. */
  readonly #behind = new WeakMap<GuestSocket, Behind>();
  /** The API server that is asked at present. */
  #present = 0;

  constructor(options: MachineOptions) {
    this.#options = options;
    this.#callers = new HttpCallers(options.context);
  }

  /** A socket that is being connected; undefined: the address is none of the simulation. */
  connect(address: SocketAddress): GuestSocket | undefined {
    const target = this.#targetOf(address.host);
    if (!target) return undefined;
    const socket = this.#opened(address);
    const { context } = this.#options;
    if (target.kind === 'api') context.spawn('socket', this.#toServer(socket, address, target.server));
    else this.#toGuest(socket, address, target.actor);
    return socket;
  }

  #opened(address: SocketAddress): GuestSocket {
    const socket = new GuestSocket(address);
    this.#options.holdings.addSocket(socket);
    return socket;
  }

  /** A request without a socket; the result gives it up. Undefined: the address is none of the simulation. */
  ask(address: SocketAddress, request: AskedRequest, heard: Heard): (() => void) | undefined {
    const target = this.#targetOf(address.host);
    if (!target) return undefined;
    const exchange = new Exchange(heard);
    const { context } = this.#options;
    if (target.kind === 'api')
      context.spawn('socket', this.#asking(exchange, address, request, target.server));
    else context.spawn('call', this.#calling(exchange, address, request, target.actor));
    return () => exchange.giveUp();
  }

  *#asking(
    exchange: Exchange,
    address: SocketAddress,
    request: AskedRequest,
    named: string | undefined,
  ): Process<void> {
    const { context, plan, user, token } = this.#options;
    let code = 'ECONNREFUSED';
    try {
      const connection = yield* context.dial({ actor: this.#serverOf(named), port: WIRE_PORT });
      code = 'ECONNRESET';
      const isOwn = [undefined, `Bearer ${token}`].includes(request.headers['authorization']);
      plan(() => {
        if (exchange.connect(() => connection.close()))
          connection.send({ kind: 'request', call: { ...request, ...(isOwn && { user }) } });
      });
      yield* connection.consume((reply) => plan(() => exchange.deliver(reply)));
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.#present++;
    }
    plan(() => exchange.fail(socketError(code, address)));
  }

  #serverOf(named: string | undefined): string {
    const { servers } = this.#options;
    return named ?? servers[this.#present % servers.length] ?? '';
  }

  *#calling(
    exchange: Exchange,
    address: SocketAddress,
    { method, path, query, headers, body }: AskedRequest,
    actor: string,
  ): Process<void> {
    const { plan } = this.#options;
    const call = {
      method,
      path: query === '' ? path : `${path}?${query}`,
      headers,
      ...(body && { body: { kind: 'bytes', bytes: body } as const }),
    };
    const outcome = yield* this.#callers.call({ actor, port: address.port }, call, CALL_TIMEOUT);
    plan(() => {
      if (outcome.kind !== 'answer')
        return exchange.fail(
          socketError(outcome.kind === 'refused' ? 'ECONNREFUSED' : 'ECONNRESET', address),
        );
      const { status, headers: given = {}, body: said } = outcome.answer;
      const head = { status, headers: Object.entries(given) };
      return exchange.deliver({ kind: 'answer', head, body: bodyBytes(said) });
    });
  }

  #targetOf(host: string): Target | undefined {
    const { hasActor } = this.#options;
    const name = host.toLowerCase().replace(/\.$/, '');
    if (API_HOST.test(name)) {
      const server = name.replace('-', '/');
      return { kind: 'api', ...(hasActor(server) && { server }) };
    }
    const actor = `guest/${name.replace(/\.guest$/, '')}`;
    return hasActor(actor) ? { kind: 'guest', actor } : undefined;
  }

  *#toServer(socket: GuestSocket, address: SocketAddress, named?: string): Process<void> {
    const { context, plan } = this.#options;
    const actor = this.#serverOf(named);
    let connection: Connection<WireReply, WireMessage>;
    try {
      connection = yield* context.dial({ actor, port: WIRE_PORT });
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.#present++;
      plan(() => socket.destroy(socketError('ECONNREFUSED', address)));
      return;
    }
    yield* this.#carry(socket, address, connection);
  }

  *#carry(
    socket: GuestSocket,
    address: SocketAddress,
    connection: Connection<WireReply, WireMessage>,
  ): Process<void> {
    const { plan, user, token } = this.#options;
    const handler = new WireHandler({ user, token, send: sendingOver(connection) });
    const asked: Handle = (request, respond) => handler.handle(request, respond);
    plan(() => {
      if (socket.destroyed) connection.close();
      else this.#serve(asked, socket, address, () => connection.close());
    });
    try {
      yield* connection.consume((reply) => plan(() => handler.deliver(reply)));
      plan(() => socket.destroySoon());
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.#present++;
      plan(() => socket.destroy(socketError('ECONNRESET', address)));
    }
  }

  #toGuest(socket: GuestSocket, address: SocketAddress, actor: string): void {
    const { context, plan } = this.#options;
    const callers = this.#callers;
    const asked = function* (call: HttpCall, respond: (response: ApiResponse) => void): Process<void> {
      const outcome = yield* callers.call({ actor, port: address.port }, call, CALL_TIMEOUT);
      plan(() => {
        if (outcome.kind === 'answer') respond(responseOf(outcome.answer));
        else socket.destroy(socketError(outcome.kind === 'refused' ? 'ECONNREFUSED' : 'ECONNRESET', address));
      });
    };
    const handle: Handle = (request, respond) => void context.spawn('call', asked(callOf(request), respond));
    plan(() => this.#serve(handle, socket, address, () => undefined));
  }

  /** One side is the guest's; the other is read and answered. */
  #serve(handle: Handle, socket: GuestSocket, address: SocketAddress, onClose: () => void): void {
    const end = this.#opened({ ...address, isEncrypted: false });
    const behind: Behind = { handle, onClose };
    this.#behind.set(end, behind);
    const known = new WeakRef(behind);
    end.on('close', () => known.deref()?.onClose());
    end.on('error', () => undefined);
    const handler = handlerOf((request, respond) => known.deref()?.handle(request, respond));
    const server: Server = createHttpServer(handler, PATIENCE);
    // Nobody else says when it is: the server's own date comes with its answer.
    server.prependListener('request', (_request, response) => (response.sendDate = false));
    server.emit('connection', end);
    socket.join(end);
  }
}

/** What the platform keeps of a socket leads to who answers it, but not to the simulation around that. */
function sendingOver(connection: Connection<WireReply, WireMessage>): WireCaller['send'] {
  const known = new WeakRef(connection);
  return (message) => void known.deref()?.send(message);
}

/** A request as ports of other guests take it. */
function callOf({ method, path, query, headers, body }: ApiRequest): HttpCall {
  const text = query.toString();
  return {
    method,
    path: text === '' ? path : `${path}?${text}`,
    headers: Object.fromEntries(
      Object.entries(headers).filter((each): each is [string, string] => each[1] !== undefined),
    ),
    ...(body?.kind === 'bytes' && { body }),
  };
}

const responseOf = ({ status, headers = {}, body }: HttpAnswer): ApiResponse => ({
  status,
  headers: Object.entries(headers),
  body: { kind: 'bytes', bytes: bodyBytes(body) },
});
