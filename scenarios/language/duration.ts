/** Durations as scenarios write them: Go's form, down to the microsecond. */

const UNITS: Readonly<Record<string, number>> = {
  us: 1,
  µs: 1,
  ms: 1_000,
  s: 1_000_000,
  m: 60_000_000,
  h: 3_600_000_000,
};
const FORM = /^([0-9]+(\.[0-9]+)?(us|µs|ms|s|m|h))+$/;

/** For the JSON Schema. */
export const DURATION_PATTERN = FORM.source;

/** Whole microseconds of `1m30s`; undefined when it is not a duration. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!FORM.test(text)) return undefined;
  let total = 0;
  for (const [, amount = '', , unit = ''] of text.matchAll(/([0-9]+(\.[0-9]+)?)(us|µs|ms|s|m|h)/g)) {
    total += Number(amount) * (UNITS[unit] ?? 0);
  }
  return Math.round(total);
}

/** Shortest form with units, such as `1m30s`; for messages. */
export function formatDuration(micros: number): string {
  if (micros === 0) return '0s';
  if (micros < 1_000) return `${micros}us`;
  if (micros < 1_000_000) return `${micros / 1_000}ms`;
  const hours = Math.floor(micros / 3_600_000_000);
  const minutes = Math.floor((micros % 3_600_000_000) / 60_000_000);
  const seconds = (micros % 60_000_000) / 1_000_000;
  return `${hours > 0 ? `${hours}h` : ''}${minutes > 0 ? `${minutes}m` : ''}${seconds > 0 ? `${seconds}s` : ''}`;
}
