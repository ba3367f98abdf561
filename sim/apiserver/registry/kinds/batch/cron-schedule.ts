/** Schedules of five fields, or a word such as `@daily`: what they may look like. */

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];

const WORDS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

/** What is wrong with the schedule, as the server's parser says it; undefined: nothing. */
export function scheduleFinding(schedule: string): string | undefined {
  if (schedule.startsWith('@')) {
    if (WORDS.includes(schedule)) return undefined;
    if (/^@every ([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+$/.test(schedule)) return undefined;
    return `unrecognized descriptor: ${schedule}`;
  }
  const parts = schedule.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== FIELDS.length) {
    return `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`;
  }
  for (const [at, bounds] of FIELDS.entries()) {
    for (const range of (parts[at] ?? '').split(',')) {
      const finding = rangeFindingOf(range, bounds);
      if (finding) return finding;
    }
  }
  return undefined;
}

function rangeFindingOf(text: string, bounds: Bounds): string | undefined {
  const [range = '', step, ...tooMany] = text.split('/');
  const [low = '', high, ...more] = range.split('-');
  if (more.length > 0) return `too many hyphens: ${text}`;
  if (tooMany.length > 0) return `too many slashes: ${text}`;
  const isAny = low === '*' || low === '?';
  const start = isAny ? bounds.min : numberOf(low, bounds);
  if (typeof start === 'string') return start;
  const end =
    isAny || (step !== undefined && high === undefined) ? bounds.max : numberOf(high ?? low, bounds);
  if (typeof end === 'string') return end;
  const size = step === undefined ? 1 : numberOf(step, { min: 0, max: 0 });
  if (typeof size === 'string') return size;
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${text}`;
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return size === 0 ? `step of range should be a positive number: ${text}` : undefined;
}

function numberOf(text: string, { min, names }: Bounds): number | string {
  const at = names?.indexOf(text.toLowerCase()) ?? -1;
  if (at >= 0) return at + min;
  if (/^\+?[0-9]+$/.test(text)) return Number(text);
  if (/^-[0-9]+$/.test(text)) return `negative number (${text}) not allowed: ${text}`;
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
}
