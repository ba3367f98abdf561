/** Carries out a plan of slices for an owner, and remembers what was written. */
import type { ObjectMeta } from '../../api/object.ts';
import type { EndpointSlice } from '../../api/types/discovery-k8s-io-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { ApiError } from '../../api/status.ts';
import { isCallFailure, isNotFound } from '../../client/api-failure.ts';
import { isNamespaceEnding } from '../workload/pod-control.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { Process } from '../../engine/process.ts';
import type { SlicePlan, SliceWrite } from '../endpointslice/slice-plan.ts';
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
  const isGoing = owner.metadata.deletionTimestamp !== undefined;
  const added = isGoing ? [] : plan.writes.filter(({ slice }) => !slice);
  for (const write of [...added, ...plan.writes.filter(({ slice }) => slice)]) {
    try {
      tracker.wrote(owner.key, yield* writeOne(client, owner, write));
    } catch (error) {
      // Nothing can be made there any more, and what is there goes by itself.
      if (!write.slice && isNamespaceEnding(error)) return;
      throw failed(owner, write.slice ? `update ${write.slice.metadata.name ?? ''}` : 'create', error);
    }
  }
  for (const slice of plan.removals) {
    const { name = '', namespace = '' } = slice.metadata;
    try {
      yield* client.delete(endpointSlices, { name, namespace });
      tracker.removed(owner.key, slice);
    } catch (error) {
      if (!isNotFound(error)) throw failed(owner, `delete ${name}`, error);
    }
  }
}

function writeOne(
  client: ApiClient,
  owner: SliceOwner,
  { slice, addressType, ports, endpoints }: SliceWrite,
): Process<EndpointSlice> {
  const { labels, annotations } = owner;
  const content = { addressType, endpoints, ports };
  if (!slice)
    return client.create(endpointSlices, {
      ...content,
      metadata: { ...birthOf(owner), labels, annotations },
    });
  const metadata = { ...slice.metadata, labels, annotations: { ...ownAnnotations(slice), ...annotations } };
  return client.update(endpointSlices, { ...slice, ...content, metadata });
}

/** What was being done is part of what is told. */
function failed({ kind, metadata }: SliceOwner, what: string, error: unknown): unknown {
  if (!isCallFailure(error)) return error;
  const of = `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
  const message = `failed to ${what} EndpointSlice for ${kind} ${of}: ${error.message}`;
  return new ApiError({ reason: '', message, code: 0 });
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
