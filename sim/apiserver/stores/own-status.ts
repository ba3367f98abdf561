/** Statuses that the server writes itself, as its inner controllers do: under its own name, without asking anybody. */
import { managedFieldsOfUpdate } from '../../api/apply/managed-update.ts';
import { canonical } from '../../api/codec/canonical.ts';
import type { ApiObject, JsonObject, ManagedFieldsEntry } from '../../api/object.ts';
import type { StoredEntry } from '../../storage/storage.ts';
import type { Resource } from '../registry/resource.ts';
import { atRevision, stored } from '../registry/storage-form.ts';
import type { DraftObject } from '../registry/strategy.ts';
import type { ResourceStore } from './resource-store.ts';
import type { StoredObject } from './stored-object.ts';

const MANAGER = 'kube-apiserver';

export interface OwnWriter {
  readonly store: ResourceStore;
  readonly resource: Resource;
  /** RFC 3339. */
  readonly now: string;
}

/** Only if nobody has written since `entry`. */
export function writeOwnStatus(
  { store, resource, now }: OwnWriter,
  { key, value, modRevision }: StoredEntry<StoredObject>,
  next: ApiObject,
): void {
  const entries = managedFields(resource, value, next, now);
  const { managedFields: _before, ...metadata } = next.metadata;
  const draft = {
    ...next,
    metadata: { ...metadata, ...(entries && { managedFields: entries }) },
  } as DraftObject;
  const whole = stored(resource, draft);
  store.replace(key, modRevision, (revision) => atRevision(whole, revision));
}

function managedFields(
  { storageSchema: schema }: Resource,
  live: ApiObject,
  next: ApiObject,
  now: string,
): readonly ManagedFieldsEntry[] | undefined {
  return managedFieldsOfUpdate({
    schemaOf: (apiVersion) => (apiVersion === next.apiVersion ? schema : undefined),
    convert: (object, apiVersion) => (apiVersion === next.apiVersion ? object : undefined),
    live: live as JsonObject,
    updated: canonical(schema, next),
    apiVersion: next.apiVersion,
    manager: MANAGER,
    subresource: 'status',
    now,
  });
}
