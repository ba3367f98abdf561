/**
 * Decoding drops empty lists, for most of them are stored like none. A few say something else than none,
 * and a draft gets those of its document back: entries of managed fields (forget them all), and what the
 * kind names.
 */
import type { DraftObject, Strategy } from '../registry/strategy.ts';

type Naming = Pick<Strategy, 'tellingEmptyLists'>;

const ENTRIES = [['metadata', 'managedFields']];

/** In a path: every item of a list. */
const EACH = '*';

/** In a path: however deep below. */
const ANYWHERE = '**';

/** At the end of a path: every list below that is empty. An empty map may be one or an object with nothing said. */
export const EVERYTHING = '***';

const pathsOf = ({ tellingEmptyLists }: Naming): readonly (readonly string[])[] =>
  tellingEmptyLists ? [...ENTRIES, ...tellingEmptyLists] : ENTRIES;

export function keepEmptyLists(draft: DraftObject, document: unknown, kind: Naming): void {
  for (const path of pathsOf(kind)) keepAt(draft, document, path);
}

/** The same of a text, which is read again only if it may be such a document. */
export function keepEmptyListsOfText(draft: DraftObject, text: string, kind: Naming): void {
  if (pathsOf(kind).some((path) => mayBeEmptyIn(text, path)))
    keepEmptyLists(draft, JSON.parse(text) as unknown, kind);
}

const WILD: ReadonlySet<string> = new Set([EACH, ANYWHERE, EVERYTHING]);
const ANY_EMPTY = /\[\s*\]/;
const patterns = new Map<string, RegExp>();

function mayBeEmptyIn(text: string, path: readonly string[]): boolean {
  if (!path.every((step) => WILD.has(step) || text.includes(`"${step}"`))) return false;
  const name = path.at(-1) ?? '';
  if (name === EVERYTHING) return ANY_EMPTY.test(text);
  let pattern = patterns.get(name);
  if (!pattern) patterns.set(name, (pattern = new RegExp(`"${name}"\\s*:\\s*(?:\\[\\s*\\]|\\{\\s*\\})`)));
  return pattern.test(text);
}

/** Takes over a list or map of nothing, if one is there and the draft has what it would be in. */
function keepAt(owner: unknown, source: unknown, path: readonly string[], at = 0): void {
  if (typeof owner !== 'object' || owner === null) return;
  const step = path[at] ?? '';
  if (step === EVERYTHING) return keepAll(owner, source);
  if (step === EACH) {
    if (!Array.isArray(owner) || !Array.isArray(source)) return;
    for (let index = 0; index < owner.length; index++) keepAt(owner[index], source[index], path, at + 1);
    return;
  }
  if (step === ANYWHERE) {
    keepAt(owner, source, path, at + 1);
    for (const name of Object.keys(owner)) keepAt(memberOf(owner, name), memberOf(source, name), path, at);
    return;
  }
  const value = memberOf(source, step);
  if (at + 1 < path.length) keepAt(memberOf(owner, step), value, path, at + 1);
  else if (isEmpty(value)) Reflect.set(owner, step, Array.isArray(value) ? [] : {});
}

function keepAll(owner: object, source: unknown): void {
  if (typeof source !== 'object' || source === null) return;
  for (const [name, value] of Object.entries(source)) {
    const present = memberOf(owner, name);
    if (typeof present === 'object' && present !== null) keepAll(present, value);
    else if (present === undefined && Array.isArray(value) && value.length === 0)
      Reflect.set(owner, name, []);
  }
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.length === 0;
  for (const name in value) if (Object.hasOwn(value, name)) return false;
  return true;
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
