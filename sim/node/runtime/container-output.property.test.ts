import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { nextOutputMs, outputOf } from './container-output.ts';
import type { LogEntry } from './workload-behaviour.ts';

const container = (logs: readonly (string | LogEntry)[], ranSeconds?: number) => ({
  startedAtMs: 1_000,
  behaviour: { logs },
  ...(ranSeconds !== undefined && { restored: { containerId: 'before', ranSeconds, values: {} } }),
});

const entry = fc.record(
  {
    text: fc.constantFrom('a', 'b', 'c'),
    afterSeconds: fc.integer({ min: 0, max: 20 }),
    everySeconds: fc.integer({ min: 1, max: 9 }),
  },
  { requiredKeys: ['text'] },
);

const anything = fc.tuple(
  fc.array(fc.oneof(fc.constantFrom('x', 'y'), entry), { maxLength: 4 }),
  fc.option(fc.integer({ min: 0, max: 10 }), { nil: undefined }),
);

it('output is the same, seen at once or in two looks', () => {
  fc.assert(
    fc.property(anything, fc.nat(60_000), fc.nat(60_000), ([logs, ran], one, two) => {
      const [middle, end] = [Math.min(one, two), Math.max(one, two)];
      const seen = container(logs, ran);
      const parts = [
        ...outputOf(seen, { untilMs: middle }),
        ...outputOf(seen, { afterMs: middle, untilMs: end }),
      ];
      expect(parts).toEqual(outputOf(seen, { untilMs: end }));
    }),
    asOftenAs(100),
  );
});

it('output goes on with the line that is foretold', () => {
  fc.assert(
    fc.property(anything, fc.integer({ min: 1_000, max: 60_000 }), ([logs, ran], afterMs) => {
      const seen = container(logs, ran);
      const next = nextOutputMs(seen, afterMs);
      const [first] = outputOf(seen, { afterMs, untilMs: 200_000 });
      expect(first?.atMs ?? Infinity).toBe(next);
    }),
    asOftenAs(100),
  );
});
