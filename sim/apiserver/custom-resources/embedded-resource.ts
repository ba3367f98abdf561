/** Members that are whole objects themselves (`x-kubernetes-embedded-resource`): their metadata is checked and cut to what it may hold. */
import { append } from '../../api/append.ts';
import { DecodeError } from '../../api/codec/decode-error.ts';
import { decodeStruct } from '../../api/codec/decode.ts';
import { goUntyped, goUntypedValue } from '../../api/go-text.ts';
import type { Json, ObjectMeta } from '../../api/object.ts';
import type { StructSchema } from '../../api/schema.ts';
import type { FieldError } from '../../api/status.ts';
import { FieldPath } from '../../api/validation/field-path.ts';
import { invalid, required } from '../../api/validation/field-error.ts';
import { dns1035Label, pathSegmentName } from '../../api/validation/names.ts';
import { validateObjectMeta } from '../../api/validation/object-meta.ts';
import {
  additionalOf,
  isMap,
  itemsOf,
  type JSONSchemaProps,
  type JsonMap,
  propertyOf,
} from './json-schema.ts';

export interface EmbeddedDecoding {
  /** That of ObjectMeta. */
  readonly metaSchema: StructSchema;
  /** Told of members that are dropped. */
  readonly unknown: (path: string) => void;
}

/** @throws DecodeError */
export function decodeEmbedded<T>(value: T, schema: JSONSchemaProps, decoding: EmbeddedDecoding): T {
  return walk(value, schema, '', false, (resource, path) => {
    checkTexts(resource, path);
    const { metadata } = resource;
    if (metadata === undefined || metadata === null) return resource;
    const decoded = decodeMeta(metadata, path, decoding);
    return decoded === metadata ? resource : { ...resource, metadata: decoded };
  }) as T;
}

/** @throws DecodeError */
function checkTexts(resource: JsonMap, path: string): void {
  for (const name of ['kind', 'apiVersion']) {
    const value = resource[name];
    if (value === undefined || typeof value === 'string') continue;
    const shown = value === null ? '"null"' : goUntyped(value as Json);
    throw new DecodeError(`${path}.${name}: Invalid value: ${shown}: must be a string`);
  }
}

function decodeMeta(metadata: unknown, path: string, { metaSchema, unknown }: EmbeddedDecoding): unknown {
  try {
    return metaOf(metadata, metaSchema, (name) => unknown(`${path}.metadata.${name}`));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const shown = typeof metadata === 'string' ? JSON.stringify(metadata) : goUntyped(metadata as Json);
    throw new DecodeError(`${path}.metadata: Invalid value: ${shown}: ${error.message}`);
  }
}

/** @throws DecodeError */
function metaOf(metadata: unknown, metaSchema: StructSchema, unknown: (name: string) => void): unknown {
  if (!isMap(metadata))
    throw new DecodeError(
      `json: cannot unmarshal ${Array.isArray(metadata) ? 'array' : typeof metadata} into Go value of type v1.ObjectMeta`,
    );
  const { creationTimestamp, ...rest } = decodeStruct(metaSchema, metadata, { unknown }) as JsonMap;
  return creationTimestamp ? { ...rest, creationTimestamp } : rest;
}

/** Rules of embedded objects: they have a kind, a version and labels that make sense. `isObject`: so has the value itself. */
export function embeddedErrors(value: unknown, schema: JSONSchemaProps, isObject = false): FieldError[] {
  const errors: FieldError[] = [];
  walk(value, schema, '', isObject, (resource, path) => {
    append(
      errors,
      errorsOf(resource, (member) => below(path, member)),
    );
    return resource;
  });
  return errors;
}

const below = (path: string, member: string): FieldPath =>
  path === '' ? FieldPath.of(member) : FieldPath.of(path).child(member);

