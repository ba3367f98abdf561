/**
 * One step of a field's path, held as the text that fieldsV1 has for it: `f:name` a member, `k:{"name":"a"}` an
 * element of a list by its keys, `v:"x"` a member of a set, `i:0` a place in a list. Equal steps have equal texts.
 */

import { compactJson } from '../codec/encode.ts';
import { compareStrings, goNumberOrBoolean, goQuote } from '../go-text.ts';
import type { Json, JsonObject } from '../object.ts';
import type { FieldSchema, ListSchema } from '../schema.ts';

export type PathElement = string;

/** Clients choose the keys of maps, so that no number of names is the last. */
const MAX_MEMBERS = 16_384;
/** A text that was made anew would have to be hashed anew, wherever it is looked up. */
const members = new Map<string, PathElement>();

export const memberElement = (name: string): PathElement => {
  const known = members.get(name);
  if (known !== undefined) return known;
  if (members.size >= MAX_MEMBERS) members.clear();
  const element = `f:${name}`;
  members.set(name, element);
  return element;
};

interface KeyPart {
  readonly name: string;
  /** `"name":` */
  readonly label: string;
  readonly defaultValue: Json | undefined;
}

const KEY_PARTS = new WeakMap<ListSchema, readonly KeyPart[]>();

/** Keys of an associative list in the order in which elements name them, with the defaults of absent ones. */
const keyPartsOf = (list: ListSchema): readonly KeyPart[] => {
  const known = KEY_PARTS.get(list);
  if (known) return known;
  const fields = list.items.kind === 'struct' ? list.items.fieldsByName : undefined;
  const parts = [...list.listMapKeys].sort(compareStrings).map((name) => ({
    name,
    label: `${JSON.stringify(name)}:`,
    defaultValue: defaultOfKey(fields?.get(name)),
  }));
  KEY_PARTS.set(list, parts);
  return parts;
};

/** A text that is always written is empty where it is left out. */
export const defaultOfKey = (field: FieldSchema | undefined): Json | undefined => {
  if (!field) return undefined;
  const isWritten = !field.omitEmpty && field.schema.kind === 'scalar' && field.schema.scalar === 'string';
  return (field.default ?? (isWritten ? '' : undefined)) as Json | undefined;
};

