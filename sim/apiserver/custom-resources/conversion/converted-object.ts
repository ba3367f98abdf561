/**
 * What a conversion webhook has made of one object: it is the same object in the wanted version, of whose metadata only
 * labels and annotations may be others. All else of the metadata is what it was, whatever the webhook says. Pure.
 * Specification: not shown (Kubernetes 1.31).
 */
import { rawTextOf } from '../../../api/codec/raw-text.ts';
import type { ApiObject, Json, JsonObject, ObjectMeta } from '../../../api/object.ts';
import { jsonTypeWord } from '../../../api/patch/patch-error.ts';
import { type ApiError, plainError } from '../../../api/status.ts';
import { aggregateText } from '../../../api/validation/field-error.ts';
import { FieldPath } from '../../../api/validation/field-path.ts';
import { validateAnnotations, validateLabels } from '../../../api/validation/labels.ts';
import { isMap, typeOfJson } from '../json-schema.ts';

export interface Conversion {
  readonly object: ApiObject;
  readonly apiVersion: string;
}

/** `conversion webhook for example.com/v1, Kind=Thing` */
export const webhookFor = ({ apiVersion, kind }: ApiObject): string =>
  `conversion webhook for ${apiVersion}, Kind=${kind}`;

/** @throws ApiError without a reason, as the real server's */
export function convertedObject({ object, apiVersion }: Conversion, answer: unknown): ApiObject {
  const converted = unstructured(answer);
  const invalidObject = (why: string): ApiError =>
    plainError(`${webhookFor(object)} returned invalid object${why}`);
  const said = { apiVersion: textOf(converted['apiVersion']), kind: textOf(converted['kind']) };
  if (said.apiVersion !== apiVersion)
    throw invalidObject(
      ` at index 0: invalid groupVersion (expected ${apiVersion}, received ${said.apiVersion})`,
    );
  if (said.kind !== object.kind)
    throw invalidObject(` at index 0: invalid kind (expected ${object.kind}, received ${said.kind})`);
  const meta = isMap(converted['metadata']) ? converted['metadata'] : {};
  for (const [member, word] of SAME) {
    const [before, after] = [object.metadata[member] ?? '', textOf(meta[member])];
    if (before !== after) throw invalidObject(`: must have the same ${word}: ${before} != ${after}`);
  }
  return { ...converted, apiVersion, kind: object.kind, metadata: restored(object, meta) };
}

const SAME = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** @throws ApiError */
function unstructured(answer: unknown): JsonObject {
  if (answer === null || answer === undefined) throw plainError('unexpected end of JSON input');
  if (!isMap(answer)) {
    throw plainError(
      `json: cannot unmarshal ${jsonTypeWord(answer as Json)} into Go value of type map[string]interface {}`,
    );
  }
  if (textOf(answer['kind']) === '')
    throw plainError(`Object 'Kind' is missing in '${rawTextOf(answer) ?? JSON.stringify(answer)}'`);
  return answer as JsonObject;
}

/** As it was, with the labels and annotations that came back. @throws ApiError */
function restored(object: ApiObject, meta: Readonly<Record<string, unknown>>): ObjectMeta {
  const { labels: _labels, annotations: _annotations, ...rest } = object.metadata;
  const labels = textMap(object, meta, 'labels');
  const annotations = textMap(object, meta, 'annotations');
  const path = FieldPath.of('metadata');
  const errors = [
    ...validateLabels(labels, path.child('labels')),
    // The real server's word for it.
    ...validateAnnotations(annotations, path.child('annotation')),
  ];
  if (errors.length > 0) throw invalidMetadata(object, aggregateText(errors));
  return { ...rest, ...(labels && { labels }), ...(annotations && { annotations }) };
}

const invalidMetadata = (object: ApiObject, why: string): ApiError =>
  plainError(`${webhookFor(object)} returned invalid metadata: ${why}`);

/** @throws ApiError */
function textMap(
  object: ApiObject,
  meta: Readonly<Record<string, unknown>>,
  member: 'labels' | 'annotations',
): Readonly<Record<string, string>> | undefined {
  const value = meta[member];
  if (value === undefined || value === null) return undefined;
  if (!isMap(value))
    throw invalidMetadata(object, `invalid metadata.${member} of type ${goType(value)} in converted object`);
  for (const [key, text] of Object.entries(value))
    if (typeof text !== 'string')
      throw invalidMetadata(
        object,
        `metadata.${member}[${key}] must be a string, but is ${goType(text)} in converted object`,
      );
  return Object.keys(value).length > 0 ? (value as Readonly<Record<string, string>>) : undefined;
}

const GO_TYPES: Readonly<Record<string, string>> = {
  array: '[]interface {}',
  boolean: 'bool',
  integer: 'int64',
  null: '<nil>',
  number: 'float64',
  object: 'map[string]interface {}',
};

const goType = (value: unknown): string => GO_TYPES[typeOfJson(value)] ?? 'string';
