/**
 * Strategic merge patch: a merge patch that knows from the type which lists are merged element by element, and
 * takes directives (`$patch`, `$retainKeys`, `$setElementOrder/…`, `$deleteFromPrimitiveList/…`).
 * Built-in kinds only. Specification: "Patches".
 */

import type { Json, JsonObject } from '../object.ts';
import type { ListSchema, OpaqueName, Schema, StructSchema } from '../schema.ts';
import { badRequest, plainError } from '../status.ts';
import { goPlain } from '../go-text.ts';
import { invalidPatchResult, patchText, unprocessablePatch } from './patch-error.ts';
import type { MutableJson, MutableMap } from './strategic-list-merge.ts';
import {
  checkOrderDirective,
  deleteScalars,
  goTypeOf,
  isMap,
  isOrderedAs,
  mergeInPlace,
  mergeScalars,
  mergeWithoutOrder,
  orderMerged,
  PATCH_DIRECTIVE,
  splitSpecialElements,
} from './strategic-list-merge.ts';
import { misfitOf } from './unstructured-check.ts';

const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM = '$deleteFromPrimitiveList/';
const ELEMENT_ORDER = '$setElementOrder/';
/** What begins so is meant as a directive. */
const WITHOUT_SLASH = { deleteFrom: DELETE_FROM.slice(0, -1), elementOrder: ELEMENT_ORDER.slice(0, -1) };

export interface StrategicResult {
  readonly patched: JsonObject;
  /** The merge uses up parts of the patch; messages show what is left of it. */
  readonly left: JsonObject;
}

/**
 * The patched object, of the right types but not yet canonical: whoever called decodes, defaults and validates it.
 * `document` is the whole object in the version of the request and is not changed.
 * Throws ApiError: 400 or 500 for a patch that makes no sense, 422 if the result does not fit the type.
 */
export const applyStrategicMergePatch = (
  schema: StructSchema,
  document: JsonObject,
  patch: JsonObject,
): StrategicResult => {
  const left = mutableMapOf(patch);
  const patched = mergeMap(document, left, schema);
  const misfit = misfitOf(schema, patched, document);
  if (misfit !== undefined) throw invalidPatchResult(patchText(left), misfit);
  return { patched, left };
};

const mutable = (value: Json): MutableJson => {
  if (Array.isArray(value)) return value.map(mutable);
  return isMap(value) ? mutableMapOf(value) : value;
};

const mutableMapOf = (map: JsonObject): MutableMap => {
  const copy = emptyMap();
  for (const name of Object.keys(map)) {
    const value = map[name];
    if (value !== undefined) copy[name] = mutable(value);
  }
  return copy;
};

/** A map that takes any member's name, `__proto__` too. */
const emptyMap = (): MutableMap => Object.create(null) as MutableMap;

/** `original` with `patch` merged in; shares what is unchanged. */
const mergeMap = (original: JsonObject | undefined, patch: MutableMap, schema: Schema): JsonObject => {
  const directive = patch[PATCH_DIRECTIVE];
  if (directive !== undefined) return applyMapDirective(directive, patch);
  const merged: MutableMap = Object.assign(emptyMap(), original);
  retainKeys(merged, patch);
  mergeOrderedLists(merged, patch, schema);
  for (const name of Object.keys(patch)) mergeMember(merged, name, patch[name], schema);
  return merged;
};

const applyMapDirective = (directive: Json, patch: MutableMap): JsonObject => {
  if (directive === 'delete') return {};
  if (directive !== 'replace') throw unknownDirective(directive, patch);
  delete patch[PATCH_DIRECTIVE];
  return patch;
};

export const unknownDirective = (directive: Json, map: JsonObject): Error =>
  plainError(`unknown patch type: ${goAsText(directive)} in map: ${goPlain(map)}`);

/** `%s` of a value that may be no text. */
const goAsText = (value: Json): string => {
  if (typeof value === 'string') return value;
  if (value === null) return '%!s(<nil>)';
  if (typeof value === 'boolean') return `%!s(bool=${String(value)})`;
  if (typeof value === 'number')
    return `%!s(${Number.isInteger(value) ? 'int64' : 'float64'}=${goPlain(value)})`;
  return goPlain(value);
};

