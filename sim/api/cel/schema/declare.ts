/**
 * Declared schemas as types of expressions, with the bounds that costs are estimated by: what the schema does not
 * bound is bounded by the size of the largest request.
 */
import type { JSONSchemaProps } from '../../types/apiextensions-k8s-io-v1.ts';
import { goLength } from '../../go-text.ts';
import type { SizeOf } from '../cost/estimate.ts';
import { range } from '../cost/range.ts';
import type { FieldsOf } from '../types/declarations.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  struct,
  TIMESTAMP,
} from '../types/type.ts';
import { escapedName } from './names.ts';

/** The type of a value, and how much of it there may be. */
export interface Declared {
  readonly type: CelType;
  /** Elements or characters at most. */
  readonly most: number;
  /** Bytes that it takes in JSON at least. */
  readonly leastBytes: number;
  readonly element?: Declared;
  readonly key?: Declared;
  /** By their spelling in expressions. */
  readonly fields?: ReadonlyMap<string, Declared>;
}

export const LARGEST_REQUEST = 3 * 1024 * 1024;
const LONGEST = LARGEST_REQUEST - 2;

const scalar = (type: CelType, leastBytes: number, most = 0): Declared => ({ type, most, leastBytes });
const TEXT = scalar(STRING, 2);

export const itemsOf = ({ items }: JSONSchemaProps): JSONSchemaProps | undefined => asSchema(items);
export const additionalOf = ({ additionalProperties }: JSONSchemaProps): JSONSchemaProps | undefined =>
  asSchema(additionalProperties);

const asSchema = (value: unknown): JSONSchemaProps | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;

const isEmbedded = (schema: JSONSchemaProps): boolean => schema['x-kubernetes-embedded-resource'] === true;

/** Undefined: expressions know nothing of such values. `isResource`: kind, version and name go without saying. */
export function declare(schema: JSONSchemaProps, name: string, isResource: boolean): Declared | undefined {
  if (schema['x-kubernetes-int-or-string']) return scalar(DYN, 1, LONGEST);
  const full = isResource ? withResourceFields(schema) : schema;
  switch (schema.type) {
    case 'array':
      return declareList(full, name);
    case 'object':
      return declareObject(full, name);
    case 'string':
      return declareText(full);
    case 'boolean':
      return scalar(BOOL, 4);
    case 'number':
      return scalar(DOUBLE, 1);
    case 'integer':
      return scalar(INT, 1);
    default:
      return undefined;
  }
}

const TEXT_SCHEMA: JSONSchemaProps = { type: 'string' };

/** What every resource has, whatever its schema says of it. */
export function withResourceFields(schema: JSONSchemaProps): JSONSchemaProps {
  const { properties = {} } = schema;
  const { kind, apiVersion, metadata } = properties;
  const isComplete =
    kind?.type === 'string' &&
    apiVersion?.type === 'string' &&
    metadata?.type === 'object' &&
    metadata.properties?.['name']?.type === 'string' &&
    metadata.properties['generateName']?.type === 'string';
  if (isComplete) return schema;
  return {
    ...schema,
    properties: {
      ...properties,
      kind: TEXT_SCHEMA,
      apiVersion: TEXT_SCHEMA,
      metadata: { type: 'object', properties: { name: TEXT_SCHEMA, generateName: TEXT_SCHEMA } },
    },
  };
}

/** What a schema bounds by: integers above 2^53 come as they are. */
export const boundOf = (most: number | bigint): number => Math.max(0, Number(most));

function declareList(schema: JSONSchemaProps, name: string): Declared | undefined {
  const items = itemsOf(schema);
  const element = items && declare(items, `${name}.@idx`, isEmbedded(items));
  if (!element) return undefined;
  const most = schema.maxItems ?? Math.trunc(LONGEST / (element.leastBytes + 1));
  return { type: listOf(element.type), most: boundOf(most), leastBytes: 2, element };
}

function declareObject(schema: JSONSchemaProps, name: string): Declared | undefined {
  const additional = additionalOf(schema);
  if (additional) {
    const element = declare(additional, `${name}.@elem`, isEmbedded(additional));
    if (!element) return undefined;
    const most = schema.maxProperties ?? Math.trunc(LONGEST / (element.leastBytes + 6));
    return { type: mapOf(STRING, element.type), most: boundOf(most), leastBytes: 2, element, key: TEXT };
  }
  const fields = new Map<string, Declared>();
  let leastBytes = 2;
  const required = new Set(schema.required);
  for (const [property, inner] of Object.entries(schema.properties ?? {})) {
    const spelt = escapedName(property);
    const field = declare(inner, `${name}.${spelt ?? property}`, isEmbedded(inner));
    if (!field) continue;
    if (spelt !== undefined) fields.set(spelt, field);
    if (required.has(property) && inner.default === undefined)
      leastBytes += goLength(property) + field.leastBytes + 4;
  }
  return { type: struct(name), most: 0, leastBytes, fields };
}

function declareText(schema: JSONSchemaProps): Declared {
  const { maxLength } = schema;
  const bounded = maxLength === undefined ? undefined : boundOf(maxLength);
  switch (schema.format) {
    case 'byte':
      return scalar(BYTES, 2, bounded ?? LONGEST);
    case 'duration':
      return scalar(DURATION, 3, 32);
    case 'date':
      return scalar(TIMESTAMP, 12, 12);
    case 'date-time':
      return scalar(TIMESTAMP, 21, 32);
    default:
      return scalar(STRING, 2, bounded === undefined ? longestOf(schema) : bounded * 4);
  }
}

function longestOf({ enum: values = [] }: JSONSchemaProps): number {
  if (values.length === 0) return LONGEST;
  return Math.max(0, ...values.map((value) => (typeof value === 'string' ? goLength(value) : 0)));
}

/** Fields of all structures in a declared value. */
export function fieldsIn(declared: Declared): FieldsOf {
  const found = new Map<string, ReadonlyMap<string, CelType>>();
  const visit = ({ type, fields, element }: Declared): void => {
    if (element) visit(element);
    if (!fields) return;
    found.set(type.name, new Map([...fields].map(([name, field]) => [name, field.type])));
    for (const field of fields.values()) visit(field);
  };
  visit(declared);
  return (name) => found.get(name);
}

/** Bounds along a path from a variable of the declared type. */
export function sizesIn(declared: Declared): SizeOf {
  return ([, ...path]) => {
    let at: Declared | undefined = declared;
    for (const step of path) {
      if (step === '@items' || step === '@values') at = at.element;
      else at = step === '@keys' ? at.key : at.fields?.get(step);
      if (!at) return undefined;
    }
    return range(0, at.most);
  };
}
