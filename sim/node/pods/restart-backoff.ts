/**
 * How long a container that ended waits for its next start: 10 s, doubling to 5 min; after 10 min of
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
    if (nowMs - this.#lastStartMs >= FORGOTTEN_AFTER_MS) this.#pauseMs = 0;
    const pause = this.#pauseMs;
    this.#pauseMs = pause === 0 ? FIRST_MS : Math.min(pause * 2, LONGEST_MS);
    return pause;
  }

  started(nowMs: number): void {
    this.#lastStartMs = nowMs;
  }
}

/** As messages print a pause: `10s`, `1m20s`, `5m0s`. */
export function pauseText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
