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

/** What the JSON stands for. */
export interface ReadFields {
  readonly set: FieldSet;
  /** The server would write the same, but for the order of members. */
  readonly isCanonical: boolean;
}

/** Undefined: the JSON stands for no set. Elements of unknown kinds are passed over, whatever they hold. */
export const readFieldsV1 = (fields: Json | undefined): ReadFields | undefined => {
  if (fields === undefined || fields === null) return NOTHING;
  if (!isMap(fields)) return undefined;
  const known = decoded.get(fields);
  if (known) return known;
  const read = decode(fields);
  if (read === undefined) return undefined;
  // The root is no path: nobody owns it.
  const whole = read.set.isMember ? { set: FieldSet.of(false, read.set.children), isCanonical: false } : read;
  if (Object.isFrozen(fields)) decoded.set(fields, whole);
  return whole;
};

export const fieldSetOfFieldsV1 = (fields: Json | undefined): FieldSet | undefined =>
  readFieldsV1(fields)?.set;

const NOTHING: ReadFields = { set: FieldSet.EMPTY, isCanonical: true };

/** Of frozen objects, which many entries share. */
const decoded = new WeakMap<JsonObject, ReadFields>();

const isMap = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isHollow = (value: Json | undefined): boolean => isMap(value) && Object.keys(value).length === 0;

const decode = (fields: Json | undefined): ReadFields | undefined => {
  if (fields === null) return { set: FieldSet.EMPTY, isCanonical: false };
  if (!isMap(fields)) return undefined;
  const children = new Map<PathElement, FieldSet>();
  let isMember = false;
  let isCanonical = true;
  for (const name of Object.keys(fields)) {
    if (name === '.') {
      isMember = true;
      isCanonical &&= isHollow(fields[name]);
      continue;
    }
    const step = readElement(name);
    if (step.kind === 'broken') return undefined;
    const read = step.kind === 'unknown' ? undefined : decode(fields[name]);
    if (step.kind === 'element') {
      if (read === undefined) return undefined;
      // Nothing below a path means the path itself.
      children.set(step.element, read.set.isEmpty ? FieldSet.LEAF : read.set);
      isCanonical &&= step.element === name;
    }
    isCanonical &&= read?.isCanonical === true;
  }
  // Only where more lies below a path is it named beside it.
  return {
    set: FieldSet.of(isMember, children),
    isCanonical: isCanonical && !(isMember && children.size === 0),
  };
};
