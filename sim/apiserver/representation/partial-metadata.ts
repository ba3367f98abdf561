/** Objects cut down to their metadata. Specification: "Content negotiation". */
import type { ApiObject, ListMeta } from '../../api/object.ts';
import type { View } from './negotiate.ts';
import type { ViewObject } from './respond.ts';

const apiVersionOf = ({ group, version }: View): string => `${group}/${version}`;

export function partialObject({ metadata }: ApiObject, view: View): ViewObject {
  return {
    object: { kind: 'PartialObjectMetadata', apiVersion: apiVersionOf(view), metadata },
    typeKey: 'meta.k8s.io/v1.PartialObjectMetadata',
  };
}

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
