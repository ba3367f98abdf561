/**
 * Decoding drops empty lists, for most of them are stored like none. A few say something else than none,
 * and a draft gets those of its document back: entries of managed fields (forget them all), and what the
 * kind names.
 */
import type { DraftObject, Strategy } from '../registry/strategy.ts';

type Naming = Pick<Strategy, 'tellingEmptyLists'>;

const ENTRIES = [['metadata', 'managedFields']];

const pathsOf = ({ tellingEmptyLists }: Naming): readonly (readonly string[])[] =>
  tellingEmptyLists ? [...ENTRIES, ...tellingEmptyLists] : ENTRIES;

export function keepEmptyLists(draft: DraftObject, document: unknown, kind: Naming): void {
  for (const path of pathsOf(kind)) {
    const empty = emptyAt(document, path);
    if (empty) setAt(draft, path, empty);
  }
}

/** The same of a text, which is read again only if it may be such a document. */
export function keepEmptyListsOfText(draft: DraftObject, text: string, kind: Naming): void {
  if (pathsOf(kind).some((path) => mayBeEmptyIn(text, path.at(-1) ?? '')))
    keepEmptyLists(draft, JSON.parse(text) as unknown, kind);
}

const patterns = new Map<string, RegExp>();

function mayBeEmptyIn(text: string, name: string): boolean {
  if (!text.includes(`"${name}"`)) return false;
  let pattern = patterns.get(name);
  if (!pattern) patterns.set(name, (pattern = new RegExp(`"${name}"\\s*:\\s*(?:\\[\\s*\\]|\\{\\s*\\})`)));
  return pattern.test(text);
}

/** A list or map of nothing, if one is there. */
function emptyAt(document: unknown, path: readonly string[]): object | undefined {
  let value = document;
  for (const name of path) value = memberOf(value, name);
  if (typeof value !== 'object' || value === null || Object.keys(value).length > 0) return undefined;
  return Array.isArray(value) ? [] : {};
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;

function setAt(draft: DraftObject, path: readonly string[], value: object): void {
  let owner: object = draft;
  for (const name of path.slice(0, -1)) {
    const next = memberOf(owner, name);
    if (typeof next !== 'object' || next === null) return;
    owner = next;
  }
  Reflect.set(owner, path.at(-1) ?? '', value);
}
