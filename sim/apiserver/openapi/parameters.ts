/** Parameters of the operations, by what they do. Specification: "Query parameters". */
import type { Json, JsonObject } from '../../api/object.ts';
import type { FieldSchema } from '../../api/schema.ts';

const query = (name: string, type: 'boolean' | 'integer' | 'string', description: string): JsonObject => ({
  name,
  in: 'query',
  description,
  schema: { type, uniqueItems: true },
});

const DRY_RUN = query('dryRun', 'string', 'All: go through every stage but store nothing.');
const FIELD_MANAGER = query('fieldManager', 'string', 'Name of the actor that makes the change.');
const FIELD_VALIDATION = query(
  'fieldValidation',
  'string',
  'Ignore, Warn or Strict: what unknown and duplicate fields lead to.',
);
const RESOURCE_VERSION = query('resourceVersion', 'string', 'Which versions may be served.');
const RESOURCE_VERSION_MATCH = query('resourceVersionMatch', 'string', 'Exact or NotOlderThan.');

const SELECTION: readonly JsonObject[] = [
  query('fieldSelector', 'string', 'Restricts the objects by their fields.'),
  query('labelSelector', 'string', 'Restricts the objects by their labels.'),
];

const CONTINUE = query('continue', 'string', 'Token of the page before.');
const LIMIT = query('limit', 'integer', 'Largest number of items in an answer.');
const TIMEOUT = query('timeoutSeconds', 'integer', 'Ends the call after this time.');
const SEND_INITIAL = query('sendInitialEvents', 'boolean', 'Starts a watch with the present objects.');

export const LIST_PARAMETERS: readonly JsonObject[] = [
  query('allowWatchBookmarks', 'boolean', 'Asks for events of type BOOKMARK.'),
  CONTINUE,
  ...SELECTION,
  LIMIT,
  RESOURCE_VERSION,
  RESOURCE_VERSION_MATCH,
  SEND_INITIAL,
  TIMEOUT,
  query('watch', 'boolean', 'Streams changes instead of listing.'),
];

export const WRITE_PARAMETERS: readonly JsonObject[] = [DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION];

export const PATCH_PARAMETERS: readonly JsonObject[] = [
  ...WRITE_PARAMETERS,
  query('force', 'boolean', 'Takes fields over from other managers; for apply only.'),
];

export const DELETE_PARAMETERS: readonly JsonObject[] = [
  DRY_RUN,
  query('gracePeriodSeconds', 'integer', 'Time that the object is given to end.'),
  query('orphanDependents', 'boolean', 'Deprecated: use propagationPolicy.'),
  query('propagationPolicy', 'string', 'Orphan, Background or Foreground.'),
];

export const DELETE_COLLECTION_PARAMETERS: readonly JsonObject[] = [
  CONTINUE,
  ...SELECTION,
  LIMIT,
  RESOURCE_VERSION,
  RESOURCE_VERSION_MATCH,
  SEND_INITIAL,
  TIMEOUT,
  ...DELETE_PARAMETERS,
];

export const PRETTY = query('pretty', 'string', 'Indents the answer when true.');

export const pathParameter = (name: 'name' | 'namespace' | 'path', description: string): JsonObject => ({
  name,
  in: 'path',
  description,
  required: true,
  schema: { type: 'string', uniqueItems: true },
});

/** The path items without the parameters of these names, at paths and operations alike. */
export function withoutParameters(items: JsonObject, names: ReadonlySet<string>): JsonObject {
  if (names.size === 0) return items;
  const isKnown = (parameter: Json): boolean => !names.has((parameter as { readonly name: string }).name);
  return mapped(items, (item) =>
    mapped(item as JsonObject, (part, member) => {
      if (member === 'parameters') return (part as readonly Json[]).filter(isKnown);
      const { parameters } = part as { readonly parameters?: readonly Json[] };
      return parameters ? { ...(part as JsonObject), parameters: parameters.filter(isKnown) } : part;
    }),
  );
}

const mapped = (object: JsonObject, map: (value: Json, name: string) => Json): JsonObject =>
  Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, map(value, name)]],
    ),
  );

/** The members of an options kind, such as `PodExecOptions`, as query parameters. */
export const optionParameters = (kind: string, members: readonly FieldSchema[]): readonly JsonObject[] =>
  members.map((field) => query(field.name, parameterType(field), `Member of ${kind}.`));

function parameterType({ schema }: FieldSchema): 'boolean' | 'integer' | 'string' {
  if (schema.kind !== 'scalar') return 'string';
  if (schema.scalar === 'boolean') return 'boolean';
  return schema.scalar === 'int32' || schema.scalar === 'int64' ? 'integer' : 'string';
}
