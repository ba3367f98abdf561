/**
 * Clocks on walls, beside those of the machine that the test runs on: in zones whose rules have been what they are for
 * long, in the months in which they change.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { timeZoneOf } from './time-zone.ts';

const ZONES = [
  ...['Europe/Berlin', 'Europe/London', 'Europe/Dublin', 'Atlantic/Azores', 'America/New_York'],
  ...['America/St_Johns', 'America/Havana', 'Australia/Sydney', 'Australia/Adelaide', 'Pacific/Auckland'],
  ...['Pacific/Chatham', 'Pacific/Marquesas', 'Asia/Kolkata', 'Asia/Kathmandu', 'Africa/Johannesburg'],
  ...['Etc/GMT+5', 'Etc/GMT-14', 'UTC'],
];
const QUARTER_MS = 900_000;

function offsetOfMachine(zone: string): (epochMs: number) => number {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  return (epochMs) => {
    const name = format.formatToParts(epochMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = '0', minutes = '0'] = /^GMT(?:([+-])(\d\d):(\d\d))?$/.exec(name) ?? [];
    const offset = Number(hours) * 3_600 + Number(minutes) * 60;
    return sign === '-' ? 0 - offset : offset;
  };
}

it('shows what clocks show in that place', () => {
  const months = fc.record({
    zone: fc.constantFrom(...ZONES),
    year: fc.integer({ min: 2024, max: 2036 }),
    month: fc.constantFrom(0, 2, 3, 5, 8, 9, 10),
  });
  fc.assert(
    fc.property(months, ({ zone, year, month }) => {
      const known = timeZoneOf(zone);
      const machine = offsetOfMachine(zone);
      for (let at = Date.UTC(year, month); at < Date.UTC(year, month + 1); at += QUARTER_MS)
        expect(`${new Date(at).toISOString()} ${known?.offsetAt(at / 1_000)}`).toBe(
          `${new Date(at).toISOString()} ${machine(at)}`,
        );
    }),
    asOftenAs(60),
  );
});
