/**
 * FieldsV1 of an object that its creator owns: the common case of `compare` with an empty object, written straight
 * into JSON. A test holds the two to one result.
 */

import type { Json, JsonObject } from '../object.ts';
import type { ListSchema, Schema, StructSchema } from '../schema.ts';
import { HeldOnce } from './held-once.ts';
import { NEVER_OWNED_MEMBERS, NEVER_OWNED_METADATA } from './never-owned.ts';
import { elementOfItem, memberElement, sortedElements } from './path-element.ts';
import type { MemberSchema } from './shape.ts';
import { ANY, equalJson, hasElements, hasMembers, isHollow, isList, isMap, memberSchema } from './shape.ts';

type Fields = Record<string, JsonObject>;

const NOTHING_BELOW: JsonObject = Object.freeze({});

const PASSED_OVER: ReadonlySet<string> = new Set(NEVER_OWNED_MEMBERS);
const PASSED_OVER_METADATA: ReadonlySet<string> = new Set(NEVER_OWNED_METADATA);

const NO_NAMES: ReadonlySet<string> = new Set();

const held = new HeldOnce<string | JsonObject, JsonObject>();
/** Of so many members no other object has just the same. */
const MAX_SHARED_MEMBERS = 1_000;

/** The one object with these members: a step is a member's name, then what is below it. */
const shared = (fields: Fields): JsonObject => {
  let step = held.begin();
  for (const name in fields) step = held.step(held.step(step, name), fields[name] ?? NOTHING_BELOW);
  return (step.thing ??= Object.freeze(fields));
};

const sharedUnlessMany = (fields: Fields, count: number): JsonObject =>
  count > MAX_SHARED_MEMBERS ? Object.freeze(fields) : shared(fields);

/** Undefined if nothing is owned. `empty` is an object of the kind with nothing in it. */
export const createdFieldsV1 = (
  schema: StructSchema,
  empty: JsonObject,
  created: JsonObject,
): JsonObject | undefined => {
  const fields: Fields = {};
  let isEmpty = true;
  for (const name of sortedNames(created)) {
    const value = created[name];
    if (value === undefined || PASSED_OVER.has(name)) continue;
    const ofMember = memberSchema(schema, name) ?? ANY;
    const owned =
      name === 'metadata' && isMap(value)
        ? changedMembers(
            ofMember as MemberSchema,
            isMap(empty[name]) ? empty[name] : {},
            value,
            PASSED_OVER_METADATA,
          )
        : changed(ofMember, empty[name], value);
    if (owned === undefined) continue;
    fields[memberElement(name)] = owned;
    isEmpty = false;
  }
  return isEmpty ? undefined : shared(fields);
};

/** Names of members in the order of fieldsV1. */
const sortedNames = (value: JsonObject): readonly string[] => {
  const names = Object.keys(value);
  if (names.length > MAX_INSERTED) return names.sort();
  // For the few members that objects have, this is several times faster than the general way.
  for (let end = 1; end < names.length; end++) {
    const name = names[end] ?? '';
    let at = end;
    for (; at > 0 && (names[at - 1] ?? '') > name; at--) names[at] = names[at - 1] ?? '';
    names[at] = name;
  }
  return names;
};

const MAX_INSERTED = 12;

const changed = (schema: Schema, before: Json | undefined, after: Json): JsonObject | undefined => {
  if (before === undefined) return everything(schema, after);
  if (before === after) return undefined;
  if (typeof after !== 'object' || isHollow(after))
    return equalJson(before, after) ? undefined : NOTHING_BELOW;
  if (hasMembers(schema, after) && isMap(after))
    return changedMembers(schema, isMap(before) ? before : {}, after, NO_NAMES);
  // An empty list has no elements that a new one could share.
  if (hasElements(schema) && isList(after) && isHollow(before)) return elements(schema, after, {});
  return equalJson(before, after) ? undefined : NOTHING_BELOW;
};

const changedMembers = (
  schema: MemberSchema,
  before: JsonObject,
  after: JsonObject,
  passedOver: ReadonlySet<string>,
): JsonObject | undefined => {
  const fields: Fields = {};
  let isEmpty = true;
  for (const name of sortedNames(after)) {
    const value = after[name];
    if (value === undefined || passedOver.has(name)) continue;
    const owned = changed(memberSchema(schema, name) ?? ANY, before[name], value);
    if (owned === undefined) continue;
    fields[memberElement(name)] = owned;
    isEmpty = false;
  }
  return isEmpty ? undefined : shared(fields);
};

/** All paths of a value that is new as a whole. */
const everything = (schema: Schema, value: Json): JsonObject => {
  if (typeof value !== 'object' || isHollow(value)) return NOTHING_BELOW;
  if (hasMembers(schema, value) && isMap(value)) return members(schema, value);
  return hasElements(schema) && isList(value)
    ? elements(schema, value, { '.': NOTHING_BELOW })
    : NOTHING_BELOW;
};

const members = (schema: MemberSchema, value: JsonObject): JsonObject => {
  const fields: Fields = { '.': NOTHING_BELOW };
  const names = sortedNames(value);
  for (const name of names) {
    const member = value[name];
    if (member !== undefined)
      fields[memberElement(name)] = everything(memberSchema(schema, name) ?? ANY, member);
  }
  return sharedUnlessMany(fields, names.length);
};

const elements = (schema: ListSchema, items: readonly Json[], fields: Fields): JsonObject => {
  const named = new Map<string, JsonObject>();
  for (const item of items) {
    const element = elementOfItem(schema, item);
    if (typeof element !== 'string') continue;
    named.set(element, named.has(element) ? NOTHING_BELOW : everything(schema.items, item));
  }
  const names = sortedElements([...named.keys()]);
  for (const name of names) fields[name] = named.get(name) ?? NOTHING_BELOW;
  return sharedUnlessMany(fields, names.length);
};
