/**
 * What an API server has to be told later, and what it does beside requests, in any order of beginnings, ends and time, and
 * ends of its process: each rings once, or goes on, exactly as long as nobody has taken it back and the process lives. Who
 * waits to be woken hears of it or of the end of its time, whichever is first, and is known to nobody from then on.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiServerSurroundings } from '../apiserver/surroundings.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../engine/any-order.arbitrary.ts';
import type { Process } from '../engine/process.ts';
import { Simulation } from '../engine/simulation.ts';
import { milliseconds } from '../engine/time.ts';
import { engineSurroundings } from './engine-surroundings.ts';

const STEPS = 4;

/** It makes itself heard after so many milliseconds, so many times. */
interface Begun {
  readonly atMs: number;
  readonly everyMs: number;
  readonly times: number;
  readonly takeBack: () => void;
  overMs: number;
}

interface Waiting {
  readonly lateMs: number;
  wokenMs: number;
  /** Undefined: it waits still. */
  answer: boolean | undefined;
}

class World {
  readonly #simulation = new Simulation({ seed: 1 });
  readonly #actor = this.#simulation.actor('apiserver/0', {
    start: (context) => {
      this.#surroundings = engineSurroundings(context);
    },
  });
  #surroundings: ApiServerSurroundings | undefined;
  readonly #begun: Begun[] = [];
  readonly #heard: string[] = [];
  /** In this life. */
  readonly #waiting: Waiting[] = [];
  readonly #subscribed = new Map<Waiting, () => void>();

  get #nowMs(): number {
    return this.#simulation.now / 1_000;
  }

  begin(kind: 'alarm' | 'work', everyMs: number): void {
    const surroundings = this.#surroundings;
    if (!surroundings) throw new Error('it has begun');
    const name = this.#begun.length;
    const takeBack =
      kind === 'alarm'
        ? surroundings.after(everyMs, () => this.#hear(name))
        : surroundings.start(this.#work(surroundings, name, everyMs));
    const times = kind === 'alarm' ? 1 : STEPS;
    this.#begun.push({ atMs: this.#nowMs, everyMs, times, takeBack, overMs: Infinity });
  }

  *#work(surroundings: ApiServerSurroundings, name: number, everyMs: number): Process<void> {
    for (let step = 0; step < STEPS; step++) {
      yield* surroundings.sleepMs(everyMs);
      this.#hear(name);
    }
  }

  #hear(name: number): void {
    this.#heard.push(`${name} at ${this.#nowMs}`);
  }

  takeBack(index: number): void {
    const one = this.#begun[index % Math.max(1, this.#begun.length)];
    if (!one) return;
    one.takeBack();
    one.overMs = Math.min(one.overMs, this.#nowMs);
  }

  wait(timeoutMs: number): void {
    const surroundings = this.#surroundings;
    if (!surroundings) throw new Error('it has begun');
    const one: Waiting = { lateMs: this.#nowMs + timeoutMs, wokenMs: Infinity, answer: undefined };
    this.#waiting.push(one);
    const subscribe = (wake: () => void): (() => void) => {
      this.#subscribed.set(one, wake);
      return () => void this.#subscribed.delete(one);
    };
    surroundings.start(
      (function* () {
        one.answer = yield* surroundings.waitFor(subscribe, timeoutMs);
      })(),
    );
    this.pass(0);
  }

  wake(): void {
    for (const one of this.#waiting) one.wokenMs = Math.min(one.wokenMs, this.#nowMs);
    for (const wake of [...this.#subscribed.values()]) wake();
    this.pass(0);
  }

  restart(): void {
    this.#waiting.length = 0;
    this.#subscribed.clear();
    this.#actor.crash();
    for (const one of this.#begun) one.overMs = Math.min(one.overMs, this.#nowMs);
    this.#actor.restart();
    this.pass(0);
  }

  pass(ms: number): void {
    this.#simulation.runFor(milliseconds(ms));
  }

  compare(): void {
    const expected = this.#begun.flatMap(({ atMs, everyMs, times, overMs }, name) =>
      Array.from({ length: times }, (_, step) => atMs + (step + 1) * everyMs)
        .filter((ms) => ms <= Math.min(overMs, this.#nowMs))
        .map((ms) => `${name} at ${ms}`),
    );
    expect([...this.#heard].sort()).toEqual(expected.sort());
    this.#compareWaiting();
  }

  #compareWaiting(): void {
    for (const { lateMs, wokenMs, answer } of this.#waiting) {
      const isOver = Math.min(lateMs, wokenMs) <= this.#nowMs;
      expect(answer, 'woken in time').toBe(isOver ? wokenMs < lateMs : undefined);
    }
    const still = this.#waiting.filter(({ answer }) => answer === undefined);
    expect([...this.#subscribed.keys()], 'who is to be woken').toEqual(still);
  }
}

const act = actsOn<World>();
const begin = act(
  'begin',
  fc.tuple(fc.constantFrom('alarm', 'work'), fc.constantFrom(5, 20, 300)),
  (world, drawn) => world.begin(...drawn),
);

it('are heard of until they are taken back', () => {
  holdsInAnyOrder({
    begin: () => {
      const world = new World();
      world.pass(0);
      return world;
    },
    acts: [
      ...[begin, begin],
      act('take back', fc.nat(9), (world, index) => world.takeBack(index)),
      act('wait', fc.constantFrom(5.5, 40.5, 500.5), (world, timeoutMs) => world.wait(timeoutMs)),
      act('wake', NOTHING, (world) => world.wake()),
      act('restart', NOTHING, (world) => world.restart()),
      act('pass', fc.constantFrom(1, 7, 30, 400), (world, ms) => world.pass(ms)),
    ],
    compare: (world) => world.compare(),
    end: (world) => {
      world.pass(5_000);
      world.compare();
    },
    most: 20,
    runs: 60,
  });
});
