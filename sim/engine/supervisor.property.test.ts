/**
 * A process that ends by itself again and again, runs for a while, and is ended and started by others: it is started again
 * after a second, then after pauses that double to five minutes, and after a second again once it has run for ten minutes.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder, NOTHING } from './any-order.arbitrary.ts';
import { Simulation } from './simulation.ts';
import { Supervisor } from './supervisor.ts';
import { seconds } from './time.ts';

const CALM_S = 600;
const LONGEST_S = 300;

class World {
  readonly #simulation = new Simulation({ seed: 1 });
  readonly #actor = this.#simulation.actor('process');
  readonly #supervisor = new Supervisor(this.#simulation, this.#actor);
  #second = 0;
  #startedAt = 0;
  /** Of whose end somebody has to be told. */
  #exits = 0;
  /** When it is started again; undefined: it runs, or rests because others said so. */
  #dueAt: number | undefined;
  #told = 0;

  constructor() {
    this.#supervisor.onChange = () => this.#told++;
  }

  get isUp(): boolean {
    return this.#actor.state !== 'crashed';
  }

  exit(): void {
    if (!this.isUp) return;
    if (this.#second - this.#startedAt >= CALM_S) this.#exits = 0;
    const pause = this.#exits === 0 ? 1 : Math.min(LONGEST_S, 10 * 2 ** (this.#exits - 1));
    this.#exits++;
    this.#dueAt = this.#second + pause;
    const told = this.#told;
    this.#supervisor.exit();
    expect(this.#told).toBe(told + 1);
  }

  end(): void {
    this.#supervisor.takeOver();
    if (this.isUp) this.#actor.crash();
    this.#dueAt = undefined;
  }

  start(): void {
    this.#supervisor.takeOver();
    if (!this.isUp) this.#actor.restart();
    this.#dueAt = undefined;
    this.#startedAt = this.#second;
  }

  pass(span: number): void {
    for (let left = span; left > 0; left--) {
      this.#second++;
      this.#simulation.runFor(seconds(1));
      if (this.#dueAt === this.#second) {
        this.#dueAt = undefined;
        this.#startedAt = this.#second;
        expect(this.isUp, 'whose pause is over').toBe(true);
      }
      if (this.#dueAt !== undefined) expect(this.isUp, 'who pauses').toBe(false);
    }
  }

  compare(): void {
    if (this.#dueAt !== undefined) expect(this.isUp).toBe(false);
  }
}

const act = actsOn<World>();
const exit = act('exit', NOTHING, (world) => world.exit());

it('is started again after its pause, whatever else is done to it', () => {
  holdsInAnyOrder({
    begin: () => new World(),
    acts: [
      exit,
      exit,
      exit,
      act('pass', fc.constantFrom(1, 10, 40, 310), (world, span) => world.pass(span)),
      act('pass', fc.constantFrom(1, 20, 80, 599, 600), (world, span) => world.pass(span)),
      act('end', NOTHING, (world) => world.end()),
      act('start', NOTHING, (world) => world.start()),
    ],
    compare: (world) => world.compare(),
    end: (world) => world.pass(LONGEST_S),
    most: 30,
    runs: 60,
  });
});
