/** `application/apply-patch+yaml`: server-side apply. Specification: "PATCH content types", "Conflict resolution options for apply". */
import { DecodeError } from '../../../api/codec/decode-error.ts';
import { parseJson } from '../../../api/codec/strict-json.ts';
import { checkValues } from '../../../api/codec/value-bound.ts';
import { type ParsedYaml, yamlToJson } from '../../../api/codec/yaml.ts';
import type { ApiObject, JsonObject } from '../../../api/object.ts';
import { ApiError, badRequest, conflict, plainError } from '../../../api/status.ts';
import { andThen } from '../../../api/steps.ts';
import type { Exchange } from '../../request/exchange.ts';
import { applyToObject } from '../managed-fields.ts';
import { storageResource } from '../../registry/resource.ts';
import type { DraftObject } from '../../registry/strategy.ts';
import { checkNamespace } from '../create-object.ts';
import { isEqualJson } from '../equal-json.ts';
import { checkName } from '../update.ts';
import { patchText } from './patch-text.ts';
import type { Patcher } from './patcher.ts';

export const applyPatcher: Patcher = ({ exchange, options, rules }) => {
  const { version } = exchange.routed;
  const { value, duplicates } = valueOf(exchange);
  if (duplicates.length > 0 && options.fieldValidation !== 'Ignore') {
    if (options.fieldValidation === 'Strict') {
      throw badRequest(
        `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ${duplicates.join('\n  ')}`,
      );
    }
    for (const finding of duplicates) exchange.warn(finding);
  }
  const applied = objectOf(value);
  const { kind, apiVersion } = typeOf(applied);
  if (kind !== version.kind || apiVersion !== version.apiVersion) {
    throw badRequest(`invalid object type: ${gvkText(apiVersion, kind)}`);
  }
  const uid = memberOf(applied['metadata'], 'uid');
  return {
    produce: (live) => {
      const steps = applyToObject(exchange, {
        live,
        applied,
        manager: options.fieldManager,
        force: options.force,
        rules,
      });
      return andThen(steps, (draft) => {
        if (!live && typeof uid === 'string' && uid !== '') throw uidOfNothing(exchange, uid);
        if (live && exchange.viewOf?.routed.resource.isCustom === true) checkUnchanged(live, draft, applied);
        checkNamespace(exchange, exchange.routed.resource, draft.metadata);
        // What is there already keeps its name, whatever a configuration of a subresource says.
        if (!live || memberOf(applied['metadata'], 'name') !== undefined)
          checkName(draft.metadata.name ?? '', exchange.info.name);
        return draft;
      });
    },
  };
};

const uidOfNothing = ({ info, routed }: Exchange, uid: string): Error =>
  conflict(
    storageResource(routed.resource),
    info.name,
    `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
  );

/** The scheme of custom resources cannot convert their Scale: only one that stays as it is can be applied. */
function checkUnchanged(live: ApiObject, draft: DraftObject, applied: JsonObject): void {
  const { managedFields: _, ...before } = live.metadata;
  const { managedFields: __, ...after } = draft.metadata;
  if (isEqualJson({ ...live, metadata: before }, { ...draft, metadata: after })) return;
  const { kind, apiVersion } = typeOf(applied);
  const [namespace, name] = ['namespace', 'name'].map((member) => {
    const text = memberOf(applied['metadata'], member);
    return typeof text === 'string' ? text : '';
  });
  throw plainError(
    `failed to convert new object (${namespace}/${name}; ${gvkText(apiVersion, kind)}) to proper version: request to convert CR to an invalid group/version: ${apiVersion}`,
  );
}

/** Most clients send JSON, which is YAML, and which is read much faster. */
function valueOf(exchange: Exchange): Pick<ParsedYaml, 'value' | 'duplicates'> {
  const { body } = exchange.request;
  if (body?.kind === 'object') return { value: body.object, duplicates: [] };
  const { readYaml } = exchange;
  if (readYaml?.kind === 'value') return readYaml;
  if (readYaml) throw notYaml(readYaml.message);
  const text = patchText(exchange);
  // Its parser refuses what may stand in a text of JSON.
  if (text.startsWith('{') && !text.includes('\u007f')) {
    const json = plainJson(text);
    if (json) return json;
  }
  return parsed(text);
}

/** Undefined: the YAML parser has something to say about it. */
function plainJson(text: string): Pick<ParsedYaml, 'value' | 'duplicates'> | undefined {
  try {
    const { value, duplicates } = parseJson(text);
    return duplicates.length === 0 ? { value, duplicates } : undefined;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

function parsed(text: string): ParsedYaml {
  try {
    const read = yamlToJson(text);
    checkValues(read.value);
    return read;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw notYaml(error instanceof Error ? error.message : String(error));
  }
}

const notYaml = (why: string): Error =>
  badRequest(`error decoding YAML: error converting YAML to JSON: ${why}`);

function objectOf(value: unknown): JsonObject {
  if (value === null || value === undefined) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as JsonObject;
  const word = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${word} into Go value of type map[string]interface {}`,
  );
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;

function typeOf(object: JsonObject): { kind: string; apiVersion: string } {
  const text = (name: string): string => {
    const member = object[name];
    return typeof member === 'string' ? member : '';
  };
  return { kind: text('kind'), apiVersion: text('apiVersion') };
}

/** `apps/v1, Kind=Deployment`; the core group stays empty. */
function gvkText(apiVersion: string, kind: string): string {
  if (apiVersion.split('/').length > 2) return '/, Kind=';
  const text = apiVersion.includes('/') || apiVersion === '' ? apiVersion || '/' : `/${apiVersion}`;
  return `${text}, Kind=${kind}`;
}
