/**
 * The bridge from client-side apply, for the field manager `kubectl` alone: fields that the annotation says were
 * applied by the client may be taken without a conflict, and the annotation is kept up to date as long as it is there.
 */

import { encodeJson } from '../codec/encode.ts';
import { compareStrings } from '../go-text.ts';
import type { Json, JsonObject } from '../object.ts';
import type { StructSchema } from '../schema.ts';
import { validateAnnotations } from '../validation/labels.ts';
import { FieldPath } from '../validation/field-path.ts';
import { appliedSetOf, schemaErrorsOf } from './applied-set.ts';
import { FieldSet } from './field-set.ts';
import { isList, isMap } from './shape.ts';

const CLIENT_SIDE_MANAGER = 'kubectl';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const annotationsOf = (object: JsonObject): JsonObject => {
  const metadata = object['metadata'];
  const annotations = isMap(metadata) ? metadata['annotations'] : undefined;
  return isMap(annotations) ? annotations : {};
};

/** Paths in which `manager` may override others: those of the last configuration that the client applied itself. */
export const clientAppliedFields = (schema: StructSchema, manager: string, live: JsonObject): FieldSet => {
  const text = annotationsOf(live)[LAST_APPLIED];
  if (manager !== CLIENT_SIDE_MANAGER || typeof text !== 'string' || text === '') return FieldSet.EMPTY;
  const configuration = parsed(text);
  const isUsable = configuration !== undefined && schemaErrorsOf(schema, configuration).length === 0;
  return isUsable ? appliedSetOf(schema, configuration) : FieldSet.EMPTY;
};

const parsed = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
};

/** The object with the annotation saying what was applied now, if `manager` keeps it and the object has it. */
export const withLastApplied = (object: JsonObject, manager: string, applied: JsonObject): JsonObject => {
  const annotations = annotationsOf(object);
  if (manager !== CLIENT_SIDE_MANAGER || annotations[LAST_APPLIED] === undefined) return object;
  const updated: Record<string, Json | undefined> = {
    ...annotations,
    [LAST_APPLIED]: lastAppliedText(applied),
  };
  const isTooLarge =
    validateAnnotations(updated as Record<string, string>, FieldPath.of('metadata')).length > 0;
  if (isTooLarge) delete updated[LAST_APPLIED];
  return { ...object, metadata: { ...(object['metadata'] as JsonObject), annotations: updated } };
};

const lastAppliedText = (applied: JsonObject): string => {
  const { [LAST_APPLIED]: _, ...annotations } = annotationsOf(applied);
  const metadata = applied['metadata'];
  const plain = isMap(metadata) ? { ...applied, metadata: { ...metadata, annotations } } : applied;
  return `${encodeJson(sorted(plain))}\n`;
};

const sorted = (value: Json | undefined): Json => {
  if (isList(value)) return value.map(sorted);
  if (!isMap(value)) return value ?? null;
  return Object.fromEntries(
    Object.keys(value)
      .filter((name) => value[name] !== undefined)
      .sort(compareStrings)
      .map((name) => [name, sorted(value[name])]),
  );
};
