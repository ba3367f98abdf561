/**
 * What a server puts into an empty storage before it answers: its own namespaces, the roles that
 * everybody depends on, its own versions. What is there already stays as it is.
 */
import type { ApiObject } from '../../api/object.ts';
import type { Release } from '../../api/release/release.ts';
import { formatTime } from '../../api/time-format.ts';
import { defaultApiServices } from './default-api-services.ts';
import { DEFAULT_FLOW_SCHEMAS, DEFAULT_PRIORITY_LEVELS } from '../flow-control/default-objects.ts';
import type { Resource } from '../registry/resource.ts';
import { atRevision, deepFreeze, stored } from '../registry/storage-form.ts';
import type { StoreView } from '../request/server-view.ts';
import { rbacDefaults } from './rbac-defaults.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';

const namespace = (name: string): ApiObject => ({
  kind: 'Namespace',
  apiVersion: 'v1',
  metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
  spec: { finalizers: ['kubernetes'] },
  status: { phase: 'Active' },
});

const priorityClass = (name: string, value: number, description: string): ApiObject => ({
  kind: 'PriorityClass',
  apiVersion: 'scheduling.k8s.io/v1',
  metadata: { name, generation: 1 },
  value,
  description,
  preemptionPolicy: 'PreemptLowerPriority',
});

const BUILTIN_OBJECTS: readonly (readonly [resource: string, objects: readonly ApiObject[]])[] = [
  ['prioritylevelconfigurations.flowcontrol.apiserver.k8s.io', DEFAULT_PRIORITY_LEVELS],
  ['flowschemas.flowcontrol.apiserver.k8s.io', DEFAULT_FLOW_SCHEMAS],
  ['namespaces', ['default', 'kube-node-lease', 'kube-public', 'kube-system'].map(namespace)],
  [
    'priorityclasses.scheduling.k8s.io',
    [
      priorityClass(
        'system-cluster-critical',
        2_000_000_000,
        'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
      ),
      priorityClass(
        'system-node-critical',
        2_000_001_000,
        'Used for system critical pods that must not be moved from their current node.',
      ),
    ],
  ],
];

/** What of a server it fills the storage of. */
export interface BootstrapHost extends StoreView {
  readonly release: Release;
  readonly surroundings: ApiServerSurroundings;
}

export function bootstrap(stores: BootstrapHost): void {
  const { surroundings, release } = stores;
  const now = formatTime(surroundings.wallMs());
  const apiServices = defaultApiServices(stores.registry, release.rules.servicePriorities, now);
  for (const [text, objects, form] of [
    ...BUILTIN_OBJECTS.map(([name, builtin]) => [name, builtin, keptForm] as const),
    ...Object.entries(rbacDefaults()).map(
      ([name, builtin]) => [`${name}.rbac.authorization.k8s.io`, builtin, keptForm] as const,
    ),
    ['apiservices.apiregistration.k8s.io', apiServices, stored] as const,
  ]) {
    const resource = stores.registry.findByText(text);
    if (!resource) continue;
    const store = stores.storeOf(resource);
    for (const object of objects) {
      const prepared = form(resource, object);
      const metadata = { ...prepared.metadata, uid: surroundings.uuid(), creationTimestamp: now };
      const whole = { ...prepared, metadata };
      store.create(store.key(object.metadata.namespace ?? '', object.metadata.name ?? ''), (revision) =>
        atRevision(whole, revision),
      );
    }
  }
}

/** By resource and object: many servers of one process put the same objects into their storages. */
const forms = new WeakMap<Resource, WeakMap<ApiObject, ApiObject>>();

function keptForm(resource: Resource, object: ApiObject): ApiObject {
  let known = forms.get(resource);
  if (!known) forms.set(resource, (known = new WeakMap<ApiObject, ApiObject>()));
  const form = known.get(object);
  if (form) return form;
  const made = deepFreeze(stored(resource, object));
  known.set(object, made);
  return made;
}
