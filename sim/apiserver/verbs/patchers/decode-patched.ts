/**
 * The object that a JSON or merge patch gave, out of its text: a type error or, at level Strict, an
 * unknown or duplicate field is a 422 that shows the whole patched text.
 */
import { goQuote } from '../../../api/go-text.ts';
import { splitGroupVersion } from '../../../api/catalog/builtin-kinds.ts';
import { DecodeError } from '../../../api/codec/decode-error.ts';
import { decodeJson, decodePlainly } from '../../../api/codec/decode.ts';
import type { JsonObject } from '../../../api/object.ts';
import { invalidPatchResult } from '../../../api/patch/patch-error.ts';
import { invalid, invalidError } from '../../../api/validation/field-error.ts';
import { FieldPath } from '../../../api/validation/field-path.ts';
import { type Baseline, draftOf } from '../baseline.ts';
import { boundedText } from '../bounded-text.ts';
import { keepEmptyLists, keepEmptyListsOfText } from '../empty-lists.ts';
import type { ResourceVersion } from '../../registry/resource.ts';
import { decodeCustom } from '../../custom-resources/custom-decode.ts';
import { isMap } from '../../custom-resources/json-schema.ts';
import type { DraftObject } from '../../registry/strategy.ts';
import { checkNamespace } from '../create-object.ts';
import { checkName } from '../update.ts';
import type { PatchRequest } from './patcher.ts';

/** `findings`: what was wrong with the patch itself. In the request's version, defaulted. */
export function decodePatched(request: PatchRequest, text: string, findings: readonly string[]): DraftObject {
  const { exchange, options } = request;
  const { object, all } = decodedText(request, text, findings);
  if (all.length > 0) {
    if (options.fieldValidation === 'Strict')
      throw invalidPatchResult(text, `strict decoding error: ${all.join(', ')}`);
    if (options.fieldValidation === 'Warn') for (const finding of all) exchange.warn(finding);
  }
  return completed(request, object);
}

/** Defaulted, in the request's version. */
function completed({ exchange }: PatchRequest, object: DraftObject): DraftObject {
  const { resource, version } = exchange.routed;
  resource.strategy.defaults?.(object, object.apiVersion);
  const shown = resource.convert(object, version.apiVersion) as DraftObject;
  if (shown.metadata) checkNamespace(exchange, resource, shown.metadata);
  checkName(shown.metadata?.name ?? '', exchange.info.name);
  return shown;
}

/** The same out of a patched value of the live object's own type; undefined: its text has to be looked at. */
export function decodePatchedValue(
  request: PatchRequest,
  patched: JsonObject,
  baseline: Baseline | undefined,
): DraftObject | undefined {
  const { resource, version } = request.exchange.routed;
  const decoded = decodePlainly(version.schema, patched, baseline?.object);
  if (!decoded) return undefined;
  const object = draftOf(decoded, baseline);
  object.metadata ??= {};
  keepEmptyLists(object, patched, resource.strategy);
  return completed(request, object);
}

function decodedText({ exchange }: PatchRequest, patched: string, findings: readonly string[]) {
  const { resource, version } = exchange.routed;
  try {
    // Operations can nest deeper than their texts do.
    const text = boundedText(patched, exchange.routed);
    if (resource.isCustom) return patchedCustom(version, text, findings);
    const { kind, apiVersion, members } = typeOf(text);
    if (apiVersion === '') {
      if (kind !== '' && kind !== version.kind) throw new DecodeError(otherInternalKind(exchange, kind));
      return untyped(version, members, findings);
    }
    const other = resourceVersionOf(exchange.routed, apiVersion);
    const isSame = (kind === version.kind || kind === '') && (apiVersion === version.apiVersion || other);
    if (!isSame) throw new DecodeError(wrongKind(exchange, { apiVersion, kind: kind || version.kind }));
    const schema = other?.schema ?? version.schema;
    const decoded = decodeJson(schema, text, true);
    const object = {
      ...decoded.object,
      kind: version.kind,
      apiVersion: other?.apiVersion ?? version.apiVersion,
    } as DraftObject;
    object.metadata ??= {};
    keepEmptyListsOfText(object, text, resource.strategy);
    return { object, all: [...findings, ...decoded.findings] };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw invalidPatchResult(patched, error.message);
  }
}

