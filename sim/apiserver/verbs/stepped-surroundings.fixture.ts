/** For tests: what a server is told by its surroundings where a test moves the clock, and lets happen what is due soon. */
import type { ApiServerSurroundings } from '../surroundings.ts';

/** What is further off never happens. */
const SOON_MS = 10_000;

export class SteppedSurroundings {
  nowMs: number;
  readonly #soon: (() => void)[] = [];
  #uuids = 0;

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  /** Nothing that a test needs to wait for. */
  readonly given = {
    wallMs: () => this.nowMs,
    uuid: () => `00000000-0000-4000-8000-${String(++this.#uuids).padStart(12, '0')}`,
    uint32: () => 7,
    after: (ms: number, run: () => void) => {
      if (ms < SOON_MS) this.#soon.push(run);
      return () => undefined;
    },
    start: () => () => undefined,
  } as unknown as ApiServerSurroundings;

  /** Also what comes up meanwhile. */
  runSoon(): void {
    for (let run = this.#soon.shift(); run; run = this.#soon.shift()) run();
  }
}
