/** The queue of events beside a plain list that is sorted anew: they leave in the order of instant and sequence, called off ones never. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder, NOTHING } from './any-order.arbitrary.ts';
import { label } from './digest.ts';
import { EventQueue } from './event-queue.ts';
import { QueuedEvent } from './queued-event.ts';

const TICK = label('tick');

interface Entry {
  readonly dueAt: number;
  readonly event: QueuedEvent;
}

const inOrder = (a: Entry, b: Entry): number => a.dueAt - b.dueAt || a.event.id - b.event.id;

class World {
  readonly #queue = new EventQueue();
  #entries: Entry[] = [];
  /** Taken or called off. */
  readonly #gone: QueuedEvent[] = [];
  #now = 0;
  #lastId = 0;

  push(delays: readonly number[]): void {
    for (const delay of delays) {
      const event = new QueuedEvent(++this.#lastId, 0, TICK, TICK, undefined, { fire: () => undefined });
      const entry = { dueAt: this.#now + delay, event };
      this.#entries.push(entry);
      this.#queue.push(entry.dueAt, event);
    }
    this.#entries.sort(inOrder);
  }

  pop(count: number): void {
    for (let left = count; left > 0; left--) {
      const first = this.#entries.shift();
      expect(this.#queue.nextDueAt).toBe(first?.dueAt ?? Infinity);
      expect(this.#queue.popUntil((first?.dueAt ?? Infinity) - 1)).toBeUndefined();
      expect(this.#queue.popUntil(Infinity)?.id).toBe(first?.event.id);
      if (!first) return;
      this.#gone.push(first.event);
      this.#now = first.dueAt;
      expect(this.#queue.takenAt).toBe(this.#now);
    }
  }

  /** Every so many-th of those that wait. */
  cancel(step: number): void {
    this.#callOff((index) => index % step === 0);
  }

  /** Nothing comes of it. */
  cancelAgain(pick: number): void {
    const event = this.#gone[pick % Math.max(1, this.#gone.length)];
    if (event) this.#queue.cancel(event);
  }

  /** All but every so many-th. */
  keep(step: number): void {
    this.#callOff((index) => index % step !== 0);
  }

  #callOff(isMeant: (index: number) => boolean): void {
    const cancelled = this.#entries.filter((_, index) => isMeant(index));
    for (const { event } of cancelled) this.#queue.cancel(event);
    this.#gone.push(...cancelled.map(({ event }) => event));
    this.#entries = this.#entries.filter((_, index) => !isMeant(index));
  }

  compare(): void {
    expect(this.#queue.size).toBe(this.#entries.length);
  }

  end(): void {
    this.pop(this.#entries.length + 1);
  }
}

const act = actsOn<World>();
const delay = fc.oneof(fc.nat(3), fc.constantFrom(2_047, 2_048, 5_000), fc.nat(6_000));
/** Mostly far ahead. */
const many = fc.array(fc.nat(60_000), { minLength: 90, maxLength: 200, size: 'max' });

it('gives what is due first, and of one instant what came first', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      act('push', fc.array(delay, { maxLength: 6 }), (world, delays) => world.push(delays)),
      act('push', many, (world, delays) => world.push(delays)),
      act('pop', fc.nat(8), (world, count) => world.pop(count)),
      act('pop', fc.nat(2), (world, count) => world.pop(count)),
      act('cancel', fc.integer({ min: 2, max: 9 }), (world, step) => world.cancel(step)),
      act('keep', fc.integer({ min: 4, max: 9 }), (world, step) => world.keep(step)),
      act('cancel again', fc.nat(), (world, pick) => world.cancelAgain(pick)),
      act('cancel all', NOTHING, (world) => world.cancel(1)),
    ],
    compare: (world) => world.compare(),
    end: (world) => world.end(),
    most: 25,
    runs: 60,
    hasSomeOnly: true,
  });
});
