/** The events that a Go program's runtime asks for, each after so many milliseconds. */

import type { Ask } from './go-fetch.ts';

/** The clock that they go by. */
export interface GoAmbience {
  /** Milliseconds since the clock began. */
  elapsedMs(): number;
  /** Milliseconds since 1970. */
  wallMs(): number;
  fill(bytes: Uint8Array): void;
  /** Asks over the network. */
  readonly ask: Ask;
  /** The program did what the simulation has none of. */
  escapes(what: string): void;
  /** So many timers of the program wait: too many are a verdict. */
  holdsTimers(count: number): void;
  /** The result takes it back. */
  after(ms: number, act: () => void): () => void;
}

export interface Timeout {
  readonly id: number;
  readonly leftMs: number;
}

interface Armed {
  readonly dueMs: number;
  readonly disarm: () => void;
}

export class GoTimeouts {
  readonly #ambience: GoAmbience;
  readonly #resume: () => void;
  readonly #armed = new Map<number, Armed>();
  #last = 0;

  constructor(ambience: GoAmbience, resume: () => void) {
    this.#ambience = ambience;
    this.#resume = resume;
  }

  /** The identity that was given last. */
  get last(): number {
    return this.#last;
  }

  schedule(ms: number): number {
    const id = ++this.#last;
    this.#arm(id, ms);
    return id;
  }

  clear(id: number): void {
    this.#armed.get(id)?.disarm();
    this.#armed.delete(id);
  }

  clearAll(): void {
    for (const { disarm } of this.#armed.values()) disarm();
    this.#armed.clear();
  }

  /** Those that wait, in the order in which they were asked for. */
  get pending(): readonly Timeout[] {
    const now = this.#ambience.elapsedMs();
    return [...this.#armed].map(([id, { dueMs }]) => ({ id, leftMs: dueMs - now }));
  }

  /** What another one waited for. */
  takeOver(pending: readonly Timeout[], last: number): void {
    for (const { id, leftMs } of pending) this.#arm(id, leftMs);
    this.#last = last;
  }

  #arm(id: number, ms: number): void {
    const dueMs = this.#ambience.elapsedMs() + ms;
    this.#armed.set(id, { dueMs, disarm: this.#ambience.after(ms, this.#resume) });
  }
}
