import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WriteRounds } from './stream-writer.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate', 'performance'] }));
afterEach(() => void vi.useRealTimers());

test('a quick round is followed by the next at once', () => {
  const rounds = new WriteRounds();
  const written: string[] = [];
  rounds.join(() => written.push('first'));
  vi.runAllTimers();
  const at = performance.now();
  rounds.join(() => written.push('second'));
  vi.runAllTimers();
  expect(written).toEqual(['first', 'second']);
  expect(performance.now()).toBe(at);
});

test('a long round rests, and what comes meanwhile is written together', () => {
  const rounds = new WriteRounds();
  const written: number[] = [];
  rounds.join(() => void vi.advanceTimersByTime(4));
  vi.advanceTimersToNextTimer();
  const end = performance.now();
  for (let index = 0; index < 3; index += 1) rounds.join(() => written.push(performance.now() - end));
  vi.advanceTimersByTime(11);
  expect(written).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(written).toEqual([12, 12, 12]);
});
