/**
 * Lists under a strategic merge patch: which elements a patch touches, what becomes of them, and the order of
 * the result. Elements are told apart by the list's merge key, scalars by their value.
 */

import { goPlain } from '../go-text.ts';
import type { Json, JsonObject } from '../object.ts';
import { plainError } from '../status.ts';

/** JSON that the merge owns and may change. */
export type MutableJson = Json;
export interface MutableMap {
  [member: string]: Json;
}

export const PATCH_DIRECTIVE = '$patch';

export const isMap = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What Go calls the type of a value that was read from JSON. */
export const goTypeOf = (value: Json | undefined): string => {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (Array.isArray(value)) return '[]interface {}';
  return value === null || value === undefined ? '%!s(<nil>)' : 'map[string]interface {}';
};

const noMergeKey = (element: Json, mergeKey: string): Error =>
  plainError(`map: ${goPlain(element)} does not contain declared merge key: ${mergeKey}`);

const keyOf = (element: Json, mergeKey: string): Json => {
  const key = mapArgument(element)[mergeKey];
  if (key === undefined) throw noMergeKey(element, mergeKey);
  return key;
};

/** What stands for an element: itself, or the value of its merge key. */
const identityOf = (element: Json, mergeKey: string | undefined): Json =>
  mergeKey === undefined ? element : keyOf(element, mergeKey);

/** Positions of the first element of each identity; elements without the key are passed over. */
const positionsIn = (list: readonly Json[], mergeKey: string | undefined): Map<Json, number> => {
  const positions = new Map<Json, number>();
  for (const [index, element] of list.entries()) {
    const identity = mergeKey === undefined ? element : isMap(element) ? element[mergeKey] : undefined;
    if (identity !== undefined && !positions.has(identity)) positions.set(identity, index);
  }
  return positions;
};

export const mergeScalars = (original: readonly Json[], patch: readonly Json[]): readonly Json[] =>
  orderMerged([...new Set([...original, ...patch])], patch, original, undefined);

export const deleteScalars = (original: readonly Json[], deleted: readonly Json[]): readonly Json[] => {
  const gone = new Set(deleted);
  return original.filter((item) => !gone.has(item));
};

export interface SplitPatch {
  /** Elements that are there before the changes: less those deleted; or the patch's own, if the list is replaced. */
  readonly kept: readonly JsonObject[];
  readonly changes: readonly MutableMap[];
}

/** Carries out elements with `$patch`: delete removes an element, replace makes the patch's other elements the list. */
export const splitSpecialElements = (
  original: readonly JsonObject[],
  patch: readonly MutableMap[],
  mergeKey: string,
  unknownDirective: (directive: Json, element: JsonObject) => Error,
): SplitPatch => {
  const changes: MutableMap[] = [];
  const deleted = new Set<Json>();
  let isReplaced = false;
  for (const element of patch) {
    const directive = element[PATCH_DIRECTIVE];
    if (directive === undefined) changes.push(element);
    else if (directive === 'delete') deleted.add(keyOf(element, mergeKey));
    else if (directive === 'replace') isReplaced = true;
    else if (directive === 'merge') throw plainError('merging lists cannot yet be specified in the patch');
    else throw unknownDirective(directive, element);
  }
  const kept = deleted.size === 0 ? original : original.filter((one) => !deleted.has(keyOf(one, mergeKey)));
  return isReplaced ? { kept: changes, changes: [] } : { kept, changes };
};

/** Of longer lists it is not worth while to look for the usual case. */
const MOST_IN_PLACE = 32;

/** The key of an element of the usual kind: a text that no other element of the list has. */
const plainKeyOf = (element: Json | undefined, mergeKey: string): string | undefined => {
  const key = element !== undefined && isMap(element) ? element[mergeKey] : undefined;
  return typeof key === 'string' ? key : undefined;
};

/** Keys of a short list of the usual kind; undefined: it is another. */
const plainKeysOf = (list: readonly Json[], mergeKey: string): readonly string[] | undefined => {
  if (list.length > MOST_IN_PLACE) return undefined;
  const keys: string[] = [];
  for (let index = 0; index < list.length; index++) {
    const key = plainKeyOf(list[index], mergeKey);
    if (key === undefined || keys.includes(key)) return undefined;
    keys.push(key);
  }
  return keys;
};

/**
 * The usual patch changes elements that are there, in their order, by no directive: then every element stays where it
 * stands, and the rest of this file comes to the same. Undefined: it is another patch.
 */
export const mergeInPlace = (
  original: readonly JsonObject[],
  patch: readonly MutableMap[],
  mergeKey: string,
  mergeElement: (element: JsonObject, change: MutableMap) => JsonObject,
): readonly JsonObject[] | undefined => {
  const keys = plainKeysOf(original, mergeKey);
  const changed = keys && plainKeysOf(patch, mergeKey);
  if (!changed || !areInOrder(changed, keys)) return undefined;
  for (let index = 0; index < patch.length; index++)
    if (patch[index]?.[PATCH_DIRECTIVE] !== undefined) return undefined;
  const merged = [...original];
  for (let index = 0; index < patch.length; index++) {
    const at = keys.indexOf(changed[index] ?? '');
    const [element, change] = [original[at], patch[index]];
    if (element && change) merged[at] = mergeElement(element, change);
  }
  return merged;
};

/** Whether all of them are among the others, one after the other. */
const areInOrder = (some: readonly string[], all: readonly string[]): boolean => {
  let at = 0;
  for (let index = 0; index < some.length; index++) {
    at = all.indexOf(some[index] ?? '', at) + 1;
    if (at === 0) return false;
  }
  return true;
};

