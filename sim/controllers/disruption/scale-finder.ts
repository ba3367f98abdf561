/** How many pods those want who control pods: workloads that are known by informers, others by their scale. */
import { ApiError } from '../../api/status.ts';
import type { OwnerReference } from '../../api/object.ts';
import type { ReplicaSet, StatefulSet } from '../../api/types/apps-v1.ts';
import type { Deployment } from '../../api/types/apps-v1.ts';
import type { Pod, ReplicationController } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { controllerOf } from '../../client/controller-ref/controller-of.ts';
import type { Process } from '../../engine/process.ts';
import type { ControllerContext, SharedInformer } from '../manager/controller.ts';

const { deployments, replicaSets, replicationControllers, statefulSets } = BUILTIN_HANDLES;

interface Scale {
  readonly uid: string;
  readonly replicas: number;
}

export interface FoundScale {
  readonly total: number;
  /** Pods that nobody controls. */
  readonly unmanaged: readonly Pod[];
}

export class ScaleFinder {
  readonly #client: ApiClient;
  readonly #deployments: SharedInformer<Deployment>;
  readonly #sets: SharedInformer<ReplicaSet>;
  readonly #others: ReadonlyMap<string, SharedInformer<StatefulSet> | SharedInformer<ReplicationController>>;

  constructor({ client, informerOf }: ControllerContext) {
    this.#client = client;
    this.#deployments = informerOf(deployments);
    this.#sets = informerOf(replicaSets);
    this.#others = new Map<string, SharedInformer<StatefulSet> | SharedInformer<ReplicationController>>([
      ['apps/StatefulSet', informerOf(statefulSets)],
      ['/ReplicationController', informerOf(replicationControllers)],
    ]);
  }

  *waitUntilSynced(): Process<void> {
    for (const informer of [this.#deployments, this.#sets, ...this.#others.values()])
      yield* informer.waitUntilSynced();
  }

  /** @throws CallFailure where one cannot be found */
  *of(pods: readonly Pod[]): Process<FoundScale> {
    const scales = new Map<string, number>();
    const asked = new Set<string>();
    const unmanaged: Pod[] = [];
    for (const pod of pods) {
      const owner = controllerOf(pod);
      if (!owner) unmanaged.push(pod);
      if (!owner || asked.has(owner.uid)) continue;
      asked.add(owner.uid);
      const scale = yield* this.#scaleOf(owner, pod.metadata.namespace ?? '');
      if (!scale) throw failure(`found no controllers for pod "${pod.metadata.name ?? ''}"`);
      scales.set(scale.uid, scale.replicas);
    }
    return { total: [...scales.values()].reduce((sum, one) => sum + one, 0), unmanaged };
  }

  *#scaleOf(owner: OwnerReference, namespace: string): Process<Scale | undefined> {
    const group = owner.apiVersion.includes('/') ? owner.apiVersion.replace(/\/.*$/, '') : '';
    const key = `${namespace}/${owner.name}`;
    const known = this.#others.get(`${group}/${owner.kind}`)?.store.get(key);
    if (known)
      return known.metadata.uid === owner.uid
        ? { uid: owner.uid, replicas: known.spec?.replicas ?? 1 }
        : undefined;
    if (group === 'apps' && owner.kind === replicaSets.kind) {
      const set = this.#sets.store.get(key);
      if (set?.metadata.uid === owner.uid)
        return this.#deploymentScale(set) ?? { uid: owner.uid, replicas: set.spec?.replicas ?? 1 };
    }
    return yield* this.#askedScale(owner, namespace);
  }

  /** Of a Deployment the whole, while it rolls over too. */
  #deploymentScale(set: ReplicaSet): Scale | undefined {
    const owner = controllerOf(set);
    if (owner?.kind !== deployments.kind) return undefined;
    const deployment = this.#deployments.store.get(`${set.metadata.namespace ?? ''}/${owner.name}`);
    return deployment?.metadata.uid === owner.uid
      ? { uid: owner.uid, replicas: deployment.spec?.replicas ?? 1 }
      : undefined;
  }

  *#askedScale(
    { apiVersion, kind, name, uid }: OwnerReference,
    namespace: string,
  ): Process<Scale | undefined> {
    const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const listed = namesIn((yield* this.#client.raw('GET', base)).body, kind);
    if (!listed.resource) throw failure(`no matches for kind "${kind}" in version "${apiVersion}"`);
    const group = apiVersion.includes('/') ? `.${apiVersion.replace(/\/.*$/, '')}` : '';
    if (!listed.hasScale)
      throw failure(`${listed.resource}${group} does not implement the scale subresource`);
    const answer = yield* this.#client.raw(
      'GET',
      `${base}/namespaces/${namespace}/${listed.resource}/${name}/scale`,
    );
    const replicas: unknown = member(member(answer.body, 'spec'), 'replicas');
    const isSame = member(member(answer.body, 'metadata'), 'uid') === uid;
    return isSame ? { uid, replicas: typeof replicas === 'number' ? replicas : 0 } : undefined;
  }
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** In what discovery says of a version. */
function namesIn(
  list: unknown,
  kind: string,
): { readonly resource: string | undefined; readonly hasScale: boolean } {
  const listed = member(list, 'resources');
  const resources: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const names = resources.map((one) => ({ name: String(member(one, 'name')), kind: member(one, 'kind') }));
  const resource = names.find((one) => one.kind === kind && !one.name.includes('/'))?.name;
  return { resource, hasScale: names.some(({ name }) => name === `${resource ?? ''}/scale`) };
}

const failure = (message: string): ApiError => new ApiError({ reason: 'InternalError', message });
