/** Many calls of one caller at a time, each with a patience of its own, to a server that answers late or never: each ends once, in its time. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder } from './any-order.arbitrary.ts';
import type { Process } from './process.ts';
import { Caller, defineCallPort, serveCalls } from './request-reply.ts';
import { Simulation } from './simulation.ts';
import { milliseconds } from './time.ts';

const PORT = defineCallPort<number, number>('late');
/** There and back. */
const LATENCY_MS = 10;

interface Call {
  readonly atMs: number;
  readonly timeoutMs: number;
  readonly answeredAfterMs: number;
  ended: { readonly kind: string; readonly atMs: number } | undefined;
}

class World {
  readonly #simulation = new Simulation({ seed: 1 });
  readonly #client = this.#simulation.actor('client');
  readonly #calls: Call[] = [];
  readonly #caller = new Caller(this.#client.context, { actor: 'server', port: PORT });

  constructor() {
    this.#simulation.actor('server', {
      start: (context) =>
        serveCalls(context, PORT, function* (afterMs): Process<number> {
          yield* context.sleep(milliseconds(afterMs));
          return afterMs;
        }),
    });
    this.pass(1);
  }

  get #nowMs(): number {
    return this.#simulation.now / 1_000;
  }

  pass(ms: number): void {
    this.#simulation.runFor(milliseconds(ms));
  }

  call(timeoutMs: number, answeredAfterMs: number): void {
    const call: Call = { atMs: this.#nowMs, timeoutMs, answeredAfterMs, ended: undefined };
    this.#calls.push(call);
    const caller = this.#caller;
    const ended = (kind: string): void => {
      expect(call.ended, 'it has ended before').toBeUndefined();
      call.ended = { kind, atMs: this.#nowMs };
    };
    this.#client.context.spawn(
      'call',
      (function* () {
        const { kind } = yield* caller.call(answeredAfterMs, milliseconds(timeoutMs));
        ended(kind);
      })(),
    );
  }

  compare(): void {
    for (const { atMs, timeoutMs, answeredAfterMs, ended } of this.#calls) {
      const isAnswered = answeredAfterMs < timeoutMs;
      const endsAtMs = atMs + Math.min(answeredAfterMs, timeoutMs);
      const said = `a call at ${atMs} for ${timeoutMs}, answered after ${answeredAfterMs}`;
      if (this.#nowMs < endsAtMs) expect(ended, said).toBeUndefined();
      if (this.#nowMs <= endsAtMs + LATENCY_MS) continue;
      expect(ended?.kind, said).toBe(isAnswered ? 'reply' : 'timeout');
      expect(ended?.atMs, said).toBeLessThanOrEqual(endsAtMs + LATENCY_MS);
    }
  }
}

const act = actsOn<World>();
const call = act(
  'call',
  // Nobody is answered just when he gives up.
  fc.tuple(fc.constantFrom(50, 150, 350, 1_550, 5_050), fc.constantFrom(0, 100, 300, 1_500, 1e6)),
  (world, drawn) => world.call(...drawn),
);

it('ends each call with its answer or at its deadline', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[call, call],
      act('pass', fc.constantFrom(1, 40, 200, 1_000, 3_000), (world, ms) => world.pass(ms)),
    ],
    compare: (world) => world.compare(),
    end: (world) => {
      world.pass(6_000);
      world.compare();
    },
    most: 25,
    runs: 100,
  });
});
