/**
 * Whose the fields of roles, bindings, flow schemas and priority levels are that a server puts into its storage: its own, as
 * if it had asked for them, and what is said of flow schemas afterwards belongs to who looks after them. What controllers
 * sum up of roles is theirs.
 */
import type { ApiObject, ManagedFieldsEntry } from '../../api/object.ts';
import type { Resource } from '../registry/resource.ts';
import { ownFieldsOf } from '../stores/own-status.ts';

/** By API group. */
const MANAGERS: Readonly<Record<string, string>> = {
  'rbac.authorization.k8s.io': 'kube-apiserver',
  'flowcontrol.apiserver.k8s.io': 'api-priority-and-fairness-config-producer-v1',
};
const DANGLING = 'k:{"type":"Dangling"}';
const SAID = ['.', 'f:lastTransitionTime', 'f:message', 'f:reason', 'f:status', 'f:type'];

/** Undated: times are those of the moment in which it is put there. */
export function withFirstFields(resource: Resource, object: ApiObject): ApiObject {
  const manager = MANAGERS[resource.group];
  if (manager === undefined || object.metadata.managedFields) return object;
  const asked = ownFieldsOf({ resource, now: '', subresource: '', manager }, undefined, askedOf(object));
  const said = resource.resource === 'flowschemas' ? [saidOfSchema(object)] : [];
  const entries = (asked.metadata.managedFields ?? []).map(({ time: _undated, ...entry }) => entry);
  const managedFields = [...said, ...entries];
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

/** What of it was asked for: its status is said by others, and so is what rules add up to. */
function askedOf({ status: _, ...object }: ApiObject): ApiObject {
  if (!('aggregationRule' in object)) return object;
  const { rules: _summed, ...rest } = object as ApiObject & { readonly rules?: unknown };
  return rest;
}

const saidOfSchema = ({ apiVersion }: ApiObject): ManagedFieldsEntry => ({
  manager: 'api-priority-and-fairness-config-consumer-v1',
  operation: 'Apply',
  apiVersion,
  fieldsType: 'FieldsV1',
  fieldsV1: {
    'f:status': { 'f:conditions': { [DANGLING]: Object.fromEntries(SAID.map((field) => [field, {}])) } },
  },
  subresource: 'status',
});
