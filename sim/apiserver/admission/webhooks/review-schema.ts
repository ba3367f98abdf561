/** The shapes of the answers to reviews, by which they are decoded: the catalog has no kinds that only travel. */
import type { FieldSchema, ScalarName, Schema, StructSchema } from '../../../api/schema.ts';

const scalar = (name: ScalarName): Schema => ({ kind: 'scalar', scalar: name });
const STRING = scalar('string');
const TEXTS: Schema = { kind: 'list', items: STRING, listType: 'atomic', listMapKeys: [] };
const TEXT_MAP: Schema = { kind: 'map', values: STRING, mapType: 'granular' };

const field = (name: string, schema: Schema, pointer = false): FieldSchema => ({
  name,
  schema,
  pointer,
  omitEmpty: true,
  required: false,
  proto: 0,
});

function structOf(goName: string, fields: readonly FieldSchema[]): StructSchema {
  return {
    kind: 'struct',
    key: `admission.k8s.io/v1.${goName}`,
    goName,
    fields,
    fieldsByName: new Map(fields.map((each) => [each.name, each])),
    mapType: 'granular',
    preservesUnknownFields: false,
    inlined: [],
  };
}

const CAUSE = structOf('StatusCause', [
  field('reason', STRING),
  field('message', STRING),
  field('field', STRING),
]);

const DETAILS = structOf('StatusDetails', [
  field('name', STRING),
  field('group', STRING),
  field('kind', STRING),
  field('uid', STRING),
  field('causes', { kind: 'list', items: CAUSE, listType: 'atomic', listMapKeys: [] }),
  field('retryAfterSeconds', scalar('int32')),
]);

const STATUS = structOf('Status', [
  field('kind', STRING),
  field('apiVersion', STRING),
  field(
    'metadata',
    structOf('ListMeta', [
      field('selfLink', STRING),
      field('resourceVersion', STRING),
      field('continue', STRING),
      field('remainingItemCount', scalar('int64'), true),
    ]),
    true,
  ),
  field('status', STRING),
  field('message', STRING),
  field('reason', STRING),
  field('details', DETAILS, true),
  field('code', scalar('int32')),
]);

const RESPONSE = structOf('AdmissionResponse', [
  field('uid', STRING),
  field('allowed', scalar('boolean')),
  field('status', STATUS, true),
  field('patch', scalar('bytes')),
  field('patchType', STRING, true),
  field('auditAnnotations', TEXT_MAP),
  field('warnings', TEXTS),
]);

export const REVIEW_SCHEMA: StructSchema = structOf('AdmissionReview', [
  field('kind', STRING),
  field('apiVersion', STRING),
  field('response', RESPONSE, true),
]);

const CONVERSION_RESPONSE = structOf('ConversionResponse', [
  field('uid', STRING),
  field('convertedObjects', {
    kind: 'list',
    items: { kind: 'opaque', opaque: 'rawExtension' },
    listType: 'atomic',
    listMapKeys: [],
  }),
  field('result', STATUS),
]);

export const CONVERSION_SCHEMA: StructSchema = structOf('ConversionReview', [
  field('kind', STRING),
  field('apiVersion', STRING),
  field('response', CONVERSION_RESPONSE, true),
]);
