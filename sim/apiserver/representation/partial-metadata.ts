/** Objects cut down to their metadata. Specification: "Content negotiation". */
import type { BuiltinTypes } from '../../api/catalog/builtin-types.ts';
import { encodeJson } from '../../api/codec/encode.ts';
import type { ApiObject, ListMeta, ObjectMeta } from '../../api/object.ts';
import type { Strategy } from '../registry/strategy.ts';
import type { TypedForm } from './encode.ts';
import type { View } from './negotiate.ts';
import type { ViewObject } from './view-object.ts';

const apiVersionOf = ({ group, version }: View): string => `${group}/${version}`;

/** What of a kind shows in metadata alone. */
type Kind = Pick<Strategy, 'versionedAnnotations'>;

export function partialObject({ metadata }: ApiObject, view: View, kind: Kind): ViewObject {
  return {
    object: {
      kind: 'PartialObjectMetadata',
      apiVersion: apiVersionOf(view),
      metadata: withoutVersioned(metadata, kind),
    },
    typeKey: 'meta.k8s.io/v1.PartialObjectMetadata',
  };
}

function withoutVersioned(metadata: ObjectMeta, { versionedAnnotations: hidden }: Kind): ObjectMeta {
  const { annotations } = metadata;
  if (!hidden || !annotations || !hidden.some((name) => name in annotations)) return metadata;
  const shown = Object.entries(annotations).filter(([name]) => !hidden.includes(name));
  const members = Object.entries(metadata).flatMap(([name, value]): [string, unknown][] => {
    if (name !== 'annotations') return [[name, value]];
    return shown.length > 0 ? [[name, Object.fromEntries(shown)]] : [];
  });
  return Object.fromEntries(members) as ObjectMeta;
}

/** How one is written in protobuf. */
export const partialForm = (types: BuiltinTypes, view: View): TypedForm => ({
  apiVersion: apiVersionOf(view),
  kind: 'PartialObjectMetadata',
  schema: types.structOf('meta.k8s.io/v1.PartialObjectMetadata'),
});

/** An empty list has `null` for its items, as on a real server. */
export function partialList(
  items: readonly ApiObject[],
  metadata: ListMeta,
  view: View,
  kind: Kind,
): ViewObject {
  const parts = items.map((item) => partialObject(item, view, kind).object);
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
export function encodedPartial(object: ApiObject, view: View, kind: Kind): string {
  const apiVersion = apiVersionOf(view);
  let texts = keptTexts.get(apiVersion);
  if (!texts) keptTexts.set(apiVersion, (texts = new WeakMap()));
  const known = texts.get(object);
  if (known !== undefined) return known;
  const text = encodeJson(partialObject(object, view, kind).object);
  if (Object.isFrozen(object)) texts.set(object, text);
  return text;
}
