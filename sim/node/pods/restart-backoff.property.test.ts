/**
 * Pauses before the next start of a container, and before the next try of what failed, beside all that has happened: they
 * double from ten seconds to five minutes, and begin anew after more than ten minutes without a start or a failed try.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { RestartBackoff } from './restart-backoff.ts';

const QUIET_MS = 600_000;

class Container {
  readonly #backoff = new RestartBackoff();
  #nowMs = 0;
  /** Starts, and tries that failed. */
  readonly #tries = [0];
  /** Pauses that were asked for since it was last quiet, those of failures at least one. */
  #pauses = 0;

  #quieten(): void {
    if (this.#nowMs - Math.max(...this.#tries) > QUIET_MS) this.#pauses = 0;
  }

  end(): void {
    this.#quieten();
    const pause = this.#pauses === 0 ? 0 : pauseAfter(this.#pauses);
    this.#pauses++;
    expect(this.#backoff.pauseAfterEnd(this.#nowMs), 'the pause after an end').toBe(pause);
  }

  fail(): void {
    this.#quieten();
    this.#pauses++;
    expect(this.#backoff.pauseAfterFailure(this.#nowMs), 'the pause after a failure').toBe(
      pauseAfter(this.#pauses),
    );
    this.#tries.push(this.#nowMs);
  }

  start(): void {
    this.#backoff.started(this.#nowMs);
    this.#tries.push(this.#nowMs);
  }

  pass(spanMs: number): void {
    this.#nowMs += spanMs;
  }
}

const pauseAfter = (pauses: number): number => Math.min(300_000, 10_000 * 2 ** (pauses - 1));

const act = actsOn<Container>();

it('grow with each try, and begin anew after a while without one', () => {
  const end = act('end', NOTHING, (container) => container.end());
  const fail = act('fail', NOTHING, (container) => container.fail());
  holdsInAnyOrder<Container>({
    begin: () => new Container(),
    acts: [
      ...[end, fail],
      act('start', NOTHING, (container) => container.start()),
      act('pass', fc.constantFrom(1_000, 10_000, 300_000, 599_000, 600_001), (container, span) =>
        container.pass(span),
      ),
    ],
    compare: () => undefined,
    most: 30,
    runs: 300,
  });
});