/** Why an element of a set or associative list has no path. */
export class NoPathElement {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

const isMap = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** How a list of type set or map names an element. */
export const elementOfItem = (list: ListSchema, item: Json | undefined): PathElement | NoPathElement =>
  list.listType === 'map' ? keyedElement(list, item) : setElement(item);

const keyedElement = (list: ListSchema, item: Json | undefined): PathElement | NoPathElement => {
  if (item === null || item === undefined) {
    return new NoPathElement('associative list with keys may not have a null element');
  }
  if (!isMap(item)) return new NoPathElement('associative list with keys may not have non-map elements');
  let text = 'k:{';
  let separator = '';
  for (const { name, label, defaultValue } of keyPartsOf(list)) {
    const given = item[name];
    // Nothing is a key as well, where it is said.
    const value = given === undefined ? defaultValue : given;
    if (value === undefined) {
      return new NoPathElement(
        `associative list with keys has an element that omits key field "${name}" (and doesn't have default value)`,
      );
    }
    // A number of more than 53 bits is a bigint.
    text += `${separator}${label}${typeof value === 'bigint' ? String(value) : JSON.stringify(value)}`;
    separator = ',';
  }
  return `${text}}`;
};

const setElement = (item: Json | undefined): PathElement | NoPathElement => {
  if (item === null || item === undefined) {
    return new NoPathElement("associative list without keys has an element that's an explicit null");
  }
  if (Array.isArray(item)) return new NoPathElement('not supported: associative list with lists as elements');
  if (isMap(item)) return new NoPathElement("associative list without keys has an element that's a map type");
  return `v:${compactJson(item)}`;
};

/** A step read from fieldsV1. */
export type ReadElement =
  | { readonly kind: 'element'; readonly element: PathElement }
  /** Of a later release: passed over with all below it. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'broken' };

const BROKEN: ReadElement = { kind: 'broken' };

/** The step that a member's name of fieldsV1 stands for, in canonical text. */
export const readElement = (text: string): ReadElement => {
  if (text.startsWith('f:')) return { kind: 'element', element: text };
  if (text.length < 2 || text[1] !== ':') return BROKEN;
  const rest = text.slice(2);
  switch (text[0]) {
    case 'k':
    case 'v':
      return readJsonElement(text[0], rest);
    case 'i':
      return /^[+-]?\d{1,15}$/.test(rest) ? { kind: 'element', element: `i:${Number(rest)}` } : BROKEN;
    default:
      return { kind: 'unknown' };
  }
};

const readJsonElement = (prefix: 'k' | 'v', text: string): ReadElement => {
  try {
    const value = JSON.parse(text) as Json;
    if (prefix === 'v') return { kind: 'element', element: `v:${JSON.stringify(value)}` };
    return isMap(value) ? { kind: 'element', element: `k:${sortedText(value)}` } : BROKEN;
  } catch {
    return BROKEN;
  }
};

const sortedText = (keys: JsonObject): string =>
  `{${Object.keys(keys)
    .sort(compareStrings)
    .map((name) => `${JSON.stringify(name)}:${JSON.stringify(keys[name])}`)
    .join(',')}}`;

/** The step as messages show it: `.name`, `[name="a",port=80]`, `[="x"]`, `[0]`. */
export const elementText = (element: PathElement): string => {
  const rest = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${rest}`;
    case 'k': {
      const keys = JSON.parse(rest) as JsonObject;
      const shown = Object.keys(keys)
        .sort(compareStrings)
        .map((name) => `${name}=${valueText(keys[name])}`);
      return `[${shown.join(',')}]`;
    }
    case 'v':
      return `[=${valueText(JSON.parse(rest) as Json)}]`;
    default:
      return `[${rest}]`;
  }
};

export const pathText = (path: readonly PathElement[]): string => path.map(elementText).join('');

const valueText = (value: Json | undefined): string => {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number' || typeof value === 'boolean') return goNumberOrBoolean(value);
  if (!isMap(value)) return `[${value.map(valueText).join(',')}]`;
  return Object.keys(value)
    .map((name) => `${name}=${valueText(value[name])}`)
    .join('');
};

const RANK: Readonly<Record<string, number>> = { f: 0, k: 1, v: 2, i: 3 };

type Keys = readonly (readonly [name: string, value: Json])[];

/** What an element says: the value itself, or the keys by name. */
type Said = { readonly keys: Keys } | { readonly value: Json };

/** Members and places are their own names. */
const NOTHING_SAID: Said = { value: null };

const saysMore = (element: PathElement): boolean => element.startsWith('k') || element.startsWith('v');

const compareSaid = (left: PathElement, right: PathElement, ofLeft: Said, ofRight: Said): number => {
  const kind = left.charAt(0);
  if (kind !== right.charAt(0)) return (RANK[kind] ?? 4) - (RANK[right.charAt(0)] ?? 4);
  if (kind === 'f') return compareStrings(left, right);
  if (kind === 'i') return Number(left.slice(2)) - Number(right.slice(2));
  if ('keys' in ofLeft) return 'keys' in ofRight ? compareKeys(ofLeft.keys, ofRight.keys) : -1;
  return 'keys' in ofRight ? 1 : compareValues(ofLeft.value, ofRight.value);
};

/** Order of steps: members by name, then elements by key, by value, by place. */
const compareElements = (left: PathElement, right: PathElement): number =>
  compareSaid(left, right, saidBy(left), saidBy(right));

const MAX_KEPT = 10_000;
const MANY = 1_000;
const kept = new Map<PathElement, Said>();

/** In their order. Of many elements each is read once, and then forgotten. */
export const sortedElements = (elements: PathElement[]): PathElement[] => {
  if (elements.length < MANY) return elements.sort(compareElements);
  return elements
    .map((element) => ({ element, said: saysMore(element) ? read(element) : NOTHING_SAID }))
    .sort((left, right) => compareSaid(left.element, right.element, left.said, right.said))
    .map(({ element }) => element);
};

/** The same few come again with every object. */
const saidBy = (element: PathElement): Said => {
  if (!saysMore(element)) return NOTHING_SAID;
  const known = kept.get(element);
  if (known !== undefined) return known;
  if (kept.size >= MAX_KEPT) kept.clear();
  const said = read(element);
  kept.set(element, said);
  return said;
};

const read = (element: PathElement): Said => {
  const value = JSON.parse(element.slice(2)) as Json;
  return element.startsWith('k') && isMap(value) ? { keys: keysOf(value) } : { value };
};

const keysOf = (value: JsonObject): Keys =>
  Object.keys(value)
    .sort(compareStrings)
    .map((name) => [name, value[name] ?? null] as const);

const compareKeys = (left: Keys, right: Keys): number => {
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const [a, b] = [left[at], right[at]];
    if (!a || !b) break;
    const order = compareStrings(a[0], b[0]) || compareValues(a[1], b[1]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
};

const TYPE_RANK = ['number', 'string', 'boolean', 'object', 'undefined'];

const compareValues = (left: Json | undefined, right: Json | undefined): number => {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right);
  return TYPE_RANK.indexOf(typeof left) - TYPE_RANK.indexOf(typeof right) || Number(left) - Number(right);
};
