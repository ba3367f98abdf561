import { describe, expect, it } from 'vitest';
import { type Initialized, MovedWords } from './moved-words.ts';
import { FORMS, type ProgramTime } from './program-time.ts';
import { isFirstCoinZero, seededState, STATE_WORDS } from './seeded-generator.ts';

const TIMES: readonly [ProgramTime, ProgramTime, ProgramTime] = [
  { wallMs: Date.UTC(2025, 0, 1) + 17, elapsedMs: 1_003 },
  { wallMs: Date.UTC(2025, 0, 1) + 1_234_567_321, elapsedMs: 987_654 },
  { wallMs: Date.UTC(2031, 6, 8) + 445, elapsedMs: 12_345_678 },
];
const TABLE = Array.from({ length: STATE_WORDS }, (_, index) => BigInt(index * 7 + 1) ** 5n);

/** What a program with such words leaves at each of the times. */
function initializations(words: (time: ProgramTime) => readonly bigint[]) {
  const [first, second, third] = TIMES.map((time): Initialized => {
    const memory = new BigUint64Array(2048);
    memory.set(words(time).map((word) => BigInt.asUintN(64, word)));
    return { time, memory: new Uint8Array(memory.buffer) };
  });
  if (!first || !second || !third) throw new Error('there are three times');
  const moved = new MovedWords(first, second);
  return { isComplete: moved.isComplete, isConfirmed: moved.isConfirmedBy(first.memory, third) };
}

const EXPLAINED = { isComplete: true, isConfirmed: true };

describe('words that follow the time', () => {
  it.each(FORMS.map((form, index) => ({ form, index })))('are found in form $index', ({ form }) => {
    expect(initializations((time) => [5n, form(time), form(time) + 2_500_000_000n])).toEqual(EXPLAINED);
  });

  it('are found where half of them is overwritten', () => {
    expect(initializations((time) => [(((FORMS[0]?.(time) ?? 0n) >> 32n) << 32n) | 9n])).toEqual(EXPLAINED);
  });

  it('are found in generators that were seeded with it, and in their first coins', () => {
    const words = (time: ProgramTime): readonly bigint[] => {
      const seed = FORMS[5]?.(time) ?? 0n;
      const coin = isFirstCoinZero(TABLE, seed) ? 1n : 0n;
      return [...seededState(TABLE, seed, 3), 0n, coin << 24n];
    };
    expect(initializations(words)).toEqual(EXPLAINED);
  });
});

describe('words that have another reason', () => {
  it('are not explained', () => {
    expect(initializations(({ wallMs }) => [BigInt(wallMs) ** 3n]).isComplete).toBe(false);
    expect(initializations(({ wallMs }) => [BigInt(wallMs % 3)]).isComplete).toBe(false);
  });

  it('are noticed at a third time where they looked like one of the time', () => {
    const [first, second] = TIMES;
    const words = (time: ProgramTime): readonly bigint[] =>
      time === first || time === second ? [FORMS[2]?.(time) ?? 0n] : [42n];
    expect(initializations(words)).toEqual({ isComplete: true, isConfirmed: false });
  });
});
