/**
 * JSON merge patch (RFC 7386): members are merged, null removes, anything but an object replaces.
 * Nulls in arrays are values. Specification: "Patches".
 */

import { setMember } from '../codec/json-nodes.ts';
import { copyMembers } from '../copy-members.ts';
import type { Json, JsonObject } from '../object.ts';
import { badRequest } from '../status.ts';
import { jsonTypeWord, undecodablePatch } from './patch-error.ts';
import type { RawValue } from './raw-json.ts';
import { RawNode, writeRaw } from './raw-json.ts';

export const INVALID_PATCH = 'Invalid JSON Patch';

/**
 * The text of the patched document; both texts must be well-formed JSON, the document an object.
 * Throws ApiError (400) if the patch is no object. Where nobody checks it before, a list takes the document's place.
 */
export const applyMergePatchText = (document: string, patch: string, { isChecked = true } = {}): string => {
  const changes = RawNode.of(patch);
  if (changes === null) throw badRequest(INVALID_PATCH);
  if (!changes.object()) {
    if (!isChecked && changes.array()) return writeRaw(withoutNulls(changes));
    if (!isChecked) throw badRequest(INVALID_PATCH);
    const word = jsonTypeWord(JSON.parse(patch) as Json);
    throw undecodablePatch(`json: cannot unmarshal ${word} into Go value of type map[string]interface {}`);
  }
  return writeRaw(merge(RawNode.of(document), changes));
};

/** The same for values of which nothing but the value matters. Unchanged parts are shared with both. */
export const mergeValues = (document: JsonObject, patch: JsonObject): JsonObject => {
  const merged = copyMembers(document) as Record<string, Json | undefined>;
  for (const name of Object.keys(patch)) {
    const change = patch[name] ?? null;
    const present = Object.hasOwn(merged, name) ? merged[name] : undefined;
    if (change === null) delete merged[name];
    else setMember(merged, name, mergedValue(present, change));
  }
  return merged;
};

const mergedValue = (value: Json | undefined, change: Json): Json => {
  if (!isObject(change)) return isObject(value) ? change : withoutNullMembers(change);
  return isObject(value) ? mergeValues(value, change) : withoutNullMembers(change);
};

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Like `withoutNulls`. */
const withoutNullMembers = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(withoutNullMembers);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNullMembers(member ?? null)]));
};

/** Keeps its own stack: the depth is the client's choice. */
const merge = (document: RawValue, patch: RawNode): RawValue => {
  const members = document?.object();
  if (members === undefined) return withoutNulls(patch);
  const pending: { members: Map<string, RawValue>; patch: RawNode }[] = [{ members, patch }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    for (const [name, change] of next.patch.object() ?? []) {
      const present = next.members.get(name)?.object();
      if (change === null) next.members.delete(name);
      else if (present === undefined) next.members.set(name, withoutNulls(change));
      else if (change.object()) pending.push({ members: present, patch: change });
      else next.members.set(name, change);
    }
  }
  return document;
};

/** Something new brings no nulls with it, except as elements of arrays; what takes an object's place is kept as it is. */
const withoutNulls = (value: RawNode): RawNode => {
  const pending: RawNode[] = [value];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const members = next.object();
    if (members) {
      for (const [name, member] of members) {
        if (member === null) members.delete(name);
        else pending.push(member);
      }
    } else for (const item of next.array() ?? []) if (item) pending.push(item);
  }
  return value;
};
