/** How a value that somebody gave looks in a message about it. */

const LONGEST = 80;

/** Short, in one line. */
export function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
