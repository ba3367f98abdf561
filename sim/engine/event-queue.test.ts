import fc from 'fast-check';
import { expect, test } from 'vitest';
import { label } from './digest.ts';
import { EventQueue } from './event-queue.ts';
import { QueuedEvent } from './queued-event.ts';

const tick = label('tick');
const eventOf = (id: number): QueuedEvent =>
  new QueuedEvent(id, 0, tick, tick, undefined, { fire: () => undefined });

type Step =
  | { readonly kind: 'push'; readonly delay: number }
  | { readonly kind: 'pop' }
  | { readonly kind: 'cancel'; readonly pick: number };

const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant('push' as const), delay: fc.oneof(fc.nat(9), fc.nat(5000)) }),
    },
    { weight: 3, arbitrary: fc.constant<Step>({ kind: 'pop' }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('cancel' as const), pick: fc.nat() }) },
  ),
  { maxLength: 600, size: 'max' },
);

interface Entry {
  readonly dueAt: number;
  readonly event: QueuedEvent;
}

const inOrder = (a: Entry, b: Entry): number => a.dueAt - b.dueAt || a.event.id - b.event.id;

test('events leave in the total order of instant and sequence, cancelled ones never', () => {
  fc.assert(
    fc.property(steps, (plan: readonly Step[]) => {
      const queue = new EventQueue();
      let entries: Entry[] = [];
      let now = 0;
      for (const [index, step] of plan.entries()) {
        if (step.kind === 'push') {
          const entry = { dueAt: now + step.delay, event: eventOf(index + 1) };
          entries.push(entry);
          queue.push(entry.dueAt, entry.event);
        } else if (step.kind === 'cancel') {
          const [entry] = entries.splice(step.pick % Math.max(1, entries.length), 1);
          if (entry) queue.cancel(entry.event);
        } else {
          entries = entries.toSorted(inOrder);
          const first = entries.shift();
          expect(queue.nextDueAt).toBe(first?.dueAt ?? Infinity);
          expect(queue.popUntil((first?.dueAt ?? Infinity) - 1)).toBeUndefined();
          expect(queue.popUntil(Infinity)).toBe(first?.event);
          now = first?.dueAt ?? now;
          expect(queue.takenAt).toBe(now);
        }
        expect(queue.size).toBe(entries.length);
      }
      for (const entry of entries.toSorted(inOrder)) expect(queue.popUntil(Infinity)).toBe(entry.event);
      expect(queue.popUntil(Infinity)).toBeUndefined();
    }),
  );
});

test('a queue full of cancelled events shrinks and keeps its order', () => {
  const queue = new EventQueue();
  const events = Array.from({ length: 1000 }, (_, index) => eventOf(index + 1));
  for (const event of events) queue.push(5000 - event.id, event);
  for (const event of events) if (event.id % 10 !== 0) queue.cancel(event);
  expect(queue.size).toBe(100);
  const left = Array.from({ length: 100 }, () => queue.popUntil(Infinity)?.id);
  expect(left).toEqual(Array.from({ length: 100 }, (_, index) => 1000 - 10 * index));
});

test('an event of an instant that has gone by says so', () => {
  const queue = new EventQueue();
  queue.push(100, eventOf(1));
  queue.popUntil(Infinity);
  queue.push(50, eventOf(2));
  expect(queue.popUntil(Infinity)?.id).toBe(2);
  expect(queue.takenAt).toBe(50);
});
