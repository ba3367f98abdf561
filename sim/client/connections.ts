/**
 * The connections of one process to the API servers, shared by all of its clients: one for calls to each server, and
 * the line of its watches. All stay with one server, and go to the next together when that one is gone.
 */
import type { Context } from '../engine/context.ts';
import { Caller } from '../engine/request-reply.ts';
import { FOUND_OUT_WITHIN, Line } from './line.ts';
import { API_PORT, type ApiAnswer, type ApiCall } from './protocol.ts';

/** One API server, as its clients see it. */
export interface Server {
  readonly name: string;
  readonly caller: Caller<ApiCall, ApiAnswer>;
  readonly line: Line;
}

/** Before a call. A connection is pinged also while nothing is asked: one that is long lost is known to be. */
export function beginCall({ caller, line }: Pick<Server, 'caller' | 'line'>): void {
  caller.closeIfLost(FOUND_OUT_WITHIN);
  line.asked();
}

export class Connections {
  readonly servers: readonly Server[];
  #current = 0;

  constructor(context: Context, names: readonly string[]) {
    this.servers = names.map((name) => {
      // Whoever is silent is left, as connections that are made anew go to somebody else.
      const line = new Line(context, () => {
        this.leave(name);
      });
      const caller = new Caller(context, { actor: name, port: API_PORT }, () => line.suspect());
      return { name, caller, line };
    });
  }

  /** The server that the clients stay with. */
  get current(): Server {
    return this.servers[this.#current] as Server;
  }

  /** Turns to the next server, unless somebody has turned away from that one before. */
  leave(server: string): void {
    if (this.current.name !== server) return;
    this.#current = (this.#current + 1) % this.servers.length;
  }

  close(): void {
    for (const { caller } of this.servers) caller.close();
  }
}
