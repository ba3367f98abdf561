/**
 * Whose the fields of the objects are that a server puts into an empty storage: its own, as if it had asked for them, and
 * what is said of flow schemas afterwards belongs to who looks after them. What controllers sum up of roles is theirs.
 */
import type { ApiObject, ManagedFieldsEntry } from '../../api/object.ts';
import type { Resource } from '../registry/resource.ts';
import { ownFieldsOf } from '../stores/own-status.ts';

const FLOW_CONTROL = 'flowcontrol.apiserver.k8s.io';
const FLOW_MANAGER = 'api-priority-and-fairness-config-producer-v1';
/** Beside flow control: those whose objects it makes, and no controller. */
const OWN_GROUPS: ReadonlySet<string> = new Set(['rbac.authorization.k8s.io', 'scheduling.k8s.io']);
const OWN_RESOURCES: ReadonlySet<string> = new Set(['namespaces']);
const DANGLING = 'k:{"type":"Dangling"}';
const SAID = ['.', 'f:lastTransitionTime', 'f:message', 'f:reason', 'f:status', 'f:type'];

/** Undated: times are those of the moment in which it is put there. */
export function withFirstFields(resource: Resource, object: ApiObject): ApiObject {
  if (object.metadata.managedFields || !isOwn(resource)) return object;
  const manager = resource.group === FLOW_CONTROL ? { manager: FLOW_MANAGER } : {};
  const write = { resource, now: '', subresource: '', ...manager } as const;
  const asked = ownFieldsOf(write, undefined, askedOf(resource, object));
  const said = resource.resource === 'flowschemas' ? [saidOfSchema(object)] : [];
  const entries = (asked.metadata.managedFields ?? []).map(({ time: _undated, ...entry }) => entry);
  const managedFields = [...said, ...entries];
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

const isOwn = ({ group, resource }: Resource): boolean =>
  group === FLOW_CONTROL || OWN_GROUPS.has(group) || (group === '' && OWN_RESOURCES.has(resource));

/** What of it was asked for: its status is said by others, so is what rules add up to, and namespaces are given their finalizer. */
function askedOf({ resource }: Resource, { status: _, ...object }: ApiObject): ApiObject {
  if (resource === 'namespaces') {
    const { spec: _given, ...named } = object as ApiObject & { readonly spec?: unknown };
    return named;
  }
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
