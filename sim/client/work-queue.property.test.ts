/**
 * The work queue against a model of plain lists: any order of adding at once, after a pause and after failures, of
 * taking, giving back, forgetting and of time that goes by.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder, NOTHING } from '../engine/any-order.arbitrary.ts';
import { Simulation } from '../engine/simulation.ts';
import { milliseconds } from '../engine/time.ts';
import { WorkQueue } from './work-queue.ts';

const KEYS = ['a', 'b'] as const;
type Key = (typeof KEYS)[number];

const FIRST_PAUSE_MS = 5;

class QueueModel {
  now = 0;
  waiting: readonly Key[] = [];
  readonly #again = new Set<Key>();
  readonly #due = new Map<Key, number>();
  readonly #failures = new Map<Key, number>();
  readonly inWork = new Set<Key>();

  add(key: Key): void {
    if (this.inWork.has(key)) this.#again.add(key);
    else if (!this.waiting.includes(key)) this.waiting = [...this.waiting, key];
  }

  addAfter(key: Key, pause: number): void {
    if (pause === 0) this.add(key);
    else if (this.now + pause < (this.#due.get(key) ?? Infinity)) {
      // Of those that are due at one instant the first comes first that was given this instant.
      this.#due.delete(key);
      this.#due.set(key, this.now + pause);
    }
  }

  addRateLimited(key: Key): void {
    const failures = this.failuresOf(key);
    this.#failures.set(key, failures + 1);
    this.addAfter(key, FIRST_PAUSE_MS * 2 ** failures);
  }

  failuresOf(key: Key): number {
    return this.#failures.get(key) ?? 0;
  }

  forget(key: Key): void {
    this.#failures.delete(key);
  }

  take(): Key | undefined {
    const [key, ...rest] = this.waiting;
    this.waiting = rest;
    if (key !== undefined) this.inWork.add(key);
    return key;
  }

  done(key: Key): void {
    this.inWork.delete(key);
    if (this.#again.delete(key)) this.add(key);
  }

  pass(span: number): void {
    this.now += span;
    const due = [...this.#due].filter(([, at]) => at <= this.now);
    for (const [key] of due.toSorted(([, a], [, b]) => a - b)) {
      this.#due.delete(key);
      this.add(key);
    }
  }
}

class Pair {
  readonly model = new QueueModel();
  readonly #simulation = new Simulation({ seed: 1 });
  readonly #queue = new WorkQueue<Key>(this.#simulation.actor('controller').context);

  add(key: Key): void {
    this.model.add(key);
    this.#queue.add(key);
  }

  addAfter(key: Key, pause: number): void {
    this.model.addAfter(key, pause);
    this.#queue.addAfter(key, milliseconds(pause));
  }

  fail(key: Key): void {
    this.model.addRateLimited(key);
    this.#queue.addRateLimited(key);
  }

  forget(key: Key): void {
    this.model.forget(key);
    this.#queue.forget(key);
  }

  take(): void {
    // Of an empty queue it would wait.
    if (this.model.waiting.length === 0) return;
    expect(this.#queue.take().next().value).toBe(this.model.take());
  }

  done(key: Key): void {
    // Only what was taken is given back.
    if (!this.model.inWork.has(key)) return;
    this.model.done(key);
    this.#queue.done(key);
  }

  pass(span: number): void {
    for (let ms = 0; ms < span; ms++) this.model.pass(1);
    this.#simulation.runFor(milliseconds(span));
  }

  compare(): void {
    expect(this.#queue.size).toBe(this.model.waiting.length);
    for (const key of KEYS) expect(this.#queue.failuresOf(key)).toBe(this.model.failuresOf(key));
  }
}

const key = fc.constantFrom(...KEYS);

const act = actsOn<Pair>();

it('holds, gives out and brings back keys as the model does, whatever is done in which order', () => {
  holdsInAnyOrder({
    begin: () => new Pair(),
    acts: [
      act('add', key, (pair, of) => pair.add(of)),
      act('addAfter', fc.tuple(key, fc.nat(40)), (pair, [of, pause]) => pair.addAfter(of, pause)),
      act('fail', key, (pair, of) => pair.fail(of)),
      act('forget', key, (pair, of) => pair.forget(of)),
      act('take', NOTHING, (pair) => pair.take()),
      act('done', key, (pair, of) => pair.done(of)),
      act('pass', fc.integer({ min: 1, max: 12 }), (pair, span) => pair.pass(span)),
    ],
    compare: (pair) => pair.compare(),
    most: 40,
    runs: 300,
  });
});
