/** Schedules beside a plain look at every minute: the next start is the first minute that each field has. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { parseSchedule } from './cron-schedule.ts';

interface Field {
  readonly text: string;
  has(value: number): boolean;
}

/** A field of the values from `low` to `high`. */
function field(low: number, high: number): fc.Arbitrary<Field> {
  const value = fc.integer({ min: low, max: high });
  const some = fc
    .uniqueArray(value, { minLength: 1, maxLength: 3 })
    .map((values): Field => ({ text: values.join(','), has: (one) => values.includes(one) }));
  const range = fc.tuple(value, value, fc.integer({ min: 1, max: 4 })).map(([a, b, step]): Field => {
    const [from, to] = [Math.min(a, b), Math.max(a, b)];
    return {
      text: `${from}-${to}/${step}`,
      has: (one) => one >= from && one <= to && (one - from) % step === 0,
    };
  });
  const from = fc.tuple(value, fc.integer({ min: 1, max: 9 })).map(([first, step]): Field => {
    return { text: `${first}/${step}`, has: (one) => one >= first && (one - first) % step === 0 };
  });
  const steps = fc.integer({ min: 2, max: 9 }).map((step): Field => {
    return { text: `*/${step}`, has: (one) => (one - low) % step === 0 };
  });
  const any = fc.constant<Field>({ text: '*', has: () => true });
  return fc.oneof({ weight: 3, arbitrary: any }, some, range, from, steps);
}

const schedule = fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6));
const DAYS = 40;

it('starts at the first minute that all fields have, where days of both kinds are named at one of both', () => {
  fc.assert(
    fc.property(
      schedule,
      fc.integer({ min: 0, max: 3 * 365 * 86_400 }),
      ([minute, hour, day, month, weekday], from) => {
        const start = 1_700_000_000 + from;
        const text = [minute, hour, day, month, weekday].map((each) => each.text).join(' ');
        const isAnyDay = [day, weekday].some((each) => each.text === '*');
        const fits = (seconds: number): boolean => {
          const at = new Date(seconds * 1_000);
          const days = [day.has(at.getUTCDate()), weekday.has(at.getUTCDay())];
          return (
            minute.has(at.getUTCMinutes()) &&
            hour.has(at.getUTCHours()) &&
            month.has(at.getUTCMonth() + 1) &&
            (isAnyDay ? days.every(Boolean) : days.some(Boolean))
          );
        };
        const next = parseSchedule(text)?.next(start) ?? Infinity;
        const end = start + DAYS * 86_400;
        let first = Math.floor(start / 60) * 60 + 60;
        while (first < end && !fits(first)) first += 60;
        if (first < end) expect(next, text).toBe(first);
        else expect(next, text).toBeGreaterThanOrEqual(end - 60);
      },
    ),
    asOftenAs(60),
  );
});
