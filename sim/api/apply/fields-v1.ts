/** FieldsV1, the JSON of a set of field paths: `{"f:data":{".":{},"f:k":{}}}`; `.` is the path itself where more lies below it. */

import type { Json, JsonObject } from '../object.ts';
import { FieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';
import { readElement } from './path-element.ts';

const NOTHING_BELOW: JsonObject = Object.freeze({});

/** The JSON of a set; the same object whenever the same set is asked for. */
export const fieldsV1Of = (set: FieldSet): JsonObject => (set.encoded ??= encode(set, false));

const encode = (set: FieldSet, hasDot: boolean): JsonObject => {
  if (set.children.size === 0) return NOTHING_BELOW;
  const json: Record<string, JsonObject> = {};
  if (hasDot) json['.'] = NOTHING_BELOW;
  for (const element of set.sortedElements()) {
    const child = set.below(element);
    json[element] = child.encodedAsPart ??= encode(child, child.isMember);
  }
  return json;
};

/** The set that the JSON stands for; undefined if it is none. Elements of unknown kinds are passed over. */
export const fieldSetOfFieldsV1 = (fields: Json | undefined): FieldSet | undefined => {
  if (!isMap(fields)) return fields === undefined || fields === null ? FieldSet.EMPTY : undefined;
  const known = decoded.get(fields);
  if (known) return known;
  const set = decode(fields);
  if (set && Object.isFrozen(fields)) decoded.set(fields, set);
  return set;
};

/** Sets of frozen objects, which many entries share. */
const decoded = new WeakMap<JsonObject, FieldSet>();

const isMap = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const decode = (fields: JsonObject): FieldSet | undefined => {
  const children = new Map<PathElement, FieldSet>();
  let isMember = false;
  for (const name of Object.keys(fields)) {
    if (name === '.') {
      isMember = true;
      continue;
    }
    const read = readElement(name);
    if (read.kind === 'broken') return undefined;
    const below = fields[name];
    if (!isMap(below)) return undefined;
    const child = decode(below);
    if (child === undefined) return undefined;
    // Nothing below a path means the path itself.
    if (read.kind === 'element') children.set(read.element, child.isEmpty ? FieldSet.LEAF : child);
  }
  return FieldSet.of(isMember, children);
};
