/** How an object of an old version is written in the one that takes its place. */

/** A part of an object that is being rewritten. */
export type Parts = { [name: string]: unknown };

/**
 * Rewrites all but `apiVersion` and `kind`, in place, so that it means what it meant. Returns what nobody can decide
 * but its owner, or what has no place any more, one sentence each.
 */
export type Migration = (object: Parts) => readonly string[];

/** The member as parts to write to; an empty one of its own where there is none. */
export const childOf = (value: unknown): Parts =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Parts) : {};

export const itemsOf = (value: unknown): readonly Parts[] =>
  Array.isArray(value) ? value.map((item: unknown) => childOf(item)) : [];

export const missing = (parts: Parts, name: string): boolean =>
  parts[name] === undefined || parts[name] === null;

/** The member under another name, unless it is not there. */
export function rename(parts: Parts, from: string, to: string): void {
  if (missing(parts, from)) return;
  parts[to] = parts[from];
  delete parts[from];
}

/** A text member as it is; anything else as nothing. */
export const wordOf = (value: unknown): string => (typeof value === 'string' ? value : '');
