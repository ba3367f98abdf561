/**
 * Spans of virtual time as people give them: tests are often run without their types, and a text or a fraction would make
 * time stand still for ever. Promises to refuse all that is no whole number of microseconds.
 */
import { shown } from '../engine/shown.ts';

export const SPAN = 'virtual microseconds, such as seconds(5)';

export const isSpan = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

/** @throws RangeError */
export function checkSpan(of: string, value: unknown, least = 0): void {
  if (isSpan(value) && Number(value) >= least) return;
  throw new RangeError(`${of} takes ${SPAN}, not ${shown(value)}`);
}

/** @throws RangeError */
export function checkPatience(within: unknown, every: unknown): void {
  checkSpan('`within` of eventually', within);
  checkSpan('`every` of eventually', every, 1);
}