/** Whether a list has just the elements that `order` names, in its order, all of the usual kind, as what was there before. */
export const isOrderedAs = (
  list: readonly Json[],
  { order, original }: { readonly order: readonly Json[]; readonly original: readonly Json[] },
  mergeKey: string | undefined,
): boolean => {
  if (mergeKey === undefined || list.length !== order.length) return false;
  const keys = plainKeysOf(list, mergeKey);
  if (!keys || !plainKeysOf(original, mergeKey)) return false;
  for (let index = 0; index < order.length; index++)
    if (plainKeyOf(order[index], mergeKey) !== keys[index]) return false;
  return true;
};

/** Elements merged where they stand; new ones at the end. */
export const mergeWithoutOrder = (
  kept: readonly JsonObject[],
  changes: readonly MutableMap[],
  mergeKey: string,
  mergeElement: (element: JsonObject, change: MutableMap) => JsonObject,
): readonly JsonObject[] => {
  const merged = [...kept];
  const positions = positionsIn(merged, mergeKey);
  for (const change of changes) {
    const key = keyOf(change, mergeKey);
    const at = positions.get(key);
    const element = at === undefined ? undefined : merged[at];
    if (at === undefined || element === undefined) positions.set(key, merged.push(change) - 1);
    else merged[at] = mergeElement(element, change);
  }
  return merged;
};

/**
 * Elements that `order` names, in its order; between them the others, in the order of `original`, each kept
 * before those that it stood before there. New elements therefore come to the front.
 */
export const orderMerged = (
  merged: readonly Json[],
  order: readonly Json[],
  original: readonly Json[],
  mergeKey: string | undefined,
): readonly Json[] => {
  if (mergeKey !== undefined) checkFound(merged, order, mergeKey);
  const places = positionsIn(order, mergeKey);
  const isNamed = (element: Json): boolean => places.has(identityOf(element, mergeKey));
  const named = sortAs(merged.filter(isNamed), order, mergeKey);
  const others = sortAs(
    merged.filter((element) => !isNamed(element)),
    original,
    mergeKey,
  );
  return interleave(others, named, original, mergeKey);
};

/** The server's insertion sort: an element that `order` does not have moves before any that precedes it. */
const sortAs = (
  list: readonly Json[],
  order: readonly Json[],
  mergeKey: string | undefined,
): readonly Json[] => {
  if (mergeKey !== undefined) for (const element of order) keyOf(element, mergeKey);
  const places = positionsIn(order, mergeKey);
  const ranked = list.map((element) => ({
    element,
    rank: places.get(identityOf(element, mergeKey)) ?? -1,
  }));
  if (ranked.every(({ rank }) => rank >= 0))
    return ranked.sort((a, b) => a.rank - b.rank).map(({ element }) => element);
  for (let next = 1; next < ranked.length; next++) {
    for (let at = next; at > 0; at--) {
      const before = ranked[at - 1];
      const current = ranked[at];
      if (!before || !current) break;
      const isLess = before.rank < 0 || current.rank < 0 || current.rank < before.rank;
      if (!isLess) break;
      ranked[at - 1] = current;
      ranked[at] = before;
    }
  }
  return ranked.map(({ element }) => element);
};

const interleave = (
  others: readonly Json[],
  named: readonly Json[],
  original: readonly Json[],
  mergeKey: string | undefined,
): readonly Json[] => {
  const places = positionsIn(original, mergeKey);
  const rank = (element: Json): number => places.get(identityOf(element, mergeKey)) ?? -1;
  const result: Json[] = [];
  let nextOther = 0;
  for (const element of named) {
    const at = rank(element);
    for (let other = others[nextOther]; other !== undefined && at >= 0; other = others[nextOther]) {
      const otherAt = rank(other);
      if (otherAt < 0 || otherAt >= at) break;
      result.push(other);
      nextOther++;
    }
    result.push(element);
  }
  return [...result, ...others.slice(nextOther)];
};

/**
 * The elements of a patch must appear in its order directive, in the same order. Those with a directive need not, and are
 * passed over as long as there is something left of the order; deletions by a merge key do not count at all.
 */
export const checkOrderDirective = (
  patch: readonly Json[],
  order: readonly Json[],
  mergeKey: string | undefined,
): void => {
  if (patch.length === 0 || order.length === 0) return;
  const checked = mergeKey === undefined ? patch : patch.filter((one) => directiveOf(one) !== 'delete');
  let matched = 0;
  for (const element of order) {
    while (directiveOf(checked[matched]) !== undefined) matched++;
    const next = checked[matched];
    if (next === undefined) return;
    if (identityOf(next, mergeKey) === identityOf(element, mergeKey)) matched++;
  }
  if (matched >= checked.length) return;
  throw plainError(
    `The order in patch list:\n${goPlain(patch)}\n doesn't match $setElementOrder list:\n${goPlain(order)}\n`,
  );
};

const directiveOf = (element: Json | undefined): Json | undefined =>
  element !== undefined && isMap(element) ? element[PATCH_DIRECTIVE] : undefined;

const mapArgument = (value: Json): JsonObject => {
  if (isMap(value)) return value;
  throw plainError(`expected a map[string]interface {}, but received a ${goTypeOf(value)}`);
};

/** A search for an element stops where it is found, and fails at what is no map before that. */
const checkFound = (elements: readonly Json[], order: readonly Json[], mergeKey: string): void => {
  const odd = order.findIndex((element) => !isMap(element));
  if (odd < 0) return;
  const before = new Set(
    order.slice(0, odd).map((element) => (isMap(element) ? element[mergeKey] : undefined)),
  );
  if (elements.some((element) => !before.has(keyOf(element, mergeKey))))
    throw plainError(`value for key ${odd} is not a map`);
};
