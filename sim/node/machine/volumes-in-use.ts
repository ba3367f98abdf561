import type { PersistentVolumeSpec } from '../../api/types/core-v1.ts';

/**
 * Attached volumes that pods of a machine use, by the names that Nodes give them, and the volumes of their claims. It
 * knows no pods but their uids.
 */
export class VolumesInUse {
  readonly #users = new Map<string, Set<string>>();
  readonly #bound = new Map<string, PersistentVolumeSpec>();
  /** Told of every change of `names`. */
  onChange: () => void = () => undefined;

  /** Sorted. */
  get names(): readonly string[] {
    return [...this.#users.keys()].sort();
  }

  /** Uids of pods that have not let go of all that they had. */
  get users(): ReadonlySet<string> {
    const users = new Set([...this.#users.values()].flatMap((uids) => [...uids]));
    for (const key of this.#bound.keys()) users.add(key.slice(0, key.indexOf('/')));
    return users;
  }

  use(name: string, podUid: string): void {
    const users = this.#users.get(name);
    if (users) {
      users.add(podUid);
      return;
    }
    this.#users.set(name, new Set([podUid]));
    this.onChange();
  }

  /** `key`: `uid/volume` of a pod. */
  bind(key: string, volume: PersistentVolumeSpec): void {
    this.#bound.set(key, volume);
  }

  boundTo(key: string): PersistentVolumeSpec | undefined {
    return this.#bound.get(key);
  }

  /** The pod has let go of all that it had. */
  release(podUid: string): void {
    for (const key of this.#bound.keys()) if (key.startsWith(`${podUid}/`)) this.#bound.delete(key);
    let isChanged = false;
    for (const [name, users] of this.#users) {
      if (!users.delete(podUid) || users.size > 0) continue;
      this.#users.delete(name);
      isChanged = true;
    }
    if (isChanged) this.onChange();
  }

  clear(): void {
    this.#bound.clear();
    if (this.#users.size === 0) return;
    this.#users.clear();
    this.onChange();
  }
}
