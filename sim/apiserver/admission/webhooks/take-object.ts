/** What a mutating webhook makes of an object, brought back into the draft of the request. */
import { DecodeError } from '../../../api/codec/decode-error.ts';
import { decodeStruct } from '../../../api/codec/decode.ts';
import { goQuote } from '../../../api/go-text.ts';
import type { ApiObject, JsonObject } from '../../../api/object.ts';
import { ApiError, internalError } from '../../../api/status.ts';
import type { Process } from '../../../engine/process.ts';
import { decodeCustom } from '../../custom-resources/custom-decode.ts';
import { type ResourceVersion, workingVersion } from '../../registry/resource.ts';
import { copied } from '../../registry/storage-form.ts';
import type { DraftObject } from '../../registry/strategy.ts';
import { BodyError, parseBody } from '../../verbs/read-body.ts';
import type { AdmissionAttributes } from '../admission.ts';

/** Text of the patched object → draft in the webhook's version, decoded and defaulted. @throws ApiError InternalError */
export function decodedPatched(
  { resource, view, context }: AdmissionAttributes,
  version: ResourceVersion,
  text: string,
): DraftObject {
  try {
    const { value, type } = parseBody({ kind: 'json', text });
    const target = view?.version ?? version;
    checkType(type, target, resource.isCustom && !view);
    if (resource.isCustom && !view) return decodeCustom(version, value as JsonObject).draft;
    const draft = copied(decodeStruct(target.schema, value)) as DraftObject;
    draft.kind = target.kind;
    draft.apiVersion = target.apiVersion;
    if (!view?.isBare) draft.metadata ??= {};
    if (!view) resource.strategy.defaults?.(draft, version.apiVersion, context);
    return draft;
  } catch (error) {
    if (error instanceof BodyError || error instanceof DecodeError) throw internalError(error.message);
    throw error;
  }
}

function checkType(
  { kind, apiVersion }: { readonly kind: string; readonly apiVersion: string },
  wanted: { readonly kind: string; readonly apiVersion: string },
  isCustom: boolean,
): void {
  if (isCustom && kind === '') throw internalError("Object 'Kind' is missing in the patched object");
  const said = { kind: kind || wanted.kind, apiVersion: apiVersion || wanted.apiVersion };
  if (said.kind === wanted.kind && said.apiVersion === wanted.apiVersion) return;
  throw internalError(
    `no kind ${goQuote(said.kind)} is registered for version ${goQuote(said.apiVersion)} in scheme "pkg/runtime/scheme.go:100"`,
  );
}

/** Puts the object into the place of what the draft was. Parts that others still hold are left alone. */
export function* take(attributes: AdmissionAttributes, made: DraftObject): Process<void> {
  const { object: draft, view, resource } = attributes;
  if (!draft) return;
  if (view) {
    view.take(draft, made);
    return;
  }
  const next = yield* inWorkingVersion(attributes, made);
  for (const name of Object.keys(draft)) if (!(name in next)) Reflect.deleteProperty(draft, name);
  Object.assign(draft, next);
  void resource;
}

function* inWorkingVersion(
  { resource, version, context }: AdmissionAttributes,
  made: DraftObject,
): Process<DraftObject> {
  const object = made as ApiObject;
  const wanted = workingVersion(resource, version);
  if (!resource.askConverted || object.apiVersion === wanted)
    return resource.convert(object, wanted) as DraftObject;
  const [converted] = yield* resource.askConverted([object], wanted, context.surroundings, 'nothing');
  if (!converted) throw new ApiError({ reason: '', message: 'nothing was converted' });
  return copied(converted) as DraftObject;
}
