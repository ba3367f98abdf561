/**
 * Numbers of YAML on their way to JSON, which has no fractions of zero: `1e18` is spelled in digits, and so is an integer
 * of 64 bits to whoever reads it. What has no such number is returned as it is, part by part.
 */
import { fitsInt64 } from './int64.ts';

/** No other text of a number is a fraction that is read as a whole number beyond 2^53. */
const MAY_BE_LARGE_FRACTION = /[0-9]\.?(?:[eE][+0-9]|[0-9._]{14})/;

/** `text`: what the value was read from. */
export const withExactWholes = (value: unknown, text: string): unknown =>
  MAY_BE_LARGE_FRACTION.test(text) ? exact(value) : value;

function exact(value: unknown): unknown {
  if (typeof value === 'number') return isLargeWhole(value) ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = (value as readonly unknown[]).map(exact);
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  let changed: Record<string, unknown> | undefined;
  for (const [name, member] of Object.entries(value)) {
    const whole = exact(member);
    if (whole !== member) (changed ??= { ...value })[name] = whole;
  }
  return changed ?? value;
}

const isLargeWhole = (value: number): boolean =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && fitsInt64(value);
