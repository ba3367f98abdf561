/** Spans of time as Go prints them: `812ms`, `3.544s`, `1m20s`, `5m0s`, `1h0m0s`; whole milliseconds. */
export function durationText(milliseconds: number): string {
  const ms = Math.floor(milliseconds);
  if (ms === 0) return '0s';
  if (ms < 1_000) return `${ms}ms`;
  const rest = ms % 60_000;
  const seconds = `${Math.floor(rest / 1_000)}${fraction(rest % 1_000)}s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes === 0) return seconds;
  if (minutes < 60) return `${minutes}m${seconds}`;
  return `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`;
}

const fraction = (ms: number): string =>
  ms === 0 ? '' : `.${String(ms).padStart(3, '0').replace(/0+$/, '')}`;
