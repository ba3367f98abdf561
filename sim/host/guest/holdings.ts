/**
 * What the platform would keep for good of one life of a guest: readers of HTTP, and with them all that their sockets lead to,
 * and sockets that agents keep for further requests. Let go when the life is over, or when nobody knows it any more: so
 * nothing in here may lead back to it.
 */
import type { Agent } from 'node:http';
import { later } from './guest-globals.ts';
import type { GuestSocket } from './guest-socket.ts';

export class Holdings {
  /** Ends the names by which agents know its sockets. */
  readonly #key: string;
  /** Both ends of each that is open. */
  readonly #sockets = new Set<GuestSocket>();
  readonly #agents = new Set<Agent>();

  constructor(key: string) {
    this.#key = key;
  }

  addSocket(socket: GuestSocket): void {
    const sockets = this.#sockets;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  }

  addAgent(agent: Agent): void {
    this.#agents.add(agent);
  }

  /** Nobody hears of what becomes of them. Not at once: somebody may be reading. */
  letGo(): void {
    later(() => {
      for (const socket of this.#sockets) socket.abandon();
      this.#sockets.clear();
      for (const agent of this.#agents) this.#forgetIn(agent);
      this.#agents.clear();
    });
  }

  #forgetIn({ sockets, freeSockets, requests }: Agent): void {
    for (const kept of [sockets, freeSockets, requests])
      for (const name of Object.keys(kept))
        if (name.endsWith(`:${this.#key}`)) Reflect.deleteProperty(kept, name);
  }
}

const ofForgotten = new FinalizationRegistry<Holdings>((holdings) => holdings.letGo());

/** They go with their owner, if not before. */
export function letGoWith(owner: object, holdings: Holdings): void {
  ofForgotten.register(owner, holdings);
}
