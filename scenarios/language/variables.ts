/**
 * `${name}` and `${name.path[0]}` in the texts of a scenario; `${text(name)}` is text whatever the value. `$${` stands for
 * a plain `${`.
 */
import { getPath } from './value-path.ts';
import type { Json } from './shape.ts';

export type Variables = ReadonlyMap<string, Json>;

/** Variables that every scenario has: the run's seed, and the virtual time as RFC 3339 text. */
export const BUILT_IN_VARIABLES = ['seed', 'now'] as const;

const REFERENCE = /\$?\$\{([^}]*)\}/g;

/** Something in a step that cannot be worked out: the author's mistake, found while the scenario runs. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
}

/** Names that a text refers to, and where in the text. */
export function referencesIn(
  text: string,
): { readonly name: string; readonly index: number; readonly length: number }[] {
  return [...text.matchAll(REFERENCE)]
    .filter(([whole]) => !whole.startsWith('$$'))
    .map((match) => ({ name: rootOf(match[1] ?? ''), index: match.index, length: match[0].length }));
}

/** The value with its variables replaced. A text that is nothing but one variable becomes that variable's value. */
export function fill<T>(value: T, variables: Variables): T {
  return filled(value, variables) as T;
}

function filled(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') return value.includes('${') ? fillText(value, variables) : value;
  if (Array.isArray(value)) return value.map((item: unknown) => filled(item, variables));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [fillKey(name, variables), filled(member, variables)]),
    );
  }
  return value;
}

function fillKey(name: string, variables: Variables): string {
  return name.includes('${') ? asText(fillText(name, variables)) : name;
}

function fillText(text: string, variables: Variables): Json {
  const whole = /^\$\{([^}]*)\}$/.exec(text);
  if (whole) return lookUp(whole[1] ?? '', variables);
  return text.replace(REFERENCE, (match, path: string) =>
    match.startsWith('$$') ? match.slice(1) : asText(lookUp(path, variables)),
  );
}

/** `${text(j)}`: a number as text. */
const TEXT_OF = /^text\(([^)]*)\)$/;

const asText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

function lookUp(path: string, variables: Variables): Json {
  const inner = TEXT_OF.exec(path.trim())?.[1];
  return inner === undefined ? valueAt(path, variables) : asText(valueAt(inner, variables));
}

function valueAt(path: string, variables: Variables): Json {
  const root = rootOf(path);
  const value = variables.get(root);
  if (value === undefined) throw new ScenarioError(`variable \`${root}\` has no value here`);
  const member = getPath(value, path.slice(root.length));
  if (member === undefined) throw new ScenarioError(`variable \`${root}\` has no \`${path}\``);
  return member;
}

const rootOf = (path: string): string =>
  /^[^.[]*/.exec((TEXT_OF.exec(path.trim())?.[1] ?? path).trim())?.[0] ?? '';
