/**
 * The object that a JSON or merge patch gave, out of its text: a type error or, at level Strict, an
 * unknown or duplicate field is a 422 that shows the whole patched text.
 */
import { goQuote } from '../../../api/go-text.ts';
import { splitGroupVersion } from '../../../api/catalog/builtin-kinds.ts';
import { DecodeError } from '../../../api/codec/decode-error.ts';
import { decodeJson, decodePlainly } from '../../../api/codec/decode.ts';
import type { JsonObject } from '../../../api/object.ts';
import { andThen, rescued, type Steps } from '../../../api/steps.ts';
import { invalidPatchResult } from '../../../api/patch/patch-error.ts';
import { type Baseline, draftOf } from '../baseline.ts';
import { boundedText } from '../bounded-text.ts';
import { keepEmptyLists, keepEmptyListsOfText } from '../empty-lists.ts';
import type { ResourceVersion } from '../../registry/resource.ts';
import type { DraftObject } from '../../registry/strategy.ts';
import { checkNamespace } from '../create-object.ts';
import { ofNoType } from '../read-body.ts';
import { UNVERSIONED_KINDS } from '../unversioned-kinds.ts';
import { checkName } from '../update.ts';
import { decodePatchedCustom } from './decode-patched-custom.ts';
import type { PatchRequest } from './patcher.ts';
import { typeOf } from './type-of-text.ts';

/** `findings`: what was wrong with the patch itself. In the request's version, defaulted. */
export function decodePatched(
  request: PatchRequest,
  text: string,
  findings: readonly string[],
): Steps<DraftObject> {
  const { exchange, options } = request;
  const decoding = rescued(
    () => decodedText(request, text, findings),
    (error) => {
      if (!(error instanceof DecodeError)) throw error;
      throw invalidPatchResult(text, error.message);
    },
  );
  return andThen(decoding, ({ object, all, refusal }) => {
    if (all.length > 0) {
      if (options.fieldValidation === 'Strict')
        throw invalidPatchResult(text, `strict decoding error: ${all.join(', ')}`);
      if (options.fieldValidation === 'Warn') for (const finding of all) exchange.warn(finding);
    }
    if (refusal) throw refusal;
    return completed(request, object);
  });
}

interface DecodedText {
  readonly object: DraftObject;
  readonly all: readonly string[];
  readonly refusal?: Error;
}

/** Defaulted, in the request's version. */
function completed({ exchange }: PatchRequest, object: DraftObject): DraftObject {
  const { resource, version } = exchange.routed;
  resource.strategy.defaults?.(object, object.apiVersion, exchange.server.features);
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

function decodedText(
  { exchange }: PatchRequest,
  patched: string,
  findings: readonly string[],
): Steps<DecodedText> {
  const { resource, version } = exchange.routed;
  // Operations can nest deeper than their texts do.
  const text = boundedText(patched, exchange.routed);
  if (resource.isCustom) return decodePatchedCustom(exchange.routed, text, findings);
  if (text.startsWith('[')) throw new DecodeError(ofNoType('array'));
  const { kind, apiVersion, members } = typeOf(text);
  if (apiVersion.split('/').length > 2)
    throw new DecodeError(`unexpected GroupVersion string: ${apiVersion}`);
  if (apiVersion === '') {
    if (kind !== '' && kind !== version.kind) throw new DecodeError(otherInternalKind(exchange, kind));
    return untyped(version, members, findings);
  }
  const other = resourceVersionOf(exchange.routed, apiVersion);
  const isSame = (kind === version.kind || kind === '') && (apiVersion === version.apiVersion || other);
  if (!isSame) throw new DecodeError(wrongKind(exchange, { apiVersion, kind: kind || version.kind }));
  const schema = other?.schema ?? version.schema;
  return () =>
    andThen(decodeJson(schema, text, true), (decoded) => {
      const object = {
        ...decoded.object,
        kind: version.kind,
        apiVersion: other?.apiVersion ?? version.apiVersion,
      } as DraftObject;
      object.metadata ??= {};
      keepEmptyListsOfText(object, text, resource.strategy);
      return { object, all: [...findings, ...decoded.findings] };
    });
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
  if (UNVERSIONED_KINDS.has(kind))
    return `converting (v1.${kind}) to (${routed.resource.goTypeName}): unknown conversion`;
  if (!server.release.catalog.kinds.find({ group, version, kind })) {
    return `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme "pkg/runtime/scheme.go:100"`;
  }
  return `converting (${version}.${kind}) to (${routed.resource.goTypeName}): unknown conversion`;
}
