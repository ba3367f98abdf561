/** Objects as expressions see them: read through their schema where there is one, as they come where there is none. */
import type { JSONSchemaProps } from '../../types/apiextensions-k8s-io-v1.ts';
import { areEqualLists, areEqualMaps, itemsOf as elementsOf, joined } from '../values/containers.ts';
import { equals } from '../values/equality.ts';
import {
  CelError,
  type CelValue,
  Double,
  isError,
  isList,
  isMapValue,
  type ListValue,
  type MapValue,
  NO_OVERLOAD,
  noOverload,
  normalInt,
  type Result,
} from '../values/value.ts';
import { additionalOf, itemsOf, withResourceFields } from './declare.ts';
import { isSameJson } from './same-json.ts';
import { escapedName, unescapedName } from './names.ts';
import { textValue } from './text-values.ts';

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const goTypeOf = (value: unknown): string => {
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    case 'bigint':
      return 'int64';
    default:
      return 'map[string]interface {}';
  }
};

/** Without a schema: numbers are ints if they are whole. */
export function plainValue(json: unknown): CelValue {
  switch (typeof json) {
    case 'string':
    case 'boolean':
      return json;
    case 'number':
      return Number.isInteger(json) ? wholeNumber(json) : new Double(json);
    case 'bigint':
      return normalInt(json);
    default:
      if (Array.isArray(json)) return new PlainList(json);
      return isObject(json) ? new PlainMap(json) : null;
  }
}

const wholeNumber = (value: number): CelValue =>
  Number.isSafeInteger(value) ? value + 0 : Math.abs(value) < 2 ** 63 ? BigInt(value) : new Double(value);

class PlainList implements ListValue {
  readonly kind = 'list';
  readonly json: readonly unknown[];

  constructor(json: readonly unknown[]) {
    this.json = json;
  }
  get size(): number {
    return this.json.length;
  }
  get(index: number): Result {
    return plainValue(this.json[index]);
  }
  contains(value: CelValue): Result {
    return this.json.some((item) => equals(value, plainValue(item)) === true);
  }
  equals(other: Result): Result {
    return isList(other) && areEqualLists(this, other);
  }
  plus(other: ListValue): Result {
    return joined(this, other);
  }
}

class PlainMap implements MapValue {
  readonly kind = 'map';
  readonly json: JsonObject;

  constructor(json: JsonObject) {
    this.json = json;
  }
  get size(): number {
    return Object.keys(this.json).length;
  }
  keys(): readonly CelValue[] {
    return Object.keys(this.json);
  }
  find(key: CelValue): Result | undefined {
    return typeof key === 'string' && Object.hasOwn(this.json, key) ? plainValue(this.json[key]) : undefined;
  }
  equals(other: Result): Result {
    return isMapValue(other) && areEqualMaps(this, other);
  }
}

/** Through a schema; data that do not fit it are errors where they are used. */
export function schemaValue(json: unknown, schema: JSONSchemaProps): Result {
  if (json === null || json === undefined) {
    return schema.nullable ? null : new CelError('invalid data, got null for schema with nullable=false');
  }
  if (schema['x-kubernetes-int-or-string']) {
    if (typeof json === 'string') return json;
    // What no 64 bits hold was read as a fraction is.
    if (typeof json === 'number' && Number.isInteger(json) && Math.abs(json) < 2 ** 63) return json;
    return new CelError('invalid data, expected XIntOrString value to be either a string or integer');
  }
  switch (schema.type) {
    case 'object':
      return objectValue(json, schema);
    case 'array':
      return listValue(json, schema);
    case 'string':
      return typeof json === 'string' ? textValue(json, schema.format) : unexpected('string', json);
    case 'number':
      return typeof json === 'number' || typeof json === 'bigint'
        ? new Double(Number(json))
        : unexpected('float', json);
    case 'integer':
      if (typeof json === 'number' && Number.isInteger(json)) return wholeNumber(json);
      return typeof json === 'bigint' ? normalInt(json) : unexpected('int', json);
    case 'boolean':
      return typeof json === 'boolean' ? json : unexpected('bool', json);
    default:
      return untyped(json, schema);
  }
}

const unexpected = (wanted: string, json: unknown): CelError =>
  new CelError(`invalid data, expected ${wanted}, got ${goTypeOf(json)}`);

function untyped(json: unknown, schema: JSONSchemaProps): Result {
  if (schema['x-kubernetes-preserve-unknown-fields']) return new Preserved(json);
  return new CelError(
    `invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ${schema.type ?? ''}`,
  );
}

/** Nothing is known of it but whether it is the same. */
class Preserved {
  readonly kind = 'opaque';
  readonly type = { kind: 'opaque', name: 'unknown', parameters: [] } as const;
  readonly json: unknown;

  constructor(json: unknown) {
    this.json = json;
  }
  equals(other: Result): Result {
    return other instanceof Preserved && isSameJson(this.json, other.json);
  }
}

function objectValue(json: unknown, schema: JSONSchemaProps): Result {
  if (!isObject(json))
    return new CelError('invalid data, expected a map for the provided schema with type=object');
  return new SchemaMap(json, schema['x-kubernetes-embedded-resource'] ? withResourceFields(schema) : schema);
}

/** An object with properties, or a map. Names of properties are spelt as expressions spell them. */
class SchemaMap implements MapValue {
  readonly kind = 'map';
  readonly isZero = false;
  readonly json: JsonObject;
  readonly #schema: JSONSchemaProps;

  constructor(json: JsonObject, schema: JSONSchemaProps) {
    this.json = json;
    this.#schema = schema;
  }

  get size(): number {
    return Object.keys(this.json).length;
  }

