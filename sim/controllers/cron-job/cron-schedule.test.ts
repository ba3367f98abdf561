import { describe, expect, it } from 'vitest';
import { timeZoneOf } from '../../api/time-zone/time-zone.ts';
import { parseSchedule } from './cron-schedule.ts';

const seconds = (text: string): number => Date.parse(text) / 1000;
const starts = (schedule: string, from: string, count = 3): readonly string[] => {
  const parsed = parseSchedule(schedule);
  const found: string[] = [];
  for (let at: number | undefined = seconds(from); found.length < count;) {
    at = parsed?.next(at);
    if (at === undefined) break;
    found.push(new Date(at * 1000).toISOString().slice(0, 16));
  }
  return found;
};

describe('a schedule comes', () => {
  it.each<[string, string, readonly string[]]>([
    ['* * * * *', '2025-01-01T00:00:30Z', ['2025-01-01T00:01', '2025-01-01T00:02', '2025-01-01T00:03']],
    [
      '*/20 9-17/4 * * mon-fri',
      '2025-01-03T17:45:00Z',
      ['2025-01-06T09:00', '2025-01-06T09:20', '2025-01-06T09:40'],
    ],
    ['0 0 29 2 *', '2025-01-01T00:00:00Z', ['2028-02-29T00:00']],
    ['0 0 13 * 5', '2025-01-01T00:00:00Z', ['2025-01-03T00:00', '2025-01-10T00:00', '2025-01-13T00:00']],
    ['0 0 13 * *', '2025-01-01T00:00:00Z', ['2025-01-13T00:00', '2025-02-13T00:00', '2025-03-13T00:00']],
    ['@hourly', '2025-12-31T22:59:59Z', ['2025-12-31T23:00', '2026-01-01T00:00', '2026-01-01T01:00']],
    ['@every 90m', '2025-01-01T00:00:00Z', ['2025-01-01T01:30', '2025-01-01T03:00', '2025-01-01T04:30']],
    ['59 23 31 2 *', '2025-01-01T00:00:00Z', []],
    ['0 0 * * 7', '2025-01-01T00:00:00Z', []],
    // What a clock leaves out has no start, …
    [
      'TZ=Europe/Berlin 30 2 * * *',
      '2025-03-29T00:00:00Z',
      ['2025-03-29T01:30', '2025-03-31T00:30', '2025-04-01T00:30'],
    ],
    // … and what it shows twice has two.
    [
      'TZ=Europe/Berlin 30 2 * * *',
      '2025-10-25T12:00:00Z',
      ['2025-10-26T00:30', '2025-10-26T01:30', '2025-10-27T01:30'],
    ],
    [
      'TZ=Asia/Kolkata 0 9 * * *',
      '2025-01-01T00:00:00Z',
      ['2025-01-01T03:30', '2025-01-02T03:30', '2025-01-03T03:30'],
    ],
    [
      'TZ=America/New_York 0 0 * * *',
      '2025-03-08T12:00:00Z',
      ['2025-03-09T05:00', '2025-03-10T04:00', '2025-03-11T04:00'],
    ],
  ])('%s after %s', (schedule, from, expected) => {
    expect(starts(schedule, from, Math.max(1, Math.min(3, expected.length)))).toEqual(expected);
  });

  it('never in a zone that there is not', () => {
    expect(parseSchedule('TZ=Mars/Olympus * * * * *')).toBeUndefined();
  });
});

describe('a time zone', () => {
  it.each([
    ['UTC', '2025-07-01T00:00:00Z', 0],
    ['Europe/London', '2025-07-01T00:00:00Z', 1],
    ['America/New_York', '2025-01-01T00:00:00Z', -5],
    ['Australia/Lord_Howe', '2025-01-01T00:00:00Z', 11],
    ['Australia/Lord_Howe', '2025-07-01T00:00:00Z', 10.5],
    ['Asia/Kathmandu', '2025-01-01T00:00:00Z', 5.75],
    ['Europe/Dublin', '2025-01-01T00:00:00Z', 0],
    ['Europe/Dublin', '2025-07-01T00:00:00Z', 1],
    ['America/Santiago', '2025-01-01T00:00:00Z', -3],
  ])('%s at %s is %d h ahead', (zone, at, hours) => {
    expect(timeZoneOf(zone)?.offsetAt(seconds(at))).toBe(hours * 3600);
  });
});
