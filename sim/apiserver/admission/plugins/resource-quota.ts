/**
 * ResourceQuota: nothing is created beyond what the quotas of the namespace limit, and what is created is
 * counted in their status at once. Counting down is the quota controller's. Specification: not shown
 * (Kubernetes, "Resource Quotas").
 */
import { forbidden } from '../../../api/status.ts';
import type { ResourceQuota } from '../../../api/types/core-v1.ts';
import type { StoredEntry } from '../../../storage/storage.ts';
import { managedFieldsOfOwnWrite } from '../../verbs/managed-fields.ts';
import type { Resource } from '../../registry/resource.ts';
import { atRevision, stored, thawed } from '../../registry/storage-form.ts';
import type { Draft } from '../../registry/strategy.ts';
import type { ResourceStore } from '../../stores/resource-store.ts';
import type { StoredObject } from '../../stores/stored-object.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { type Charge, chargesOf } from '../quota/charge.ts';
import { ownRuleOf, ruleOf } from '../../../api/quota/usage-rules.ts';

const QUOTAS = 'resourcequotas';

/** Events, and what is asked but never stored. */
const UNCOUNTED: ReadonlySet<string> = new Set(['bindings', 'events', 'localsubjectaccessreviews']);

export const resourceQuota: AdmissionPlugin = {
  name: 'ResourceQuota',
  handles: (operation, resource, subresource) => {
    if (!resource.isNamespaced || subresource !== '') return false;
    if (operation === 'UPDATE') return ownRuleOf(resource)?.countsUpdates === true;
    return operation === 'CREATE' && !UNCOUNTED.has(resource.resource);
  },
  validate: (attributes) => {
    const found = attributes.context.storeOf(QUOTAS);
    if (!found) return;
    const { resource: quotas, store } = found;
    // The server hears of quotas as any client does: one that its cache has not seen yet limits nothing.
    if (store.cache.size === 0) return;
    const { entries } = store.storage.range({ prefix: store.range(attributes.namespace) });
    if (entries.length > 0) charge(attributes, quotas, store, entries);
  },
};

function charge(
  attributes: AdmissionAttributes,
  quotas: Resource,
  store: ResourceStore,
  entries: readonly StoredEntry<StoredObject>[],
): void {
  const { resource, name, object, oldObject, isDryRun, context } = attributes;
  if (!object) return;
  const charges = chargesOf({
    quotas: entries.map(({ value }) => value as ResourceQuota),
    rule: ruleOf(resource),
    nowMs: context.nowMs,
    object,
    old: oldObject,
    refuse: (why) => forbidden(resource, name, why),
  });
  if (isDryRun) return;
  for (const change of charges) {
    const entry = entries.find(({ value }) => value === change.quota);
    if (entry) write(attributes, quotas, store, entry, change);
  }
}

/** Nothing happens between reading and writing, so the write cannot fail. */
function write(
  { context }: AdmissionAttributes,
  quotas: Resource,
  store: ResourceStore,
  { key, modRevision, value }: StoredEntry<StoredObject>,
  { used }: Charge,
): void {
  const draft = thawed(value) as Draft<ResourceQuota>;
  draft.status = { ...draft.status, used };
  managedFieldsOfOwnWrite(quotas, { live: value, draft, subresource: 'status', nowMs: context.nowMs });
  const next = stored(quotas, draft);
  store.replace(key, modRevision, (revision) => atRevision(next, revision));
}
