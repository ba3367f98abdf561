/** What the API server needs of its surroundings: its clock, fresh identifiers, and waiting. */
import type { Process } from '../engine/process.ts';

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
}