const retainKeys = (merged: MutableMap, patch: MutableMap): void => {
  const listed = patch[RETAIN_KEYS];
  if (listed === undefined) return;
  delete patch[RETAIN_KEYS];
  const retained = new Set(Array.isArray(listed) ? listed : undefined);
  const isMissing = (name: string): boolean =>
    patch[name] !== null &&
    !name.startsWith(DELETE_FROM) &&
    !name.startsWith(ELEMENT_ORDER) &&
    !retained.has(name);
  if (!Array.isArray(listed) || Object.keys(patch).some(isMissing))
    throw badRequest('invalid patch format of retainKeys');
  for (const name of Object.keys(merged)) if (!retained.has(name)) delete merged[name];
};

/** Lists with a `$setElementOrder` directive: contents and order at once. */
const mergeOrderedLists = (merged: MutableMap, patch: MutableMap, schema: Schema): void => {
  for (const directive of Object.keys(patch)) {
    if (!directive.startsWith(ELEMENT_ORDER)) {
      if (directive.startsWith(WITHOUT_SLASH.elementOrder))
        throw badRequest('invalid patch format of setElementOrder list');
      continue;
    }
    const order = listArgument(patch[directive]);
    delete patch[directive];
    const name = directive.slice(ELEMENT_ORDER.length);
    const original = merged[name] === undefined ? undefined : listArgument(merged[name]);
    const changes = patch[name] === undefined ? undefined : listArgument(patch[name]);
    const list = listFieldOf(schema, name);
    checkOrderDirective(changes ?? [], order, list.patchMergeKey);
    const contents =
      original && changes ? mergeList(original, changes, list) : (original ?? withoutDirectives(changes));
    delete patch[name];
    if (contents === undefined) continue;
    const elements = contents as readonly Json[];
    const orders = { order, original: original ?? [] };
    merged[name] = isOrderedAs(elements, orders, list.patchMergeKey)
      ? elements
      : orderMerged(elements, order, orders.original, list.patchMergeKey);
  }
};

const listArgument = (value: Json | undefined): readonly Json[] => {
  if (Array.isArray(value)) return value as readonly Json[];
  throw plainError(`expected a []interface {}, but received a ${goTypeOf(value)}`);
};

const mergeMember = (merged: MutableMap, member: string, value: Json | undefined, schema: Schema): void => {
  const isDeletion = member.startsWith(DELETE_FROM);
  if (!isDeletion && member.startsWith(WITHOUT_SLASH.deleteFrom))
    throw badRequest('invalid patch format of primitive list');
  const name = isDeletion ? member.slice(DELETE_FROM.length) : member;
  if (value === null || value === undefined) {
    delete merged[name];
    return;
  }
  const original = merged[name];
  if (original === undefined || goTypeOf(original) !== goTypeOf(value)) {
    if (!isDeletion) takeAsItIs(merged, name, value);
  } else if (Array.isArray(value)) {
    const list = listFieldOf(schema, name);
    const items = original as readonly Json[];
    const changes = value as readonly Json[];
    merged[name] = isDeletion || isMerged(list) ? mergeLists(items, changes, list, isDeletion) : changes;
  } else if (isMap(value)) {
    const { schema: ofField, patchStrategy } = structFieldOf(schema, name);
    merged[name] =
      patchStrategy === 'replace' ? value : mergeMap(original as JsonObject, value as MutableMap, ofField);
  } else merged[name] = value;
};

/**
 * What the object does not have yet comes without nulls and without parts that carry a `$patch` directive. Maps lose
 * them where they stand, so that messages show the patch without them too; of a list there is a shorter copy.
 */
const takeAsItIs = (merged: MutableMap, name: string, value: Json): void => {
  dropNulls(value);
  const kept = withoutDirectives(value);
  if (kept === undefined) delete merged[name];
  else merged[name] = kept;
};

const dropNulls = (value: Json | undefined): void => {
  if (Array.isArray(value)) for (const item of value as readonly Json[]) dropNulls(item);
  if (value === undefined || !isMap(value)) return;
  for (const name of Object.keys(value)) {
    if (value[name] === null) Reflect.deleteProperty(value, name);
    else dropNulls(value[name]);
  }
};