function errorsOf({ apiVersion, kind, metadata }: JsonMap, at: (member: string) => FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (typeof apiVersion !== 'string' || apiVersion === '')
    errors.push(emptyError(at('apiVersion'), apiVersion));
  else if (apiVersion.split('/').length > 2) {
    errors.push(invalid(at('apiVersion'), apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  }
  if (typeof kind !== 'string' || kind === '') errors.push(emptyError(at('kind'), kind));
  else {
    for (const finding of dns1035Label(kind.toLowerCase())) {
      errors.push(invalid(at('kind'), kind, `may have mixed case, but should otherwise match: ${finding}`));
    }
  }
  if (isMap(metadata)) {
    // Nobody asks for a name, or for a namespace.
    const meta: ObjectMeta = { name: 'any', ...metadata };
    const isNamespaced = (meta.namespace ?? '') !== '';
    append(errors, validateObjectMeta(meta, { isNamespaced, nameCheck: pathSegmentName }, at('metadata')));
  }
  return errors;
}

const emptyError = (path: FieldPath, value: unknown): FieldError =>
  value === '' ? invalid(path, '', 'must not be empty') : required(path, 'must not be empty');

/** What of embedded objects is of another type than it has to be: the first of it. */
export function embeddedTypeErrors(
  value: unknown,
  schema: JSONSchemaProps,
  { metaSchema, isObject }: { readonly metaSchema: StructSchema; readonly isObject: boolean },
): FieldError[] {
  const errors: FieldError[] = [];
  walk(value, schema, '', isObject, (resource, path) => {
    for (const name of ['kind', 'apiVersion']) {
      const text = resource[name];
      if (text === undefined || typeof text === 'string') continue;
      const shown = text === null ? 'null' : goUntypedValue(text as Json);
      errors.push(invalid(below(path, name), shown, 'must be a string'));
    }
    const { metadata } = resource;
    const problem =
      metadata === undefined || metadata === null ? undefined : metaProblem(metadata, metaSchema);
    if (problem !== undefined) {
      const shown = typeof metadata === 'string' ? metadata : goUntypedValue(metadata as Json);
      errors.push(invalid(below(path, 'metadata'), shown, problem));
    }
    return resource;
  });
  return errors.slice(0, 1);
}

function metaProblem(metadata: unknown, metaSchema: StructSchema): string | undefined {
  try {
    metaOf(metadata, metaSchema, () => undefined);
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}

/** Metadata of embedded objects as metadata is, as far as it can be. `isObject`: the value is one itself. */
export function withCutMetadata<T>(
  value: T,
  schema: JSONSchemaProps,
  { metaSchema, isObject }: { readonly metaSchema: StructSchema; readonly isObject: boolean },
): T {
  return walk(value, schema, '', isObject, (resource) => {
    const { metadata } = resource;
    if (metadata === undefined || (metadata !== null && metaProblem(metadata, metaSchema) !== undefined))
      return resource;
    const cut = metadata === null ? {} : metaOf(metadata, metaSchema, () => undefined);
    return { ...resource, metadata: cut };
  }) as T;
}

type Visit = (resource: JsonMap, path: string) => JsonMap;

/** Visits embedded resources, outer ones first. */
function walk(
  value: unknown,
  schema: JSONSchemaProps,
  path: string,
  isEmbedded: boolean,
  visit: Visit,
): unknown {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (!items) return value;
    const after = value.map((item: unknown, index) =>
      walk(item, items, `${path}[${index}]`, isMarked(items), visit),
    );
    return after.every((item, index) => item === value[index]) ? value : after;
  }
  if (!isMap(value)) return value;
  let current = isEmbedded ? visit(value, path) : value;
  const additional = additionalOf(schema);
  for (const name of Object.keys(current)) {
    const own = propertyOf(schema, name);
    const declared = own ?? (additional === true ? undefined : additional);
    if (!declared) continue;
    const before = current[name];
    const member = path === '' ? name : `${path}.${name}`;
    const after = walk(before, declared, own ? member : `${path}[${name}]`, isMarked(declared), visit);
    if (after !== before) current = { ...current, [name]: after };
  }
  return current;
}

const isMarked = (schema: JSONSchemaProps): boolean => schema['x-kubernetes-embedded-resource'] === true;
