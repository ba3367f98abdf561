/**
 * What a server puts into an empty storage before it answers: its own namespaces, the roles that
 * everybody depends on, its own versions, and what controllers have left there. What is there already stays as it is, but
 * for roles and bindings of its own, which get back what they lack (`restore-rbac.ts`), and APIServices (`../aggregation/service-plan.ts`).
 */
import type { ApiObject } from '../../api/object.ts';
import type { Release } from '../../api/release/release.ts';
import { formatTime } from '../../api/time-format.ts';
import { alphaRoles } from './alpha-roles.ts';
import { ownVersions } from './default-api-services.ts';
import { keepServices } from '../aggregation/keep-services.ts';
import { DEFAULT_FLOW_SCHEMAS, DEFAULT_PRIORITY_LEVELS } from '../flow-control/default-objects.ts';
import type { Machinery } from '../machinery.ts';
import type { Resource } from '../registry/resource.ts';
import { atRevision, stored } from '../registry/storage-form.ts';
import type { StoreView } from '../request/server-view.ts';
import { withFirstFields } from './first-fields.ts';
import { rbacDefaults } from './rbac-defaults.ts';
import { restoration } from './restore-rbac.ts';
import { keptForm } from '../stores/kept-form.ts';
import { newObject } from '../stores/new-object.ts';
import { ownFieldsOf } from '../stores/own-status.ts';
import type { ResourceStore } from '../stores/resource-store.ts';
import { FIRST_REVISION } from '../../storage/revision.ts';
import type { Storage } from '../../storage/storage.ts';
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

/** Names of those that every cluster has. */
export const FIRST_NAMESPACES: readonly string[] = [
  'default',
  'kube-node-lease',
  'kube-public',
  'kube-system',
];

const BUILTIN_OBJECTS: readonly (readonly [resource: string, objects: readonly ApiObject[]])[] = [
  ['prioritylevelconfigurations.flowcontrol.apiserver.k8s.io', DEFAULT_PRIORITY_LEVELS],
  ['flowschemas.flowcontrol.apiserver.k8s.io', DEFAULT_FLOW_SCHEMAS],
  ['namespaces', FIRST_NAMESPACES.map(namespace)],
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
  readonly machinery: Pick<Machinery, 'applies' | 'notesEveryOwner'>;
  readonly storage: Pick<Storage<unknown>, 'revision'>;
  readonly release: Release;
  readonly surroundings: ApiServerSurroundings;
}

/** By resource, as in `clusterroles.rbac.authorization.k8s.io`: objects instead of the server's own, or beside them. */
export type LeftBehind = Readonly<Record<string, readonly ApiObject[]>>;

/** What others have left behind is there only where nothing was before. */
export function bootstrap(host: BootstrapHost, leftBehind: LeftBehind = NOTHING): void {
  const { surroundings, release, registry, machinery } = host;
  const isFirst = host.storage.revision === FIRST_REVISION;
  const now = formatTime(surroundings.wallMs());
  const notesOwners = machinery.applies && machinery.notesEveryOwner;
  const put = (store: ResourceStore, { key, form }: Kept): void => {
    store.create(key, (revision) => newObject(form, { uid: surroundings.uuid(), revision, now }));
  };
  const restore = (store: ResourceStore, resource: Resource, kept: Kept): void => {
    const entry = store.get(kept.key);
    const plan = entry && restoration(entry.value, kept.form);
    if (!entry || !plan) return;
    if (plan.kind === 'change') {
      const form = stored(
        resource,
        notesOwners ? ownFieldsOf({ resource, now, subresource: '' }, entry.value, plan.object) : plan.object,
      );
      store.replace(entry.key, entry.modRevision, (revision) => atRevision(form, revision));
    } else if (store.remove(entry.key, entry.modRevision) !== undefined) put(store, kept);
  };
  for (const [text, objects] of [...firstObjects(isFirst ? leftBehind : NOTHING), ...alphaRoles(registry)]) {
    const resource = registry.findByText(text);
    if (!resource) continue;
    const store = host.storeOf(resource);
    const kept = keptForms(notesOwners ? ownForms : plainForms, { resource, objects, store });
    for (const each of kept) put(store, each);
    if (isFirst || resource.group !== RBAC_GROUP) continue;
    for (const each of kept) restore(store, resource, each);
  }
  keepServices(host, { managed: 'onstart', wanted: ownVersions(registry, release.rules.servicePriorities) });
}

const RBAC_GROUP = 'rbac.authorization.k8s.io';
const NOTHING: LeftBehind = {};

/** By what was left behind; the same few are in all clusters of a process. */
const plans = new WeakMap<LeftBehind, ReadonlyMap<string, readonly ApiObject[]>>();

function firstObjects(leftBehind: LeftBehind): ReadonlyMap<string, readonly ApiObject[]> {
  const known = plans.get(leftBehind);
  if (known) return known;
  const plan = new Map([
    ...BUILTIN_OBJECTS,
    ...Object.entries(rbacDefaults()).map(
      ([name, objects]) => [`${name}.rbac.authorization.k8s.io`, objects] as const,
    ),
  ]);
  for (const [text, left] of Object.entries(leftBehind)) {
    const own = plan.get(text) ?? [];
    const others = new Map(left.map((object) => [nameOf(object), object]));
    const present = own.map((object) => others.get(nameOf(object)) ?? object);
    const further = left.filter((object) => !present.includes(object));
    plan.set(text, [...present, ...further]);
  }
  plans.set(leftBehind, plan);
  return plan;
}

const nameOf = ({ metadata: { namespace = '', name = '' } }: ApiObject): string => `${namespace}/${name}`;

/** What is put, and where. */
interface Kept {
  readonly key: string;
  readonly form: ApiObject;
}

/** By resource and objects: many servers of one process put the same objects into their storages, under the same keys. */
class Forms {
  readonly formOf: (resource: Resource, object: ApiObject) => ApiObject;
  readonly kept = new WeakMap<Resource, WeakMap<readonly ApiObject[], readonly Kept[]>>();

  constructor(formOf: Forms['formOf']) {
    this.formOf = formOf;
  }
}

const ownForms = new Forms((resource, object) => keptForm(resource, withFirstFields(resource, object)));
/** Of servers that note nobody. */
const plainForms = new Forms(keptForm);

interface FormsOf {
  readonly resource: Resource;
  readonly objects: readonly ApiObject[];
  readonly store: ResourceStore;
}

function keptForms({ kept, formOf }: Forms, { resource, objects, store }: FormsOf): readonly Kept[] {
  let known = kept.get(resource);
  if (!known) kept.set(resource, (known = new WeakMap<readonly ApiObject[], readonly Kept[]>()));
  let forms = known.get(objects);
  if (!forms) {
    forms = objects.map((object) => {
      const { namespace = '', name = '' } = object.metadata;
      return { key: store.key(namespace, name), form: formOf(resource, object) };
    });
    known.set(objects, forms);
  }
  return forms;
}
