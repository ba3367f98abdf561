/** The pods that there are, by who controls them: what several rules about workloads count. */
import type { ApiObject, OwnerReference } from '../../sim/api/object.ts';
import type { Pod } from '../../sim/api/types/core-v1.ts';
import { hasEnded } from '../pod-facts.ts';

export const controllerOf = ({ metadata }: ApiObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true);

export const nameOf = ({ metadata: { namespace = '', name = '' } }: ApiObject): string =>
  `${namespace}/${name}`;

/** It is no replica any more. */
export const isOver = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined || hasEnded(pod);

export class OwnedPods {
  /** By uid of the controller, then of the pod. */
  readonly #pods = new Map<string, Map<string, Pod>>();

  stored(before: Pod | undefined, after: Pod | undefined): void {
    const owner = before && controllerOf(before)?.uid;
    if (owner !== undefined) this.#pods.get(owner)?.delete(before?.metadata.uid ?? '');
    const present = after && controllerOf(after)?.uid;
    if (!after || present === undefined) return;
    const pods = this.#pods.get(present) ?? new Map<string, Pod>();
    this.#pods.set(present, pods);
    pods.set(after.metadata.uid ?? '', after);
  }

  of(uid: string): readonly Pod[] {
    return [...(this.#pods.get(uid)?.values() ?? [])];
  }

  /** Those that count as replicas. */
  activeOf(uid: string): readonly Pod[] {
    return this.of(uid).filter((pod) => !isOver(pod));
  }
}
