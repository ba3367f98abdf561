/** What the API server needs of its surroundings: its clock, fresh identifiers, waiting, and the way to nodes. */
import type { Process } from '../engine/process.ts';

/** A request to the agent of a node. */
export interface NodeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
}

/** What came of it; a body is an object or a text. */
export type NodeOutcome =
  | { readonly kind: 'answer'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'refused' | 'reset' | 'timeout' };

export interface ApiServerSurroundings {
  /** The server's own clock, in milliseconds since 1970. */
  wallMs(): number;
  /** A fresh random (version 4) uid. */
  uuid(): string;
  /** A fresh integer in [0, 2^32). */
  uint32(): number;
  /** Waits so many milliseconds of the server's clock. */
  sleepMs(ms: number): Process<void>;
  /** Waits until `subscribe`'s callback is called, or so many milliseconds; true if it was called. */
  waitFor(subscribe: (wake: () => void) => () => void, timeoutMs: number): Process<boolean>;
  /** Runs a callback after so many milliseconds; the result cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Runs a process beside the request; the result ends it. */
  start(process: Process<void>): () => void;
  /** Asks the agent of a node, and waits at most so long for its answer. */
  reachNode(node: string, request: NodeRequest, timeoutMs: number): Process<NodeOutcome>;
}