/** Kind and version of the result are judged by validation. */
function patchedCustom(version: ResourceVersion, text: string, findings: readonly string[]) {
  const document: unknown = JSON.parse(text);
  const { draft, findings: own } = decodeCustom(version, isMap(document) ? document : {});
  if (draft.apiVersion !== version.apiVersion) {
    const error = invalid(FieldPath.of('apiVersion'), draft.apiVersion, `must be ${version.apiVersion}`);
    throw invalidError({ group: version.group, kind: draft.kind }, draft.metadata.name ?? '', [error]);
  }
  keepEmptyListsOfText(draft, text, {});
  return { object: draft, all: [...findings, ...own] };
}

/** A patch may turn the object into another version of its kind; it is then read as that. */
function resourceVersionOf({ resource, version }: PatchRequest['exchange']['routed'], apiVersion: string) {
  if (apiVersion === '' || apiVersion === version.apiVersion) return undefined;
  return [...resource.versions.values()].find((candidate) => candidate.apiVersion === apiVersion);
}

/** Without a version the server knows none of the members. */
function untyped(
  { kind, apiVersion }: ResourceVersion,
  members: readonly string[],
  findings: readonly string[],
) {
  const object = { kind, apiVersion, metadata: {} } as DraftObject;
  const unknown = members
    .filter((name) => name !== 'kind' && name !== 'apiVersion')
    .map((name) => `unknown field "${name}"`);
  return { object, all: [...findings, ...unknown] };
}

function typeOf(text: string): { kind: string; apiVersion: string; members: readonly string[] } {
  const value: unknown = JSON.parse(text);
  const members =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
  if (typeof value === 'object' && value !== null) refuseOtherCases(value);
  const member = (name: string): string => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return '';
    const found: unknown = Reflect.get(value, name);
    if (typeof found === 'string' || found === null) return found ?? '';
    throw notAText(name, found);
  };
  return { kind: member('kind'), apiVersion: member('apiVersion'), members };
}

/** Go looks for kind and version in any case. */
function refuseOtherCases(value: object): void {
  for (const key of Object.keys(value)) {
    const name = ['apiVersion', 'kind'].find(
      (each) => each.length === key.length && each.toLowerCase() === key.toLowerCase(),
    );
    if (name === undefined || name === key) continue;
    const found: unknown = Reflect.get(value, key);
    if (found !== null && typeof found !== 'string') throw notAText(name, found);
  }
}

function notAText(name: string, found: unknown): DecodeError {
  const reason = `cannot unmarshal ${wordOf(found)} into Go struct field .${name} of type string`;
  return new DecodeError(`couldn't get version/kind; json parse error: json: ${reason}`);
}

function wordOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Of no version it is taken for the server's own form of a kind of the group. */
function otherInternalKind({ server, routed }: PatchRequest['exchange'], kind: string): string {
  const { group, version } = routed.version;
  if (!server.release.catalog.kinds.find({ group, version, kind }))
    return `no kind ${goQuote(kind)} is registered for the internal version of group ${goQuote(group)} in scheme "pkg/runtime/scheme.go:100"`;
  const { goTypeName } = routed.resource;
  return `converting (${goTypeName.slice(0, goTypeName.indexOf('.'))}.${kind}) to (${goTypeName}): unknown conversion`;
}

function wrongKind(
  { server, routed }: PatchRequest['exchange'],
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): string {
  const { group, version } = splitGroupVersion(apiVersion);
  if (!server.release.catalog.kinds.find({ group, version, kind })) {
    return `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme "pkg/runtime/scheme.go:100"`;
  }
  return `converting (${version}.${kind}) to (${routed.resource.goTypeName}): unknown conversion`;
}
