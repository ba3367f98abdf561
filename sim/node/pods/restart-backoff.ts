/**
 * How long a container that ended waits for its next start: 10 s, doubling to 5 min; after more than 10 min of
 * quiet the count begins anew. Specification: "Pods on nodes" (not shown: Kubernetes 1.31).
 */
const FIRST_MS = 10_000;
const LONGEST_MS = 300_000;
const FORGOTTEN_AFTER_MS = 600_000;

export class RestartBackoff {
  #pauseMs = 0;
  #lastStartMs = 0;

  /** Milliseconds to wait now that the container has ended; 0 for its first restart. */
  pauseAfterEnd(nowMs: number): number {
    if (nowMs - this.#lastStartMs > FORGOTTEN_AFTER_MS) this.#pauseMs = 0;
    const pause = this.#pauseMs;
    this.#pauseMs = pause === 0 ? FIRST_MS : Math.min(pause * 2, LONGEST_MS);
    return pause;
  }

  /** Milliseconds to wait after a failed attempt: never none. */
  pauseAfterFailure(nowMs: number): number {
    if (nowMs - this.#lastStartMs > FORGOTTEN_AFTER_MS) this.#pauseMs = 0;
    this.#pauseMs = this.#pauseMs === 0 ? FIRST_MS : Math.min(this.#pauseMs * 2, LONGEST_MS);
    this.#lastStartMs = nowMs;
    return this.#pauseMs;
  }

  started(nowMs: number): void {
    this.#lastStartMs = nowMs;
  }
}
