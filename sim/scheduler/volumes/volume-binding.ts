/**
 * Volumes of the claims of a pod: those it has must be within reach of the node, and for those that wait for their first
 * pod one must be found there, or be made. What was decided is kept in mind until the claims are seen bound.
 */
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import type { Process } from '../../engine/process.ts';
import { minutes, seconds } from '../../engine/time.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import { type Filtering, filtering, type Listers, type Plugin, SKIP } from '../framework/plugin.ts';
import { SchedulerError, unresolvable } from '../framework/rejection.ts';
import { findVolume, isProvisionable, isReachable } from './find-volume.ts';
import { isBound, podClaims, SELECTED_NODE } from './pod-claims.ts';

const { persistentVolumes, persistentVolumeClaims } = BUILTIN_HANDLES;
const NAME = 'VolumeBinding';
const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
const FAR_AWAY = 'node(s) had volume node affinity conflict';
const NOT_FOUND = "node(s) didn't find available persistent volumes to bind";
const GONE = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';
/** How long a pod waits for its claims to be bound before it is tried anew. */
const BIND_TIMEOUT = minutes(10);
const LOOK_EVERY = seconds(1);

interface Decision {
  readonly claim: PersistentVolumeClaim;
  /** Undefined: one is to be made for the node. */
  readonly volume: PersistentVolume | undefined;
}

export class VolumeBinder {
  readonly #listers: Listers;
  /** Volumes that were promised, by name: to the key of a claim. */
  readonly #promised = new Map<string, string>();
  /** By uid of the pod. */
  readonly #decisions = new Map<string, readonly Decision[]>();

  constructor(listers: Listers) {
    this.#listers = listers;
  }

  get plugin(): Plugin {
    return {
      name: NAME,
      events: [
        { resource: 'PersistentVolumeClaim', actions: ['add', 'update'] },
        { resource: 'PersistentVolume', actions: ['add', 'update'] },
        { resource: 'StorageClass', actions: ['add', 'update'] },
        { resource: 'Node', actions: ['add', 'update'] },
        { resource: 'CSINode', actions: ['add', 'update'] },
        { resource: 'CSIDriver', actions: ['add', 'update'] },
        { resource: 'CSIStorageCapacity', actions: ['add', 'update'] },
      ],
      beginFilter: ({ pod }): Filtering => {
        const claims = podClaims(pod, this.#listers);
        if (claims.kind === 'none') return SKIP;
        if (claims.kind === 'problem')
          return { kind: 'rejected', rejection: unresolvable(NAME, claims.message) };
        return filtering({
          check: (node) => {
            const reasons = this.#conflicts(claims.bound, node);
            if (claims.delayed.length > 0 && !this.#decide(claims.delayed, node)) reasons.push(NOT_FOUND);
            return reasons.length === 0 ? undefined : unresolvable(NAME, ...reasons);
          },
        });
      },
    };
  }

  /** The pod goes to this node: what that means for its claims is decided. */
  reserve(pod: Pod, node: NodeInfo): void {
    const claims = podClaims(pod, this.#listers);
    if (claims.kind !== 'claims' || claims.delayed.length === 0) return;
    const decisions = this.#decide(claims.delayed, node) ?? [];
    this.#decisions.set(pod.metadata.uid ?? '', decisions);
    for (const { claim, volume } of decisions)
      if (volume) this.#promised.set(volume.metadata.name ?? '', storeKeyOf(claim));
  }

  /** It does not go there after all, or all is written. */
  unreserve(pod: Pod): void {
    const uid = pod.metadata.uid ?? '';
    for (const { volume } of this.#decisions.get(uid) ?? [])
      this.#promised.delete(volume?.metadata.name ?? '');
    this.#decisions.delete(uid);
  }

  /** Writes what was decided and waits until the claims are bound. @throws CallFailure, SchedulerError */
  *bind(client: ApiClient, pod: Pod, node: string): Process<void> {
    const decisions = this.#decisions.get(pod.metadata.uid ?? '') ?? [];
    if (decisions.length === 0) return;
    for (const decision of decisions) yield* write(client, decision, node);
    const { context } = client;
    const deadline = context.now() + BIND_TIMEOUT;
    while (!decisions.every(({ claim }) => this.#isDone(claim))) {
      if (context.now() >= deadline) throw new SchedulerError('binding volumes: context deadline exceeded');
      yield* context.sleep(LOOK_EVERY);
    }
    this.unreserve(pod);
  }

  #isDone(claim: PersistentVolumeClaim): boolean {
    const present = this.#listers.claims.get(storeKeyOf(claim));
    if (!present || present.metadata.uid !== claim.metadata.uid)
      throw new SchedulerError(
        `binding volumes: persistentvolumeclaim ${JSON.stringify(claim.metadata.name ?? '')} not found`,
      );
    return isBound(present);
  }

  #conflicts(bound: readonly PersistentVolumeClaim[], { node }: NodeInfo): string[] {
    const reasons = new Set<string>();
    for (const { spec } of bound) {
      const volume = this.#listers.volumes.get(spec?.volumeName ?? '');
      if (!volume) reasons.add(GONE);
      else if (node && !isReachable(volume, node)) reasons.add(FAR_AWAY);
    }
    return [...reasons];
  }

  /** Undefined: there is no volume for one of them. */
  #decide(delayed: readonly PersistentVolumeClaim[], { node }: NodeInfo): readonly Decision[] | undefined {
    if (!node) return undefined;
    const taken = new Set<string>();
    const decisions: Decision[] = [];
    const volumes = this.#listers.volumes.list();
    for (const claim of delayed) {
      const key = storeKeyOf(claim);
      for (const [name, promisedTo] of this.#promised) if (promisedTo !== key) taken.add(name);
      const volume = findVolume(claim, { volumes, taken, node });
      const storageClass = this.#listers.storageClasses.get(claim.spec?.storageClassName ?? '');
      if (!volume && !isProvisionable(storageClass, node)) return undefined;
      if (volume) taken.add(volume.metadata.name ?? '');
      decisions.push({ claim, volume });
    }
    return decisions;
  }
}

function* write(client: ApiClient, { claim, volume }: Decision, node: string): Process<void> {
  const { name = '', namespace = '', uid, resourceVersion } = claim.metadata;
  if (!volume) {
    const annotations = { ...claim.metadata.annotations, [SELECTED_NODE]: node };
    yield* client.update(persistentVolumeClaims, { ...claim, metadata: { ...claim.metadata, annotations } });
    return;
  }
  if (volume.spec?.claimRef?.uid !== undefined) return;
  const claimRef = {
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    namespace,
    name,
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  const { metadata, spec } = volume;
  const isOwnChoice = spec?.claimRef === undefined;
  yield* client.update(persistentVolumes, {
    ...volume,
    metadata: isOwnChoice
      ? { ...metadata, annotations: { ...metadata.annotations, [BOUND_BY_CONTROLLER]: 'yes' } }
      : metadata,
    spec: { ...spec, claimRef },
  });
}
