/** News that come late, in any order of lags, pauses and time: each is told once, in the order of arrival, and in the end all. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { Simulation } from '../../engine/simulation.ts';
import { seconds } from '../../engine/time.ts';
import { DeliveryQueue } from './delivery.ts';

const LONGEST_LAG = 6;

class World {
  readonly #simulation = new Simulation({ seed: 1 });
  readonly #queue = new DeliveryQueue({
    context: this.#simulation.actor('controller').context,
    isPaused: () => false,
  });
  #arrived = 0;
  #lag = 0;
  /** In seconds since the beginning, by number. */
  readonly #arrivedAt: number[] = [];
  readonly #told: number[] = [];

  arrive(): void {
    const number = this.#arrived++;
    this.#arrivedAt.push(this.#now);
    const tell = (): void => {
      expect(this.#now - (this.#arrivedAt[number] ?? 0)).toBeGreaterThanOrEqual(this.#lag);
      this.#told.push(number);
    };
    if (this.#queue.isPrompt) tell();
    else this.#queue.later(tell);
  }

  lag(span: number): void {
    this.#lag = span;
    this.#queue.setLag(seconds(span));
  }

  pass(span: number): void {
    this.#simulation.runFor(seconds(span));
  }

  compare(): void {
    expect(this.#told).toEqual(Array.from({ length: this.#told.length }, (_, number) => number));
    expect(this.#told.length + this.#queue.size).toBe(this.#arrived);
  }

  end(): void {
    this.pass(LONGEST_LAG + 1);
    this.compare();
    expect(this.#told).toHaveLength(this.#arrived);
  }

  get #now(): number {
    return Math.round(this.#simulation.now / seconds(1));
  }
}

const act = actsOn<World>();

it('tells each once, in the order of arrival, and in the end all', () => {
  holdsInAnyOrder({
    begin: () => new World(),
    acts: [
      act('arrive', NOTHING, (world) => world.arrive()),
      act('arrive', NOTHING, (world) => world.arrive()),
      act('lag', fc.constantFrom(0, 2, LONGEST_LAG), (world, span) => world.lag(span)),
      act('pass', fc.integer({ min: 1, max: 4 }), (world, span) => world.pass(span)),
    ],
    compare: (world) => world.compare(),
    end: (world) => world.end(),
    most: 25,
    runs: 200,
  });
});
