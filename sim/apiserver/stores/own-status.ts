/** What the server writes itself, statuses above all, as its inner controllers do: under its own name, without asking anybody. */
import { managedFieldsOfUpdate } from '../../api/apply/managed-update.ts';
import { atOnce } from '../../api/steps.ts';
import { canonical } from '../../api/codec/canonical.ts';
import type { ApiObject, JsonObject } from '../../api/object.ts';
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
  const whole = stored(resource, ownFieldsOf({ resource, now, subresource: 'status' }, value, next));
  store.replace(key, modRevision, (revision) => atRevision(whole, revision));
}

interface OwnWrite extends Pick<OwnWriter, 'resource' | 'now'> {
  readonly subresource: '' | 'status';
  /** Default: the server itself. */
  readonly manager?: string;
}

/** What is to be stored, with the fields that the server has written noted as its own. */
export function ownFieldsOf(
  { resource: { storageSchema: schema }, now, subresource, manager = MANAGER }: OwnWrite,
  live: ApiObject | undefined,
  next: ApiObject,
): DraftObject {
  const steps = managedFieldsOfUpdate({
    schemaOf: (apiVersion) => (apiVersion === next.apiVersion ? schema : undefined),
    convert: (object, apiVersion) => (apiVersion === next.apiVersion ? object : undefined),
    live: live as JsonObject | undefined,
    updated: canonical(schema, next),
    apiVersion: next.apiVersion,
    manager,
    subresource,
    now,
  });
  const entries = atOnce(steps);
  const { managedFields: _before, ...metadata } = next.metadata;
  return { ...next, metadata: { ...metadata, ...(entries && { managedFields: entries }) } } as DraftObject;
}