  #schemaOf(name: string): JSONSchemaProps | undefined {
    const { properties } = this.#schema;
    if (properties) return Object.hasOwn(properties, name) ? properties[name] : undefined;
    return additionalOf(this.#schema);
  }

  find(key: CelValue): Result | undefined {
    if (typeof key !== 'string') return NO_OVERLOAD;
    const hasProperties = this.#schema.properties !== undefined;
    const name = hasProperties ? unescapedName(key) : key;
    if (name === undefined || !Object.hasOwn(this.json, name)) return undefined;
    const json = this.json[name];
    if (hasProperties && json === null) return undefined;
    const schema = this.#schemaOf(name);
    return schema && schemaValue(json, schema);
  }

  keys(): readonly CelValue[] {
    const names = Object.keys(this.json).filter((name) => this.#schemaOf(name) !== undefined);
    return this.#schema.properties ? names.map((name) => escapedName(name) ?? name) : names;
  }

  equals(other: Result): Result {
    if (!isMapValue(other)) return noOverload(other);
    if (this.size !== other.size) return false;
    for (const [name, json] of Object.entries(this.json)) {
      const is = this.#isSameMember(name, json, other);
      if (is !== true) return is;
    }
    return true;
  }

  #isSameMember(name: string, json: unknown, other: MapValue): Result {
    const schema = this.#schemaOf(name);
    if (!schema) {
      if (!(other instanceof SchemaMap)) return NO_OVERLOAD;
      return !Object.hasOwn(other.json, name) || isSameJson(json, other.json[name]);
    }
    const found = other.find(name);
    if (found === undefined) return false;
    return strictlyEqual(schemaValue(json, schema), found);
  }

  /** What an optional holds has lost its schema. */
  bare(): CelValue {
    return plainValue(this.json);
  }
}

const strictlyEqual = (a: Result, b: Result): Result => {
  if (isError(a)) return a;
  return isError(b) ? (isMapValue(a) || isList(a) ? b : false) : equals(a, b);
};

function listValue(json: unknown, schema: JSONSchemaProps): Result {
  if (!Array.isArray(json))
    return new CelError('invalid data, expected an array for the provided schema with type=array');
  const items = itemsOf(schema);
  if (!items) return new CelError('invalid array type, expected Items with a non-empty Schema');
  const listType = schema['x-kubernetes-list-type'] ?? 'atomic';
  const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => escapedName(key) ?? key);
  return new SchemaList(json, { items, listType, keys });
}

interface ListRules {
  readonly items: JSONSchemaProps;
  readonly listType: string;
  readonly keys: readonly string[];
}

/** Lists with keys and sets are equal in any order, and add up without repetition. */
class SchemaList implements ListValue {
  readonly kind = 'list';
  readonly isZero = false;
  readonly json: readonly unknown[];
  readonly #rules: ListRules;

  constructor(json: readonly unknown[], rules: ListRules) {
    this.json = json;
    this.#rules = rules;
  }

  get size(): number {
    return this.json.length;
  }

  get(index: number): Result {
    return schemaValue(this.json[index], this.#rules.items);
  }

  contains(value: CelValue): Result {
    let problem: CelError | undefined;
    for (let index = 0; index < this.size; index++) {
      const is = strictlyEqual(this.get(index), value);
      if (is === true) return true;
      if (isError(is)) problem ??= is;
    }
    return problem ?? false;
  }

  equals(other: Result): Result {
    if (!isList(other)) return noOverload(other);
    if (this.size !== other.size) return false;
    const { listType } = this.#rules;
    const others = listType === 'atomic' ? undefined : jsonOf(other);
    if (others && listType === 'map') return this.#equalsByKey(others, other);
    if (others) return others.every((item) => this.json.some((own) => isSameScalar(own, item)));
    for (let index = 0; index < this.size; index++) {
      const is = strictlyEqual(this.get(index), other.get(index));
      if (is !== true) return is;
    }
    return true;
  }

  #equalsByKey(others: readonly unknown[], other: ListValue): Result {
    for (const [index, item] of others.entries()) {
      const own = this.json.findLast((candidate) => this.#hasSameKey(candidate, item));
      if (own === undefined) return false;
      const is = strictlyEqual(schemaValue(own, this.#rules.items), other.get(index));
      if (is !== true) return is;
    }
    return true;
  }

  #hasSameKey(a: unknown, b: unknown): boolean {
    return isObject(a) && isObject(b) && this.#rules.keys.every((key) => isSameScalar(a[key], b[key]));
  }

  plus(other: ListValue): Result {
    const added = jsonOf(other);
    if (!added) return joined(this, other);
    const { listType } = this.#rules;
    const json = [...this.json];
    for (const item of added) {
      const at =
        listType === 'map'
          ? json.findLastIndex((own) => this.#hasSameKey(own, item))
          : listType === 'set'
            ? json.findIndex((own) => isSameScalar(own, item))
            : -1;
      if (at < 0) json.push(item);
      else if (listType === 'map') json[at] = item;
    }
    return new SchemaList(json, this.#rules);
  }

  /** What an optional holds has lost its schema. */
  bare(): CelValue {
    return plainValue(this.json);
  }
}

const isSameScalar = (a: unknown, b: unknown): boolean => a === b;

/** The JSON behind a list; undefined if there is none. */
function jsonOf(list: ListValue): readonly unknown[] | undefined {
  if (list instanceof SchemaList || list instanceof PlainList) return list.json;
  const items = elementsOf(list);
  if (items instanceof CelError) return undefined;
  const json: unknown[] = [];
  for (const item of items) {
    if (item instanceof SchemaMap || item instanceof PlainMap) json.push(item.json);
    else if (item instanceof SchemaList || item instanceof PlainList) json.push(item.json);
    else if (typeof item === 'object' && item !== null) return undefined;
    else json.push(item);
  }
  return json;
}
