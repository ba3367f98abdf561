/** How a word of memory follows the time that it bears: as a whole, or as what is left of it under something shorter. */

type Part = 'whole' | 'lower' | 'upper';

export interface TimePart {
  readonly part: Part;
  /** Whether it explains how a word differs when the time differs by so much. */
  explains(before: bigint, after: bigint, by: bigint): boolean;
  /** A word after a move of its time by so much. */
  moved(word: bigint, by: bigint): bigint;
}

const HALF = 32n;
const LOWER = 0xffff_ffffn;
const lowerOf = (word: bigint): bigint => word & LOWER;
const upperOf = (word: bigint): bigint => BigInt.asUintN(64, word) >> HALF;
const wrapped = (word: bigint): bigint => BigInt.asUintN(64, word);

/** What is all of one time is no half of another: the first that explains is right. */
export const TIME_PARTS: readonly TimePart[] = [
  {
    part: 'whole',
    explains: (before, after, by) => wrapped(after - before) === wrapped(by),
    moved: (word, by) => wrapped(word + by),
  },
  {
    part: 'lower',
    explains: (before, after, by) =>
      upperOf(before) === upperOf(after) && lowerOf(after - before) === lowerOf(by) && lowerOf(by) !== 0n,
    moved: (word, by) => (upperOf(word) << HALF) | lowerOf(word + by),
  },
  {
    // Whether the half below it runs over is not known: it may be one less.
    part: 'upper',
    explains: (before, after, by) => {
      const distance = lowerOf(upperOf(after) - upperOf(before));
      const expected = upperOf(by);
      return (
        expected !== 0n &&
        lowerOf(before) === lowerOf(after) &&
        (distance === expected || distance === expected + 1n)
      );
    },
    moved: (word, by) => wrapped(((upperOf(word) + (by >> HALF)) << HALF) | lowerOf(word)),
  },
];

/** Whether a word is as it was moved, as far as that can be told. */
export const isAsMoved = ({ part }: TimePart, moved: bigint, real: bigint): boolean =>
  moved === real ||
  (part === 'upper' && lowerOf(moved) === lowerOf(real) && upperOf(moved) + 1n === upperOf(real));
