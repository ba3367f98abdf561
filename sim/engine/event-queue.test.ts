import { expect, test } from 'vitest';
import { label } from './digest.ts';
import { EventQueue } from './event-queue.ts';
import { QueuedEvent } from './queued-event.ts';

const tick = label('tick');
const eventOf = (id: number): QueuedEvent =>
  new QueuedEvent(id, 0, tick, tick, undefined, { fire: () => undefined });

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
