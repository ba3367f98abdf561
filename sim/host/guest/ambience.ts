/** A guest as Node's globals and modules see it, while its code runs. */
import type { Agent } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AskedRequest, Heard } from './exchange.ts';
import type { GuestTimers } from './guest-clock.ts';
import type { SocketAddress } from './guest-socket.ts';
import type { Beginner } from './real-work.ts';

/** A guest, as the globals see it. */
export interface Ambience extends Beginner {
  /** Of its actor. */
  readonly name: string;
  /** Of this life alone. */
  readonly key: string;
  /** Stands for its user, where a pod would find that of its service account. */
  readonly token: string;
  /** A socket that is being connected. @throws where the simulation has no such address */
  connect(address: SocketAddress): Duplex;
  /** Asks without a socket; the result gives that up. @throws where the simulation has no such address */
  ask(address: SocketAddress, request: AskedRequest, heard: Heard): () => void;
  /** It did what the simulation has none of, and has failed: what is to be thrown then. */
  escapes(what: string): Error;
  /** Beside those that are set by globals, so many timers of it wait. */
  holdsTimers(count: number): void;
  /** As `escapes`; its life is over. */
  exits(how: string, exitCode: number): Error;
  /** Milliseconds since 1970 at which its clock began. */
  readonly timeOrigin: number;
  /** @throws OutsideTurn when it does not have its turn */
  checkTurn(what: string): void;
  /** It has sockets with an agent of Node's, by a name that ends with its key. */
  usesAgent(agent: Agent): void;
  readonly timers: GuestTimers;
  readonly elapsedMs: number;
  /** In [0, 1). */
  random(): number;
  uuid(): string;
  fillRandomly(bytes: Uint8Array): void;
}
