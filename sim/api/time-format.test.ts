import { describe, expect, it } from 'vitest';
import {
  formatDuration,
  formatMicroTime,
  formatTime,
  isZeroTime,
  parseDuration,
  parseMicroTime,
  parseTime,
} from './time-format.ts';

const LAYOUT = '2006-01-02T15:04:05Z07:00';
const MICRO_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';

describe('times', () => {
  it.each([
    ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05Z'],
    ['2024-01-02T03:04:05.999+01:00', '2024-01-02T02:04:05Z'],
    ['2024-02-29T23:59:59-00:30', '2024-03-01T00:29:59Z'],
    ['1969-12-31T23:59:59.9Z', '1969-12-31T23:59:59Z'],
  ])('%s is %s', (text, canonical) => {
    expect(formatTime(parseTime(text).epochSeconds * 1000)).toBe(canonical);
  });

  it.each([
    ['2024-01-02', `parsing time "2024-01-02" as "${LAYOUT}": cannot parse "" as "T"`],
    ['2024-01-02 03', `parsing time "2024-01-02 03" as "${LAYOUT}": cannot parse " 03" as "T"`],
    ['02 Jan 24', `parsing time "02 Jan 24" as "${LAYOUT}": cannot parse "02 Jan 24" as "2006"`],
    ['2024-13-02T03:04:05Z', 'parsing time "2024-13-02T03:04:05Z": month out of range'],
    ['2023-02-29T03:04:05Z', 'parsing time "2023-02-29T03:04:05Z": day out of range'],
    ['2024-01-02T03:04:05Zx', 'parsing time "2024-01-02T03:04:05Zx": extra text: "x"'],
    ['2024-01-02T03:04:05', `parsing time "2024-01-02T03:04:05" as "${LAYOUT}": cannot parse "" as "Z07:00"`],
  ])('%s is refused', (text, message) => {
    expect(() => parseTime(text)).toThrow(message);
  });

  it('knows the zero time', () => {
    expect(isZeroTime(parseTime('0001-01-01T00:00:00Z'))).toBe(true);
  });
});

describe('times with microseconds', () => {
  it('keep six decimals', () => {
    expect(formatMicroTime(parseMicroTime('2024-01-02T03:04:05.000012+01:00'))).toBe(
      '2024-01-02T02:04:05.000012Z',
    );
  });

  it.each([
    ['2024-01-02T03:04:05Z', 'Z', '.000000'],
    ['2024-01-02T03:04:05.1Z', '.1Z', '.000000'],
    ['2024-01-02T03:04:05.1234567Z', '7Z', 'Z07:00'],
  ])('%s does not have six', (text, rest, element) => {
    expect(() => parseMicroTime(text)).toThrow(
      `parsing time "${text}" as "${MICRO_LAYOUT}": cannot parse "${rest}" as "${element}"`,
    );
  });
});

describe('times as servers write them', () => {
  it.each([
    '2023-02-29T00:00:00Z',
    '2024-00-01T00:00:00Z',
    '2024-13-01T00:00:00Z',
    '2024-01-00T00:00:00Z',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:60:00Z',
    '2024-01-01T00:00:60Z',
    '2024-01-01 00:00:00Z',
    '2024-01-01T00:00:0xZ',
    '2024-01-01T00:00:00z',
  ])('and %s is none', (text) => {
    expect(() => parseTime(text)).toThrow('parsing time');
    expect(() => parseMicroTime(text.replace(/.$/, '.000000$&'))).toThrow('parsing time');
  });
});

describe('durations', () => {
  it.each([
    ['1h', '1h0m0s'],
    ['90m1.5s', '1h30m1.5s'],
    ['-1.5s', '-1.5s'],
    ['100ms', '100ms'],
    ['1us', '1µs'],
    ['7ns', '7ns'],
    ['0', '0s'],
  ])('%s is %s', (text, canonical) => {
    expect(formatDuration(parseDuration(text))).toBe(canonical);
  });

  it.each([
    ['', 'time: invalid duration ""'],
    ['1', 'time: missing unit in duration "1"'],
    ['1x', 'time: unknown unit "x" in duration "1x"'],
    ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
  ])('%j is refused', (text, message) => {
    expect(() => parseDuration(text)).toThrow(message);
  });
});
