/**
 * Virtual time: an integer number of microseconds since the simulation's epoch, or a span of them.
 * A brand keeps it apart from milliseconds and plain counts; only the constructors below make one.
 */

import { invariant } from './invariant.ts';

declare const microsBrand: unique symbol;
/** Integer virtual microseconds: an instant since the simulation's epoch, or a duration. */
export type Micros = number & { readonly [microsBrand]: true };

/** Checked constructor. @throws InvariantViolation when `count` is not a safe integer. */
export function microseconds(count: number): Micros {
  invariant(Number.isSafeInteger(count), 'virtual time is a whole number of microseconds', { count });
  return count as Micros;
}

/** Fractions are rounded to the nearest microsecond. */
export const milliseconds = (count: number): Micros => microseconds(Math.round(count * 1_000));
export const seconds = (count: number): Micros => microseconds(Math.round(count * 1_000_000));
export const minutes = (count: number): Micros => seconds(count * 60);
export const hours = (count: number): Micros => seconds(count * 3_600);

/** Sum of an instant and a span (or of two spans). */
export const after = (instant: Micros, span: Micros): Micros => (instant + span) as Micros;

export const toMilliseconds = (time: Micros): number => Math.floor(time / 1_000);

/** `12.000345s`: for messages and traces. */
export function formatMicros(time: Micros): string {
  const whole = Math.trunc(time / 1_000_000);
  const fraction = String(Math.abs(time % 1_000_000)).padStart(6, '0');
  return `${time < 0 && whole === 0 ? '-' : ''}${whole}.${fraction}s`;
}
