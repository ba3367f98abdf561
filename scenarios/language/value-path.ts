/** Paths into JSON values: `metadata.labels["app.kubernetes.io/name"]`, `items[0].spec`. */
import type { Json } from './shape.ts';

/** The parts of a path; undefined when it is malformed. */
export function parsePath(path: string): readonly (string | number)[] | undefined {
  const parts: (string | number)[] = [];
  let rest = path;
  while (rest !== '') {
    const match = /^(?:\.?([^.[\]"]+)|\[([0-9]+)\]|\["([^"]*)"\])/.exec(rest);
    if (!match) return undefined;
    const [taken, name, index, quoted] = match;
    parts.push(index === undefined ? (name ?? quoted ?? '') : Number(index));
    rest = rest.slice(taken.length);
  }
  return parts;
}

/** The value at a path; undefined when there is none. */
export function getPath(value: Json, path: string): Json | undefined {
  let current: Json | undefined = value;
  for (const part of parsePath(path) ?? []) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, part)) return undefined;
    current = (current as { readonly [name: string]: Json })[part];
  }
  return current;
}
