/** Pods that are promised a node which is being cleared for them. Pods of less priority count them as being there. */
import type { Pod } from '../../api/types/core-v1.ts';

export class Nominations {
  /** By name of the node, then by uid of the pod. */
  readonly #pods = new Map<string, Map<string, Pod>>();
  readonly #nodes = new Map<string, string>();

  get isEmpty(): boolean {
    return this.#nodes.size === 0;
  }

  of(node: string): Iterable<Pod> {
    return this.#pods.get(node)?.values() ?? [];
  }

  /** Where the pod is promised to go. */
  nodeOf({ metadata: { uid = '' } }: Pod): string | undefined {
    return this.#nodes.get(uid);
  }

  /** A pod has one promise at the most; the empty name: none. */
  set(pod: Pod, node: string): void {
    this.remove(pod);
    if (node === '') return;
    const { uid = '' } = pod.metadata;
    this.#nodes.set(uid, node);
    let there = this.#pods.get(node);
    if (!there) this.#pods.set(node, (there = new Map()));
    there.set(uid, pod);
  }

  remove({ metadata: { uid = '' } }: Pod): void {
    const node = this.#nodes.get(uid);
    if (node === undefined) return;
    this.#nodes.delete(uid);
    const there = this.#pods.get(node);
    there?.delete(uid);
    if (there?.size === 0) this.#pods.delete(node);
  }

  /** As the pod's status says; what was promised since the pod was seen last stays. */
  update(old: Pod | undefined, pod: Pod): void {
    const [before, after] = [old?.status?.nominatedNodeName ?? '', pod.status?.nominatedNodeName ?? ''];
    if (before === after && this.#nodes.has(pod.metadata.uid ?? '')) {
      this.set(pod, this.nodeOf(pod) ?? '');
      return;
    }
    this.set(pod, after);
  }
}
