/** Bounds of a size or a cost, from best to worst case, in the saturating arithmetic of 64 bits. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

export const UNBOUNDED = 2 ** 64;

const capped = (value: number): number => (value >= UNBOUNDED ? UNBOUNDED : value);

export const range = (min: number, max = min): Range => ({ min: capped(min), max: capped(max) });
export const ZERO = range(0);
export const ONE = range(1);

export const plus = (a: Range, b: Range): Range => range(a.min + b.min, a.max + b.max);
export const times = (a: Range, b: Range): Range => range(a.min * b.min, a.max * b.max);
export const union = (a: Range, b: Range): Range => range(Math.min(a.min, b.min), Math.max(a.max, b.max));
/** So much for each unit. */
export const priced = (a: Range, perUnit: number): Range =>
  range(Math.ceil(a.min * perUnit), Math.ceil(a.max * perUnit));
export const sum = (ranges: readonly Range[]): Range => ranges.reduce(plus, ZERO);
