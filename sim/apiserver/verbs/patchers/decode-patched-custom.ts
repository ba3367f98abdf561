/** The custom resource that a JSON or merge patch gave, out of its text. Of another kind or version it is refused here. */
import { splitGroupVersion } from '../../../api/catalog/builtin-kinds.ts';
import { DecodeError } from '../../../api/codec/decode-error.ts';
import { parseJson } from '../../../api/codec/strict-json.ts';
import type { JsonObject } from '../../../api/object.ts';
import { internalError } from '../../../api/status.ts';
import type { Steps } from '../../../api/steps.ts';
import { invalid, invalidError } from '../../../api/validation/field-error.ts';
import { FieldPath } from '../../../api/validation/field-path.ts';
import { decodeCustom, schemaOfDocument } from '../../custom-resources/custom-decode.ts';
import { isMap } from '../../custom-resources/json-schema.ts';
import type { ResourceVersion } from '../../registry/resource.ts';
import type { Target } from '../../request/exchange.ts';
import type { DraftObject } from '../../registry/strategy.ts';
import { keepEmptyListsOfText } from '../empty-lists.ts';
import { typeOf } from './type-of-text.ts';

interface PatchedCustom {
  readonly object: DraftObject;
  readonly all: readonly string[];
  /** It is of another kind or version: what it is refused with once the findings are told. */
  readonly refusal?: Error;
}

/** @throws DecodeError @throws ApiError */
export function decodePatchedCustom(
  target: Target,
  text: string,
  findings: readonly string[],
): Steps<PatchedCustom> {
  const { kind, apiVersion } = typeOf(text);
  if (kind === '') throw new DecodeError(`Object 'Kind' is missing in '${text}'`);
  const { value: parsed } = parseJson(text);
  const document = isMap(parsed) ? parsed : {};
  if (document['apiVersion'] === null)
    throw new DecodeError('.apiVersion accessor error: <nil> is of the type <nil>, expected string');
  if (apiVersion.split('/').length > 2)
    throw new DecodeError(`unexpected GroupVersion string: ${apiVersion}`);
  return () => decodedDocument(target, document as JsonObject, { text, apiVersion, findings });
}

function decodedDocument(
  { resource, version, subresource }: Target,
  document: JsonObject,
  {
    text,
    apiVersion,
    findings,
  }: { readonly text: string; readonly apiVersion: string; readonly findings: readonly string[] },
): Steps<PatchedCustom> {
  const schema = schemaOfDocument(version, resource.versions, document);
  const { draft, findings: own } = decodeCustom(version, document, { schema });
  const patched = { object: draft, all: [...findings, ...own] };
  if (apiVersion === '') {
    const refusal = internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'");
    return { ...patched, refusal };
  }
  // Of a status nothing else is taken over.
  if (subresource?.name === 'status')
    Object.assign(draft, { kind: version.kind, apiVersion: version.apiVersion });
  else if (apiVersion !== version.apiVersion)
    return { ...patched, refusal: ofAnotherVersion(draft, version) };
  return () => {
    keepEmptyListsOfText(draft, text, {});
    return patched;
  };
}

function ofAnotherVersion({ apiVersion, kind, metadata }: DraftObject, version: ResourceVersion): Error {
  const errors = [
    ...(kind === version.kind ? [] : [invalid(FieldPath.of('kind'), kind, `must be ${version.kind}`)]),
    invalid(FieldPath.of('apiVersion'), apiVersion, `must be ${version.apiVersion}`),
  ];
  const { group } = splitGroupVersion(apiVersion);
  return invalidError({ group, kind }, metadata.name ?? '', errors);
}
