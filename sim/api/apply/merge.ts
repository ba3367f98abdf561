/**
 * Merging an applied configuration into an object, and taking fields out of one. Elements of an associative list
 * take the order of the configuration; those that only the object has keep their place among them.
 */

import { copyMembers } from '../copy-members.ts';
import type { Json, JsonObject } from '../object.ts';
import type { ListSchema, Schema } from '../schema.ts';
import { FieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';
import { elementOfItem, memberElement } from './path-element.ts';
import type { MemberSchema } from './shape.ts';
import {
  ANY,
  equalJson,
  hasElements,
  hasMembers,
  isDeclared,
  isHollow,
  isList,
  isMap,
  memberSchema,
} from './shape.ts';

/** `live` with `applied` merged in. Shares what is unchanged: if nothing changes, `live` itself is returned. */
export const mergeApplied = (schema: Schema, live: Json, applied: Json): Json => {
  if (live === applied) return live;
  const isBothHollow = isHollow(live) && isHollow(applied);
  if (!isBothHollow && hasMembers(schema, live ?? applied) && hasMembers(schema, applied ?? live)) {
    return mergeMembers(schema, live, applied);
  }
  if (!isBothHollow && hasElements(schema)) return mergeElements(schema, live, applied);
  return equalJson(live, applied) ? live : applied;
};

const mergeMembers = (schema: MemberSchema, live: Json, applied: Json): Json => {
  if (!isMap(applied)) return live;
  if (!isMap(live)) return applied;
  let merged: Record<string, Json | undefined> | undefined;
  for (const name of Object.keys(applied)) {
    const change = applied[name];
    if (change === undefined) continue;
    const current = Object.hasOwn(live, name) ? live[name] : undefined;
    const value =
      current === undefined ? change : mergeApplied(memberSchema(schema, name) ?? ANY, current, change);
    if (value === current) continue;
    merged ??= copyMembers(live) as Record<string, Json | undefined>;
    setMember(merged, name, value);
  }
  return merged ?? live;
};

/** Plain assignment, also for a member named `__proto__`. */
const setMember = (target: Record<string, Json | undefined>, name: string, value: Json): void => {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
};

interface NamedItem {
  readonly element: PathElement;
  readonly item: Json;
}

const namedItems = (schema: ListSchema, value: Json): readonly NamedItem[] => {
  if (!isList(value)) return [];
  const named: NamedItem[] = [];
  for (const item of value) {
    const element = elementOfItem(schema, item);
    if (typeof element === 'string') named.push({ element, item });
  }
  return named;
};

/** Elements by name; of a name that several have, none. */
const byName = (items: readonly NamedItem[]): ReadonlyMap<PathElement, Json | undefined> => {
  const map = new Map<PathElement, Json | undefined>();
  for (const { element, item } of items) map.set(element, map.has(element) ? undefined : item);
  return map;
};

const mergeElements = (schema: ListSchema, live: Json, applied: Json): Json => {
  const ours = namedItems(schema, live);
  const theirs = namedItems(schema, applied);
  if (theirs.length === 0) return live;
  const merged = interleave(ours, theirs, schema.items);
  return isList(live) && live.length === merged.length && merged.every((item, at) => item === live[at])
    ? live
    : merged;
};

/**
 * Walks both lists at once. An element of both waits until the walk over the configuration comes to it; elements
 * of the object alone are taken as soon as they are met.
 */
const interleave = (
  ours: readonly NamedItem[],
  theirs: readonly NamedItem[],
  items: Schema,
): readonly Json[] => {
  const ourItems = byName(ours);
  const theirItems = byName(theirs);
  const shared = theirs.filter(({ element }) => ourItems.has(element)).map(({ element }) => element);
  const merged: Json[] = [];
  const taken = new Set<PathElement>();
  let [left, right, nextShared] = [0, 0, 0];
  const take = ({ element, item }: NamedItem): void => {
    const current = ourItems.get(element);
    taken.add(element);
    merged.push(current === undefined ? item : mergeApplied(items, current, item));
    right++;
    if (shared[nextShared] === element) nextShared++;
  };
  while (left < ours.length || right < theirs.length) {
    const our = ours[left];
    const their = theirs[right];
    if (our && their && our.element === their.element) {
      take(their);
      left++;
    } else if (
      our &&
      their &&
      theirItems.has(our.element) &&
      nextShared < shared.length &&
      shared[nextShared] !== our.element
    ) {
      left++;
    } else if (our && !theirItems.has(our.element)) {
      merged.push(our.item);
      left++;
    } else {
      if (our && taken.has(our.element)) left++;
      if (their) take(their);
    }
  }
  return merged;
};

/** `value` without the paths of a set and all below them. A container that loses everything becomes null. */
export const removeFields = (schema: Schema, value: Json, removed: FieldSet): Json => {
  if (removed.children.size === 0) return value;
  if (hasMembers(schema, value))
    return isMap(value) && !isHollow(value) ? removeMembers(schema, value, removed) : null;
  if (hasElements(schema))
    return isList(value) && value.length > 0 ? removeElements(schema, value, removed) : null;
  return value;
};

const removeMembers = (schema: MemberSchema, value: JsonObject, removed: FieldSet): Json => {
  const left: Record<string, Json | undefined> = {};
  let isChanged = false;
  let isEmpty = true;
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    const below = removed.children.get(memberElement(name));
    if (below?.isMember) {
      isChanged = true;
      continue;
    }
    const kept = below ? removeFields(memberSchema(schema, name) ?? ANY, member, below) : member;
    if (kept !== member) isChanged = true;
    setMember(left, name, kept);
    isEmpty = false;
  }
  if (!isChanged) return value;
  return isEmpty ? null : left;
};

const removeElements = (schema: ListSchema, items: readonly Json[], removed: FieldSet): Json => {
  const left: Json[] = [];
  let isChanged = false;
  for (const item of items) {
    const element = elementOfItem(schema, item);
    const below = typeof element === 'string' ? removed.children.get(element) : undefined;
    if (below?.isMember) {
      isChanged = true;
      continue;
    }
    const kept = below ? removeFields(schema.items, item, below) : item;
    if (kept !== item) isChanged = true;
    left.push(kept);
  }
  if (!isChanged) return items;
  return left.length === 0 ? null : left;
};

/** The set with every declared member that it reaches into: removing fields must not leave their empty containers. */
export const withDeclaredMembers = (schema: Schema | undefined, set: FieldSet): FieldSet => {
  if (set.children.size === 0) return set;
  const children = new Map<PathElement, FieldSet>();
  for (const [element, below] of set.children) {
    const name = element.slice(2);
    const isName =
      element.startsWith('f:') && schema !== undefined && schema.kind !== 'list' && schema.kind !== 'scalar';
    const inner = withDeclaredMembers(isName ? memberSchema(schema, name) : itemsOf(schema, element), below);
    const isMember = inner.isMember || (isName && isDeclared(schema, name));
    children.set(element, isMember === inner.isMember ? inner : FieldSet.of(isMember, inner.children));
  }
  return FieldSet.of(set.isMember, children);
};

const itemsOf = (schema: Schema | undefined, element: PathElement): Schema | undefined =>
  schema?.kind === 'list' && element.startsWith('k:') ? schema.items : undefined;
