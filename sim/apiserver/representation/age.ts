/** How long ago something was, as kubectl's tables show it: `5s`, `3m20s`, `4h`, `12d`, `2y10d`. */
import { parseTime } from '../../api/time-format.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

export function ageOf(timestamp: string | null | undefined, nowMs: number): string {
  if (!timestamp) return '<unknown>';
  return humanDuration(nowMs - parseTime(timestamp).epochSeconds * SECOND);
}

export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / SECOND);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(ms / MINUTE);
  if (minutes < 10) return withRest(minutes, 'm', Math.floor(ms / SECOND) % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(ms / HOUR);
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(ms / DAY);
  if (hours < 192) return withRest(days, 'd', hours % 24, 'h');
  if (ms < 2 * YEAR) return `${days}d`;
  const years = Math.floor(ms / YEAR);
  if (ms < 8 * YEAR) return withRest(years, 'y', days % 365, 'd');
  return `${years}y`;
}

const withRest = (whole: number, unit: string, rest: number, restUnit: string): string =>
  rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${restUnit}`;
