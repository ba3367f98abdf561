import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextOutputMs, outputOf } from './container-output.ts';
import type { LogEntry } from './workload-behaviour.ts';

const container = (logs: readonly (string | LogEntry)[], ranSeconds?: number) => ({
  startedAtMs: 1_000,
  behaviour: { logs },
  ...(ranSeconds !== undefined && { restored: { containerId: 'before', ranSeconds, values: {} } }),
});

const texts = (lines: readonly { readonly text: string }[]): string =>
  lines.map(({ text }) => text).join(' ');

describe('what a container writes', () => {
  it('comes at its time, in order', () => {
    const logs = ['a', { text: 'b', afterSeconds: 2, everySeconds: 3 }, { text: 'c', afterSeconds: 6 }];
    expect(outputOf(container(logs), { untilMs: 9_000 })).toEqual([
      { atMs: 1_000, text: 'a', stream: 'stdout' },
      { atMs: 3_000, text: 'b', stream: 'stdout' },
      { atMs: 6_000, text: 'b', stream: 'stdout' },
      { atMs: 7_000, text: 'c', stream: 'stdout' },
      { atMs: 9_000, text: 'b', stream: 'stdout' },
    ]);
  });

  it('is not written again by a process that goes on from a checkpoint', () => {
    const logs = ['a', { text: 'b', afterSeconds: 2, everySeconds: 3 }, { text: 'c', afterSeconds: 6 }];
    const restored = container(logs, 5);
    expect(texts(outputOf(restored, { untilMs: 1_000 }))).toBe('');
    expect(outputOf(restored, { untilMs: 5_000 }).map(({ atMs, text }) => [atMs, text])).toEqual([
      [2_000, 'c'],
      [4_000, 'b'],
    ]);
    expect(texts(outputOf(container(['a'], 0), { untilMs: 5_000 }))).toBe('');
  });

  it('is kept for so many rounds of a line', () => {
    const lines = outputOf(container([{ text: 'tick', everySeconds: 1 }]), { untilMs: 1e9 });
    expect(lines).toHaveLength(10_000);
    expect(lines.at(-1)?.atMs).toBe(1e9);
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

  it('is the same, seen at once or in two looks', () => {
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
      { seed: 1 },
    );
  });

  it('goes on with the line that is foretold', () => {
    fc.assert(
      fc.property(anything, fc.integer({ min: 1_000, max: 60_000 }), ([logs, ran], afterMs) => {
        const seen = container(logs, ran);
        const next = nextOutputMs(seen, afterMs);
        const [first] = outputOf(seen, { afterMs, untilMs: 200_000 });
        expect(first?.atMs ?? Infinity).toBe(next);
      }),
      { seed: 1 },
    );
  });
});
