/**
 * From a document to a custom resource: metadata as every object's, unknown members dropped and told,
 * defaults filled in. Types of values are left to validation. Specification: "Field validation".
 */
import { DecodeError } from '../../api/codec/decode-error.ts';
import { decodeStruct } from '../../api/codec/decode.ts';
import type { ApiObject } from '../../api/object.ts';
import { splitGroupVersion } from '../../api/catalog/builtin-kinds.ts';
import { readsAsTime } from '../../api/time-format.ts';
import type { StructSchema } from '../../api/schema.ts';
import type { DraftObject } from '../registry/strategy.ts';
import type { Resource, ResourceVersion } from '../registry/resource.ts';
import { thawed } from '../registry/storage-form.ts';
import { sorted } from './custom-form.ts';
import { decodeEmbedded } from './embedded-resource.ts';
import { defaulted } from './default-values.ts';
import { isMap, type JSONSchemaProps, typeOfJson } from './json-schema.ts';
import { pruned } from './prune.ts';

const GO_TYPES: Readonly<Record<string, string>> = {
  integer: 'number',
  number: 'number',
  boolean: 'bool',
  array: 'array',
  string: 'string',
};

export interface CustomDecoded {
  readonly draft: DraftObject;
  /** `unknown field "spec.b"`: metadata first, then by path. */
  readonly findings: readonly string[];
}

export const declaredOf = ({ declaredSchema = {} }: ResourceVersion): JSONSchemaProps => declaredSchema;

/** Of what is of another kind only the metadata is known. */
const OPEN: JSONSchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const CLOSED: JSONSchemaProps = { type: 'object' };

/** A document that says to be of another version is known by the schema of that one, or not at all if there is none. */
export function schemaOfDocument(
  version: ResourceVersion,
  versions: Resource['versions'],
  document: Readonly<Record<string, unknown>>,
): JSONSchemaProps {
  const { apiVersion, kind } = document;
  if (apiVersion === version.apiVersion && kind === version.kind) return declaredOf(version);
  const { group } = splitGroupVersion(typeof apiVersion === 'string' ? apiVersion : '');
  if (kind !== version.kind || group !== version.group) return OPEN;
  const other = [...versions.values()].find((each) => each.apiVersion === apiVersion);
  return other ? declaredOf(other) : CLOSED;
}

/**
 * What was applied keeps its nulls, so that validation hears of them, and what is unknown, until it is stored: who applies
 * again what was dropped changes the object again. @throws DecodeError
 */
export function decodeCustom(
  version: ResourceVersion,
  document: Readonly<Record<string, unknown>>,
  { isApplied = false, schema = declaredOf(version) }: { isApplied?: boolean; schema?: JSONSchemaProps } = {},
): CustomDecoded {
  const metaFindings: string[] = [];
  const sent = document['metadata'];
  const metadata = decodeMeta(version.metaSchema, isApplied ? withoutServers(sent) : sent, (path) =>
    metaFindings.push(`metadata.${path}`),
  );
  const unknown: string[] = [];
  const embeddedFindings: string[] = [];
  const given = { ...document, metadata };
  const whole = isApplied ? given : pruned(given, schema, true, (path) => unknown.push(path));
  const embedded = decodeEmbedded(whole, schema, {
    metaSchema: version.metaSchema,
    unknown: (path) => embeddedFindings.push(path),
  });
  const filled = defaulted(embedded, schema, isApplied ? 'keep' : 'drop');
  const draft = thawed({ ...filled, metadata }) as DraftObject;
  const paths = [...metaFindings.sort(), ...unknown.sort(), ...embeddedFindings];
  return { draft, findings: paths.map((path) => `unknown field "${path}"`) };
}

/** What only the server sets it does not even read out of what was merged. */
function withoutServers(metadata: unknown): unknown {
  if (!isMap(metadata)) return metadata;
  const { creationTimestamp, managedFields, generation, deletionTimestamp, ...rest } = metadata;
  return {
    ...rest,
    ...(readsAsTime(creationTimestamp) && { creationTimestamp }),
    ...(managedFields !== undefined && { managedFields: [] }),
    ...(Number.isInteger(generation) && { generation }),
    ...(readsAsTime(deletionTimestamp) && { deletionTimestamp }),
  };
}

function decodeMeta(schema: StructSchema, value: unknown, unknown: (path: string) => void): object {
  if (value === undefined || value === null) return {};
  if (!isMap(value)) {
    throw new DecodeError(
      `json: cannot unmarshal ${GO_TYPES[typeOfJson(value)] ?? 'object'} into Go value of type v1.ObjectMeta`,
    );
  }
  const { creationTimestamp, ...rest } = decodeStruct(schema, value, { unknown }) as Record<string, unknown>;
  return creationTimestamp ? { ...rest, creationTimestamp } : rest;
}

/** What was stored in a version, as the present schema of that version knows it. */
export function readIn(version: ResourceVersion, object: ApiObject): ApiObject {
  const schema = declaredOf(version);
  const filled = defaulted(pruned(object, schema, true), schema);
  if (filled === object && object.apiVersion === version.apiVersion) return object;
  return Object.freeze(sorted({ ...filled, apiVersion: version.apiVersion }));
}

/** As a version shows what was read in, or converted from, another one: without defaults of its own. */
export function shownIn(version: ResourceVersion, object: ApiObject): ApiObject {
  const known = pruned(object, declaredOf(version), true);
  if (known === object && object.apiVersion === version.apiVersion) return object;
  return Object.freeze(sorted({ ...known, apiVersion: version.apiVersion }));
}
