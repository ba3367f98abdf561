/** Attached volumes that pods of a machine use, by the names that Nodes give them. It knows no pods but their uids. */
export class VolumesInUse {
  readonly #users = new Map<string, Set<string>>();
  /** Told of every change of `names`. */
  onChange: () => void = () => undefined;

  /** Sorted. */
  get names(): readonly string[] {
    return [...this.#users.keys()].sort();
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

  /** The pod has let go of all that it had. */
  release(podUid: string): void {
    let isChanged = false;
    for (const [name, users] of this.#users) {
      if (!users.delete(podUid) || users.size > 0) continue;
      this.#users.delete(name);
      isChanged = true;
    }
    if (isChanged) this.onChange();
  }

  clear(): void {
    if (this.#users.size === 0) return;
    this.#users.clear();
    this.onChange();
  }
}
