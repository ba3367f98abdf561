import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../engine/any-order.arbitrary.ts';
import { formatDuration, formatTime, parseDuration, parseMicroTime, parseTime } from './time-format.ts';

const instant = fc.integer({ min: Date.UTC(1, 0, 1), max: Date.UTC(9999, 11, 31) / 1000 });

it('every time that is written is read back', () => {
  fc.assert(
    fc.property(fc.integer({ min: -62_000_000_000, max: 250_000_000_000 }), (epochSeconds) => {
      expect(parseTime(formatTime(epochSeconds * 1000)).epochSeconds).toBe(epochSeconds);
    }),
    asOftenAs(100),
  );
});

it('times are those of the calendar', () => {
  fc.assert(
    fc.property(instant, fc.integer({ min: 0, max: 999_999 }), (epochSeconds, micros) => {
      const text = new Date(epochSeconds * 1000).toISOString().slice(0, 19);
      fc.pre(/^\d{4}-/.test(text));
      const fraction = String(micros).padStart(6, '0');
      expect(parseTime(`${text}Z`)).toEqual({ epochSeconds, micros: 0 });
      expect(parseMicroTime(`${text}.${fraction}Z`)).toEqual({ epochSeconds, micros });
      // Of a form that is seldom written, and says the same.
      expect(parseTime(`${text}.${fraction}+00:00`)).toEqual({ epochSeconds, micros });
    }),
    asOftenAs(100),
  );
});

it('every duration that is written is read back', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(1n << 62n), max: 1n << 62n }), (nanos) => {
      expect(parseDuration(formatDuration(nanos))).toBe(nanos);
    }),
    asOftenAs(100),
  );
});
