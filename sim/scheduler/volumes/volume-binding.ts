/**
 * Volumes of the claims of a pod: those it has must be within reach of the node, and for those that wait for their first
 * pod one must be found there, or be made. What was decided is kept in mind until the claims are seen bound.
 */
import type { Node, PersistentVolumeClaim, Pod } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import type { Process } from '../../engine/process.ts';
import { minutes, seconds } from '../../engine/time.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import { type Filtering, filtering, type Listers, type Plugin, SKIP } from '../framework/plugin.ts';
import { SchedulerError, unresolvable } from '../framework/rejection.ts';
import { type Decision, isComeAbout, type Written, write } from './decisions.ts';
import { findVolume, isProvisionable, isReachable } from './find-volume.ts';
import { podClaims, SELECTED_NODE } from './pod-claims.ts';

const NAME = 'VolumeBinding';
const FAR_AWAY = 'node(s) had volume node affinity conflict';
const NOT_FOUND = "node(s) didn't find available persistent volumes to bind";
const GONE = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';
/** How long a pod waits for its claims to be bound before it is tried anew. */
const BIND_TIMEOUT = minutes(10);
const LOOK_EVERY = seconds(1);

/** Where a pod is to go. Both may end while it waits for its volumes. */
export interface Destination {
  readonly pod: Pod;
  readonly node: string;
  readonly isPodThere: () => boolean;
  readonly nodeNow: () => Node | undefined;
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
  *bind(client: ApiClient, to: Destination): Process<void> {
    const decisions = this.#decisions.get(to.pod.metadata.uid ?? '') ?? [];
    if (decisions.length === 0) return;
    const written: Written[] = [];
    for (const decision of decisions) written.push(yield* write(client, decision, to.node));
    const { context } = client;
    const deadline = context.now() + BIND_TIMEOUT;
    while (!this.#isDone(written, to)) {
      if (context.now() >= deadline) throw new SchedulerError('binding volumes: context deadline exceeded');
      yield* context.sleep(LOOK_EVERY);
    }
    this.unreserve(to.pod);
  }

  #isDone(written: readonly Written[], { pod, node: name, isPodThere, nodeNow }: Destination): boolean {
    const node = nodeNow();
    if (!node)
      throw new SchedulerError(`binding volumes: failed to get node "${name}": node "${name}" not found`);
    if (!isPodThere())
      throw new SchedulerError(
        `binding volumes: pod does not exist any more: pod "${pod.metadata.name ?? ''}" not found`,
      );
    return written.every((each) => isComeAbout(each, node, this.#listers));
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
      const selected = claim.metadata.annotations?.[SELECTED_NODE];
      // One is being made for that node: until its maker gives up there is none elsewhere.
      if (selected !== undefined && selected !== node.metadata.name) return undefined;
      const volume = selected === undefined ? findVolume(claim, { volumes, taken, node }) : undefined;
      const storageClass = this.#listers.storageClasses.get(claim.spec?.storageClassName ?? '');
      if (!volume && !isProvisionable(storageClass, node)) return undefined;
      if (volume) taken.add(volume.metadata.name ?? '');
      decisions.push({ claim, volume });
    }
    return decisions;
  }
}
