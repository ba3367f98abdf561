import { describe, expect, it } from 'vitest';
import { outputOf } from './container-output.ts';
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
});
