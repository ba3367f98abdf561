/**
 * Somebody who talks to a cluster's API as over a wire: any method, path, headers and body, and whatever comes back.
 * The calls go over the simulated network from the actor `user/test`, so partitions and crashes concern them too.
 * Nothing is retried, and no answer is an outcome, not an error. Specification: "Endpoints".
 */
import { API_PORT, type ApiAnswer, type ApiCall, type Identity, WATCH_PORT } from '../client/protocol.ts';
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
}

/** Undefined: none came in time, or the connection broke. */
export type WireAnswer = ApiAnswer | undefined;

/** A call may take so long, by the user's clock. */
const TIMEOUT = minutes(1);

export class WireUser {
  readonly #cluster: Cluster;
  readonly #server: string;
  readonly #caller: Caller<ApiCall, ApiAnswer>;
  readonly #line: Line;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#server = cluster.apiServers[0]?.name ?? '';
    const { context } = cluster.user;
    this.#line = new Line(context);
    this.#caller = new Caller(context, { actor: this.#server, port: API_PORT }, () => this.#line.suspect());
  }

  /** Runs the cluster until the answer is there. */
  request(request: WireRequest): WireAnswer {
    return this.#cluster.finish(this.#ask(callOf(request)));
  }

  /** Opens a watch whose events are kept; only an answer when it was refused. */
  watch(request: WireRequest): { readonly answer: WireAnswer; readonly log?: WatchLog } {
    const { context } = this.#cluster.user;
    const call = callOf(request);
    const opened = this.#cluster.finish(this.#open(context, call));
    if (!opened.connection) return { answer: opened.answer };
    const log = new WatchLog(new Watch(this.#line, opened.connection, `watch ${call.path}`));
    context.spawn('watch log', log.record());
    return { answer: opened.answer, log };
  }

  *#ask(call: ApiCall): Process<WireAnswer> {
    const outcome = yield* this.#caller.call(call, TIMEOUT);
    return outcome.kind === 'reply' ? outcome.reply : undefined;
  }

  *#open(
    context: Context,
    call: ApiCall,
  ): Process<{ readonly answer: WireAnswer; readonly connection?: WatchConnection }> {
    const opening = yield* context.within(TIMEOUT, this.#dial(context, call));
    return opening.isLate ? { answer: undefined } : opening.value;
  }

  *#dial(
    context: Context,
    call: ApiCall,
  ): Process<{ readonly answer: WireAnswer; readonly connection?: WatchConnection }> {
    try {
      const connection = yield* context.dial({ actor: this.#server, port: WATCH_PORT });
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
