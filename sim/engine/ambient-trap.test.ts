import { describe, expect, it } from 'vitest';
import { withoutAmbient } from './ambient-trap.ts';

const inside = (work: () => unknown) => (): unknown => withoutAmbient(work);

describe('inside a run', () => {
  it.each<[string, () => unknown]>([
    ['the present time', () => new Date()],
    ['the present time as text', () => Date()],
    ['Date.now', () => Date.now()],
    ['a local time by its parts', () => new Date(2025, 0, 1)],
    ['a local time by all its parts', () => new Date(2025, 0, 1, 12, 30, 0, 0)],
    ['a text without a zone', () => new Date('2025-01-01T00:00:00')],
    ['a parsed text without a zone', () => Date.parse('1 January 2025 10:00')],
    ['hours of the machine', () => new Date(0).getHours()],
    ['the zone of the machine', () => new Date(0).getTimezoneOffset()],
    ['a text in the zone of the machine', () => String(new Date(0))],
    ['a text in the language of the machine', () => new Date(0).toLocaleDateString()],
    ['setting local hours', () => new Date(0).setHours(3)],
    ['Math.random', () => Math.random()],
    ['setTimeout', () => setTimeout(() => undefined, 1)],
    ['performance.now', () => performance.now()],
    ['crypto.randomUUID', () => crypto.randomUUID()],
    ['fetch', () => fetch('http://localhost')],
    ['process.hrtime', () => process.hrtime()],
    ['process.hrtime.bigint', () => process.hrtime.bigint()],
  ])('%s is refused', (_what, work) => {
    expect(inside(work)).toThrow('was used inside the simulation');
  });

  it.each<[string, () => unknown, unknown]>([
    ['an instant in milliseconds', () => new Date(5).toISOString(), '1970-01-01T00:00:00.005Z'],
    ['a text in UTC', () => new Date('2025-01-01T00:00:00Z').getTime(), 1_735_689_600_000],
    ['a text with its zone', () => Date.parse('2025-01-01T00:00:00+01:00'), 1_735_686_000_000],
    ['a date alone, which is one of UTC', () => Date.parse('2025-01-01'), 1_735_689_600_000],
    ['Date.UTC', () => Date.UTC(2025, 0, 1), 1_735_689_600_000],
    ['parts in UTC', () => new Date(0).getUTCFullYear(), 1970],
    ['a copy', () => new Date(new Date(7)).getTime(), 7],
    ['what it is', () => new Date(0) instanceof Date, true],
  ])('%s is fine', (_what, work, value) => {
    expect(inside(work)()).toBe(value);
  });
});

it('leaves the world as it was, also after a refusal and after a run within a run', () => {
  const look = () => [Date, Math.random, setTimeout, fetch, process.hrtime, crypto.randomUUID];
  const before = look();
  expect(inside(() => Math.random())).toThrow();
  withoutAmbient(() => withoutAmbient(() => undefined));
  expect(look()).toEqual(before);
  expect(withoutAmbient(() => new Date(0)) instanceof Date).toBe(true);
});
