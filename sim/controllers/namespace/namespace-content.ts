/**
 * Deletes what is in a namespace, kind by kind, and says what is left. Pods may take as long as their grace period,
 * what has finalizers as long as somebody takes to remove them; anything else that is left is a failure.
 */
import type { ApiObject } from '../../api/object.ts';
import type { Namespace, Pod } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { hasReason, isCallFailure, isNotFound } from '../../client/api-failure.ts';
import type { DiscoveredResource } from '../../client/discovery/discovery.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import type { Process } from '../../engine/process.ts';
import type { DeletionReport } from './deletion-conditions.ts';

/** What has a finalizer is looked for again after half of so many seconds. */
const FINALIZER_ESTIMATE = 15;

export interface ContentReport extends DeletionReport {
  /** How long what is left may take, in seconds. */
  readonly estimate: number;
}

/** What one kind adds to the report. */
interface KindReport {
  readonly estimate: number;
  readonly left: readonly ApiObject[];
  readonly failure?: string;
}

export function* deleteContent(
  client: ApiClient,
  namespace: Namespace,
  resources: readonly DiscoveredResource[],
): Process<ContentReport> {
  const failures: string[] = [];
  const remaining = new Map<string, number>();
  const finalizers = new Map<string, number>();
  let estimate = 0;
  for (const resource of resources) {
    const report = yield* deleteKind(client, namespace, resource);
    if (report.failure !== undefined) failures.push(report.failure);
    estimate = Math.max(estimate, report.estimate);
    const { group, resource: name } = resource.handle;
    if (report.left.length > 0) remaining.set(`${name}.${group}`, report.left.length);
    for (const finalizer of report.left.flatMap(({ metadata }) => metadata.finalizers ?? []))
      finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
  }
  return { failures, remaining, finalizers, estimate };
}

function* deleteKind(
  client: ApiClient,
  { metadata: { name: namespace = '', deletionTimestamp = '' } }: Namespace,
  { handle, verbs }: DiscoveredResource,
): Process<KindReport> {
  try {
    const isOfPods = handle.group === '' && handle.resource === 'pods';
    const estimate = isOfPods ? yield* podEstimate(client, { handle, namespace, deletionTimestamp }) : 0;
    if (verbs.includes('deletecollection')) yield* client.deleteCollection(handle, { namespace });
    else yield* deleteEach(client, handle, namespace);
    if (!verbs.includes('list')) return { estimate, left: [] };
    const { items: left } = yield* client.list(handle, { namespace });
    if (estimate > 0) return { estimate, left };
    if (left.some(({ metadata: { finalizers = [] } }) => finalizers.length > 0))
      return { estimate: FINALIZER_ESTIMATE, left };
    return { estimate, left, ...(left.length > 0 && { failure: unexpected(namespace, handle) }) };
  } catch (error) {
    // The kind has gone since it was found, or does not do what it says.
    if (isNotFound(error) || hasReason(error, 'MethodNotAllowed')) return { estimate: 0, left: [] };
    if (!isCallFailure(error)) throw error;
    return { estimate: 0, left: [], failure: error.message };
  }
}

const unexpected = (namespace: string, { group, version, resource }: ResourceHandle): string =>
  `unexpected items still remain in namespace: ${namespace} for gvr: ${group}/${version}, Resource=${resource}`;

/** The longest grace period of pods that have not ended, less what has passed of it; in seconds. */
function* podEstimate(
  client: ApiClient,
  {
    handle,
    namespace,
    deletionTimestamp,
  }: { readonly handle: ResourceHandle; readonly namespace: string; readonly deletionTimestamp: string },
): Process<number> {
  const { items } = yield* client.list(handle, { namespace });
  const longest = Math.max(
    0,
    ...(items as readonly Pod[])
      .filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
      .map(({ spec }) => spec?.terminationGracePeriodSeconds ?? 0),
  );
  const passed = Math.floor((client.context.wallMs() - Date.parse(deletionTimestamp)) / 1_000);
  return Math.max(0, longest - passed);
}

function* deleteEach(client: ApiClient, handle: ResourceHandle, namespace: string): Process<void> {
  const { items } = yield* client.list(handle, { namespace });
  for (const { metadata } of items) {
    try {
      const key = { namespace, name: metadata.name ?? '' };
      yield* client.delete(handle, key, { propagationPolicy: 'Background' });
    } catch (error) {
      if (!isNotFound(error) && !hasReason(error, 'MethodNotAllowed')) throw error;
    }
  }
}
