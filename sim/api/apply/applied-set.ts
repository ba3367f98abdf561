/**
 * The fields that an applied configuration claims, and whether it fits the schema at all. Members that the schema
 * declares are claimed by what is in them; keys of maps, elements of lists and empty values by themselves.
 */

import { withSortedMembers } from '../codec/rewritten.ts';
import { goPlain, goUntyped } from '../go-text.ts';
import type { Json, JsonObject } from '../object.ts';
import type { ListSchema, ScalarName, Schema } from '../schema.ts';
import { FieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';
import { elementOfItem, elementText, memberElement, pathText } from './path-element.ts';
import type { MemberSchema } from './shape.ts';
import { ANY, hasElements, hasMembers, isDeclared, isHollow, isList, isMap, memberSchema } from './shape.ts';

/** Paths claimed by a value that fits its schema. */
export const appliedSetOf = (schema: Schema, value: Json): FieldSet => {
  if (hasMembers(schema, value)) return isMap(value) ? setOfMembers(schema, value) : FieldSet.EMPTY;
  if (hasElements(schema)) return isList(value) ? setOfElements(schema, value) : FieldSet.EMPTY;
  return FieldSet.LEAF;
};

const setOfMembers = (schema: MemberSchema, value: JsonObject): FieldSet => {
  const children = new Map<PathElement, FieldSet>();
  for (const name in value) {
    const member = value[name];
    if (member === undefined) continue;
    const below = appliedSetOf(memberSchema(schema, name) ?? ANY, member);
    const isMember = member === null || (isMap(member) && isHollow(member)) || !isDeclared(schema, name);
    const set = isMember ? withSelf(below) : below;
    if (!set.isEmpty) children.set(memberElement(name), set);
  }
  return FieldSet.of(false, children);
};

const setOfElements = (schema: ListSchema, items: readonly Json[]): FieldSet => {
  const children = new Map<PathElement, FieldSet>();
  for (const item of items) {
    const element = elementOfItem(schema, item);
    if (typeof element !== 'string') continue;
    const set = withSelf(appliedSetOf(schema.items, item));
    children.set(element, children.get(element)?.union(set) ?? set);
  }
  return FieldSet.of(false, children);
};

const withSelf = (set: FieldSet): FieldSet => (set.isMember ? set : FieldSet.of(true, set.children));

/** What keeps a value from being of a type, as the server lists it: `.spec.replicas: expected numeric …`. */
export const schemaErrorsOf = (schema: Schema, value: Json): readonly string[] => {
  const errors: string[] = [];
  checkValue(schema, value, [], errors);
  if (errors.length < 2) return errors;
  const inOrder: string[] = [];
  checkValue(schema, withSortedMembers(value), [], inOrder);
  return inOrder;
};

/** One error alone, several each on a line. */
export const schemaErrorText = (errors: readonly string[]): string =>
  errors.length === 1 ? (errors[0] ?? '') : ['errors:', ...errors.map((error) => `  ${error}`)].join('\n');

const report = (path: readonly PathElement[], message: string, errors: string[]): void => {
  errors.push(path.length === 0 ? message : `${pathText(path)}: ${message}`);
};

const checkValue = (schema: Schema, value: Json, path: PathElement[], errors: string[]): void => {
  if (value === null) return;
  switch (schema.kind) {
    case 'scalar': {
      const problem = scalarProblem(schema.scalar, value);
      if (problem !== undefined) report(path, problem, errors);
      return;
    }
    case 'opaque':
      return;
    case 'list':
      if (isList(value)) checkItems(schema, value, path, errors);
      else report(path, `expected list, got &{${goPlain(value)}}`, errors);
      return;
    case 'struct':
      if (schema.customJson !== undefined) return;
  }
  if (isMap(value)) checkMembers(schema, value, path, errors);
  else report(path, `expected map, got &{${goPlain(value)}}`, errors);
};

const checkMembers = (
  schema: MemberSchema,
  value: JsonObject,
  path: PathElement[],
  errors: string[],
): void => {
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (member === undefined) continue;
    path.push(memberElement(name));
    const ofMember = memberSchema(schema, name);
    if (ofMember) checkValue(ofMember, member, path, errors);
    else report(path, 'field not declared in schema', errors);
    path.pop();
    // Nobody looks at the others then.
    if (!ofMember) return;
  }
};

const checkItems = (
  schema: ListSchema,
  items: readonly Json[],
  path: PathElement[],
  errors: string[],
): void => {
  const seen = new Set<PathElement>();
  for (const [at, item] of items.entries()) {
    const element = hasElements(schema) ? elementOfItem(schema, item) : `i:${at}`;
    if (typeof element !== 'string') {
      report(path, `element ${at}: ${element.why}`, errors);
      return;
    }
    if (seen.has(element)) report(path, `duplicate entries for key ${elementText(element)}`, errors);
    seen.add(element);
    path.push(element);
    checkValue(schema.items, item, path, errors);
    path.pop();
  }
};

const scalarProblem = (scalar: ScalarName, value: Json): string | undefined => {
  switch (scalar) {
    case 'int32':
    case 'int64':
    case 'float64':
      return typeof value === 'number' || typeof value === 'bigint'
        ? undefined
        : `expected numeric (int or float), got ${goTypeName(value)}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${goPlain(value)}}`;
    case 'timestamp':
    case 'microtime':
    case 'quantity':
      return typeof value !== 'object' ? undefined : `expected any scalar, got &{${goPlain(value)}}`;
    // Lists and maps pass for one, until they are read.
    case 'intOrString':
      return undefined;
    default:
      return typeof value === 'string' ? undefined : `expected string, got ${unstructured(value)}`;
  }
};

const unstructured = (value: Json): string => `&value.valueUnstructured{Value:${goUntyped(value)}}`;

const goTypeName = (value: Json): string => {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  return isList(value) ? '[]interface {}' : 'map[string]interface {}';
};