const withoutDirectives = (value: Json | undefined): Json | undefined => {
  if (Array.isArray(value)) {
    return value.map((item: Json) => withoutDirectives(item)).filter((item) => item !== undefined);
  }
  if (value === undefined || !isMap(value)) return value;
  if (value[PATCH_DIRECTIVE] !== undefined) return undefined;
  for (const name of Object.keys(value)) {
    const member = withoutDirectives(value[name]);
    if (member === undefined) Reflect.deleteProperty(value, name);
    else Reflect.set(value, name, member);
  }
  return value;
};

interface PatchedField {
  readonly schema: Schema;
  readonly patchStrategy?: string | undefined;
}

const structFieldOf = (schema: Schema, name: string): PatchedField => {
  if (schema.kind === 'opaque') throw noField(GO_NAMES[schema.opaque], name);
  if (schema.kind !== 'struct') throw noStruct(schema);
  const field = schema.fieldsByName.get(name);
  if (field === undefined) throw noField(schema.goName, name);
  return field;
};

/** Structs of Go whose contents no field describes. */
const GO_NAMES: Readonly<Record<OpaqueName, string>> = {
  rawExtension: 'RawExtension',
  fieldsV1: 'FieldsV1',
  json: 'JSON',
  any: 'Unknown',
};

const noField = (goName: string, name: string): Error =>
  plainError(`unable to find api field in struct ${goName} for the json field "${name}"`);

const listFieldOf = (schema: Schema, name: string): ListSchema => {
  const { schema: ofField } = structFieldOf(schema, name);
  if (ofField.kind !== 'list')
    throw plainError(`expected slice or array type, but got: ${goKindOf(ofField)}`);
  return ofField;
};

const noStruct = (schema: Schema): Error =>
  plainError(`merging an object in json but data type is not struct, instead is: ${goKindOf(schema)}`);

const goKindOf = (schema: Schema): string => {
  if (schema.kind === 'list') return 'slice';
  return schema.kind === 'scalar' ? 'struct' : schema.kind;
};

const mergeList = (original: readonly Json[], patch: readonly Json[], list: ListSchema): readonly Json[] =>
  isMerged(list) ? mergeLists(original, patch, list, false) : patch;

const isMerged = ({ patchStrategy }: ListSchema): boolean =>
  patchStrategy === 'merge' || patchStrategy === 'merge,retainKeys';

/** A deletion of what is no scalar is a merge like any other, whatever the list's strategy. */
const mergeLists = (
  original: readonly Json[],
  patch: readonly Json[],
  list: ListSchema,
  isDeletion: boolean,
): readonly Json[] => {
  if (original.length === 0 && patch.length === 0) return original;
  const first = original[0] ?? patch[0];
  if (Array.isArray(first)) throw listsOfLists();
  if ([...original, ...patch].some((item) => goTypeOf(item) !== goTypeOf(first ?? null))) {
    throw plainError(`list element types are not identical: [${goPlain(original)} ${goPlain(patch)}]`);
  }
  if (isMap(first ?? null))
    return mergeMapList(original as readonly JsonObject[], patch as readonly MutableMap[], list);
  return isDeletion ? deleteScalars(original, patch) : mergeScalars(original, patch);
};

const listsOfLists = (): Error => unprocessablePatch();

const mergeMapList = (
  original: readonly JsonObject[],
  patch: readonly MutableMap[],
  { patchMergeKey, items }: ListSchema,
): readonly Json[] => {
  if (patchMergeKey === undefined) {
    throw plainError(`cannot merge lists without merge key for ${items.kind}`);
  }
  const inPlace = mergeInPlace(original, patch, patchMergeKey, (element, change) =>
    mergeMap(element, change, items),
  );
  if (inPlace) return inPlace;
  const { kept, changes } = splitSpecialElements(original, patch, patchMergeKey, unknownDirective);
  const merged = mergeWithoutOrder(kept, changes, patchMergeKey, (element, change) =>
    mergeMap(element, change, items),
  );
  return orderMerged(merged, changes, kept, patchMergeKey);
};
