/**
 * Which sets hear of a pod's change: the one that controls it, or all that would take an orphan. What a set expected to
 * see is struck off. Handlers note keys and do nothing else.
 */
import type { ApiObject } from '../../api/object.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { controllerOf } from '../../client/controller-ref/controller-of.ts';
import type { ChangeHandler } from '../../client/informer/informer.ts';
import { type Lister, storeKeyOf } from '../../client/informer/object-store.ts';
import type { LabelSelector } from '../../api/selector/label-selector.ts';

export interface PodNewsOptions<T extends ApiObject> {
  readonly kind: string;
  readonly store: Lister<T>;
  readonly selectorOf: (object: T) => LabelSelector;
  readonly created?: (key: string) => void;
  readonly deleted?: (key: string, pod: Pod) => void;
  /** Something about a pod of the set is new. */
  readonly changed: (key: string, pod: Pod, old?: Pod) => void;
}

export class PodNews<T extends ApiObject> implements ChangeHandler<Pod> {
  readonly #options: PodNewsOptions<T>;

  constructor(options: PodNewsOptions<T>) {
    this.#options = options;
  }

  added(pod: Pod): void {
    if (pod.metadata.deletionTimestamp !== undefined) {
      this.removed(pod);
      return;
    }
    const key = this.#keyOfController(pod);
    if (key !== undefined) {
      this.#options.created?.(key);
      this.#options.changed(key, pod);
    } else if (!controllerOf(pod)) this.#tellThoseWhoWant(pod);
  }

  changed(pod: Pod, old: Pod): void {
    if (pod.metadata.resourceVersion === old.metadata.resourceVersion) return;
    const isRelabelled = JSON.stringify(pod.metadata.labels) !== JSON.stringify(old.metadata.labels);
    if (pod.metadata.deletionTimestamp !== undefined) {
      this.removed(pod);
      if (isRelabelled) this.removed(old);
      return;
    }
    const [before, now] = [controllerOf(old)?.uid, controllerOf(pod)?.uid];
    const former = before === now ? undefined : this.#keyOfController(old);
    if (former !== undefined) this.#options.changed(former, old);
    const key = this.#keyOfController(pod);
    if (key !== undefined) this.#options.changed(key, pod, old);
    else if (now === undefined && (isRelabelled || before !== now)) this.#tellThoseWhoWant(pod);
  }

  removed(pod: Pod): void {
    const key = this.#keyOfController(pod);
    if (key === undefined) return;
    this.#options.deleted?.(key, pod);
    this.#options.changed(key, pod);
  }

  /** Undefined also where the set of that name is another one. */
  #keyOfController(pod: Pod): string | undefined {
    const controller = controllerOf(pod);
    if (controller?.kind !== this.#options.kind) return undefined;
    const key = `${pod.metadata.namespace ?? ''}/${controller.name}`;
    return this.#options.store.get(key)?.metadata.uid === controller.uid ? key : undefined;
  }

  #tellThoseWhoWant(pod: Pod): void {
    if (Object.keys(pod.metadata.labels ?? {}).length === 0) return;
    for (const set of this.#options.store.byIndex('namespace', pod.metadata.namespace ?? '')) {
      const selector = this.#options.selectorOf(set);
      if (!selector.isEverything && selector.matches(pod.metadata.labels))
        this.#options.changed(storeKeyOf(set), pod);
    }
  }
}
