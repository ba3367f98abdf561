/**
 * Somebody who talks to a cluster's API as over a wire: any method, path, headers and body, and whatever comes back.
 * The calls go over the simulated network from the actor `user/test`, so partitions and crashes concern them too.
 * Nothing is retried, and no answer is an outcome, not an error. Specification: "Endpoints".
 */
import { API_PORT, type ApiAnswer, type ApiCall, type Identity, WATCH_PORT } from '../client/protocol.ts';
import { beginCall } from '../client/connections.ts';
import { Line } from '../client/line.ts';
import { Watch, type WatchConnection } from '../client/watch.ts';
import { ConnectionError } from '../engine/connection.ts';
import type { Context } from '../engine/context.ts';
import type { Process } from '../engine/process.ts';
import { Caller } from '../engine/request-reply.ts';
import { minutes } from '../engine/time.ts';
import type { Cluster } from './cluster.ts';
import { WatchLog } from './watch-log.ts';

export interface WireRequest {
  readonly method: ApiCall['method'];
  /** Percent-encoded, without the query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly user: Identity;
  /** Name of the API server that is asked; default: the first. */
  readonly server?: string;
}

/** Undefined: none came in time, or the connection broke. */
export type WireAnswer = ApiAnswer | undefined;

/** A call may take so long, by the user's clock. */
const TIMEOUT = minutes(1);

/** An answer, and what was opened unless it was refused. */
interface OpenedWatch {
  readonly answer: WireAnswer;
  readonly connection?: WatchConnection;
}

interface OpenedLog {
  readonly answer: WireAnswer;
  readonly log?: WatchLog;
}

interface Server {
  readonly name: string;
  readonly line: Line;
  readonly caller: Caller<ApiCall, ApiAnswer>;
}

export class WireUser {
  readonly #cluster: Cluster;
  readonly #servers = new Map<string, Server>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Runs the cluster until the answer is there. */
  request(request: WireRequest): WireAnswer {
    return this.#cluster.finish(this.asking(request));
  }

  /** The same as a process, for whoever drives the cluster in another way. */
  asking(request: WireRequest): Process<WireAnswer> {
    return this.#ask(this.#serverOf(request), callOf(request));
  }

  /** Sends all at the same instant, and is over when all answers are there. */
  askingAll(requests: readonly WireRequest[]): Process<readonly WireAnswer[]> {
    const { context } = this.#cluster.user;
    return context.all(requests.map((request) => this.#ask(this.#serverOf(request), callOf(request))));
  }

  /** Opens a watch whose events are kept; only an answer when it was refused. */
  watch(request: WireRequest): OpenedLog {
    return this.opened(request, this.#cluster.finish(this.opening(request)));
  }

  /** The first half of `watch`, as a process. */
  opening(request: WireRequest): Process<OpenedWatch> {
    return this.#open(this.#cluster.user.context, this.#serverOf(request).name, callOf(request));
  }

  /** The other half, once that has ended. */
  opened(request: WireRequest, { answer, connection }: OpenedWatch): OpenedLog {
    if (!connection) return { answer };
    const { line } = this.#serverOf(request);
    const log = new WatchLog(new Watch(line, connection, `watch ${request.path}`));
    this.#cluster.user.context.spawn('watch log', log.record());
    return { answer, log };
  }

  /** One connection for all calls to a server. */
  #serverOf({ server: name = this.#cluster.apiServers[0]?.name ?? '' }: WireRequest): Server {
    const known = this.#servers.get(name);
    if (known) return known;
    const { context } = this.#cluster.user;
    const line = new Line(context);
    const caller = new Caller(context, { actor: name, port: API_PORT }, () => line.suspect());
    const server = { name, line, caller };
    this.#servers.set(name, server);
    return server;
  }

  /** A connection on which nothing comes any more is given up, as its pings would find out: the next call has a new one. */
  *#ask(server: Server, call: ApiCall): Process<WireAnswer> {
    const { caller, line } = server;
    beginCall(server);
    const outcome = yield* caller.call(call, TIMEOUT);
    if (outcome.kind === 'timeout' && line.isSilent) caller.close();
    if (outcome.kind !== 'reply') return undefined;
    line.heard();
    return outcome.reply;
  }

  *#open(context: Context, server: string, call: ApiCall): Process<OpenedWatch> {
    const opening = yield* context.within(TIMEOUT, this.#dial(context, server, call));
    return opening.isLate ? { answer: undefined } : opening.value;
  }

  *#dial(context: Context, server: string, call: ApiCall): Process<OpenedWatch> {
    try {
      const connection = yield* context.dial({ actor: server, port: WATCH_PORT });
      connection.send({ kind: 'open', call });
      const reply = yield* connection.receive();
      if (reply?.kind === 'opened')
        return { answer: { status: 200, warnings: reply.warnings, body: undefined }, connection };
      return { answer: reply?.kind === 'refused' ? reply.answer : undefined };
    } catch (error) {
      if (error instanceof ConnectionError) return { answer: undefined };
      throw error;
    }
  }
}

function callOf({ method, path, query = {}, headers = {}, body, user }: WireRequest): ApiCall {
  return { method, path, query, headers, user, userAgent: 'kubesim', ...(body !== undefined && { body }) };
}
