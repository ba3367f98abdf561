/** Carries out a plan of slices for an owner, and remembers what was written. */
import type { ObjectMeta } from '../../api/object.ts';
import type { EndpointSlice } from '../../api/types/discovery-k8s-io-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { Process } from '../../engine/process.ts';
import type { SlicePlan } from '../endpointslice/slice-plan.ts';
import type { SliceTracker } from './slice-tracker.ts';

const { endpointSlices } = BUILTIN_HANDLES;

export interface SliceOwner {
  readonly key: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export function* writeSlices(
  client: ApiClient,
  owner: SliceOwner,
  { plan, tracker }: { readonly plan: SlicePlan; readonly tracker: SliceTracker },
): Process<void> {
  const { key, labels, annotations } = owner;
  for (const { slice, addressType, ports, endpoints } of plan.writes) {
    const content = { addressType, endpoints, ports };
    const written: EndpointSlice = slice
      ? yield* client.update(endpointSlices, {
          ...slice,
          ...content,
          metadata: { ...slice.metadata, labels, annotations: { ...ownAnnotations(slice), ...annotations } },
        })
      : yield* client.create(endpointSlices, {
          ...content,
          metadata: { ...birthOf(owner), labels, annotations },
        });
    tracker.wrote(key, written);
  }
  for (const slice of plan.removals) {
    const { name = '', namespace = '' } = slice.metadata;
    try {
      yield* client.delete(endpointSlices, { name, namespace });
      tracker.removed(key, slice);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** All but those that only the last change has set. */
function ownAnnotations({ metadata: { annotations = {} } }: EndpointSlice): Readonly<Record<string, string>> {
  const { 'endpoints.kubernetes.io/last-change-trigger-time': _, ...others } = annotations;
  return others;
}

/** A name of `<owner>-`, cut where it would be too long. */
function birthOf({ apiVersion, kind, metadata }: SliceOwner): ObjectMeta {
  const { name = '', namespace = '', uid = '' } = metadata;
  return {
    generateName: `${name}-`,
    namespace,
    ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }],
  };
}
