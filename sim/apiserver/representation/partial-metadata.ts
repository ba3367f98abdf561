/** Objects cut down to their metadata. Specification: "Content negotiation". */
import type { BuiltinTypes } from '../../api/catalog/builtin-types.ts';
import { encodeJson } from '../../api/codec/encode.ts';
import type { ApiObject, ListMeta } from '../../api/object.ts';
import type { TypedForm } from './encode.ts';
import type { View } from './negotiate.ts';
import type { ViewObject } from './view-object.ts';

const apiVersionOf = ({ group, version }: View): string => `${group}/${version}`;

export function partialObject({ metadata }: ApiObject, view: View): ViewObject {
  return {
    object: { kind: 'PartialObjectMetadata', apiVersion: apiVersionOf(view), metadata },
    typeKey: 'meta.k8s.io/v1.PartialObjectMetadata',
  };
}

/** How one is written in protobuf. */
export const partialForm = (types: BuiltinTypes, view: View): TypedForm => ({
  apiVersion: apiVersionOf(view),
  kind: 'PartialObjectMetadata',
  schema: types.structOf('meta.k8s.io/v1.PartialObjectMetadata'),
});

/** An empty list has `null` for its items, as on a real server. */
export function partialList(items: readonly ApiObject[], metadata: ListMeta, view: View): ViewObject {
  const parts = items.map((item) => partialObject(item, view).object);
  return {
    object: {
      kind: 'PartialObjectMetadataList',
      apiVersion: apiVersionOf(view),
      metadata,
      items: parts.length > 0 ? parts : null,
    },
    typeKey: 'meta.k8s.io/v1.PartialObjectMetadataList',
  };
}

/** JSON of frozen objects' metadata, for each version of the view. */
const keptTexts = new Map<string, WeakMap<ApiObject, string>>();

/** The cut-down object as JSON. What was made of a frozen object is kept with it. */
export function encodedPartial(object: ApiObject, view: View): string {
  const apiVersion = apiVersionOf(view);
  let texts = keptTexts.get(apiVersion);
  if (!texts) keptTexts.set(apiVersion, (texts = new WeakMap()));
  const known = texts.get(object);
  if (known !== undefined) return known;
  const text = encodeJson(partialObject(object, view).object);
  if (Object.isFrozen(object)) texts.set(object, text);
  return text;
}
