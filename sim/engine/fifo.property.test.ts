import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fifo } from './fifo.ts';

test('a queue holds what a plain list would', () => {
  const steps = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('push' as const), count: fc.nat(700) }) },
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('shift' as const), count: fc.nat(900) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), count: fc.nat(50) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('take' as const), count: fc.nat(50) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('drain' as const), count: fc.constant(0) }) },
    ),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(steps, (plan) => {
      const queue = new Fifo<number>();
      let list: number[] = [];
      let next = 0;
      for (const { kind, count } of plan) {
        if (kind === 'push') for (let n = 0; n < count; n++) list.push((queue.push(next), next++));
        else if (kind === 'shift') {
          const shifted = Array.from({ length: count }, () => queue.shift());
          expect(shifted.join()).toBe(Array.from({ length: count }, () => list.shift()).join());
        } else if (kind === 'take') expect(queue.take(count)).toBe(list.splice(count, 1)[0]);
        else if (kind === 'remove') {
          const item = list[count] ?? -1;
          queue.remove(item);
          list = list.filter((each) => each !== item);
        } else expect(queue.drain().join()).toBe(list.splice(0).join());
        expect([queue.size, queue.at(0), queue.at(7), queue.at(list.length)]).toEqual([
          list.length,
          list[0],
          list[7],
          undefined,
        ]);
        expect(queue.from(3).join()).toBe(list.slice(3).join());
      }
    }),
  );
});
