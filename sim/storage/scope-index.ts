/**
 * Finds who is interested in a key. A scope is a directory (a prefix that ends in `/`, or the empty one) or one whole
 * key; they are found by cutting the key, so that the cost does not grow with the number of scopes.
 */
export class ScopeIndex<T> {
  readonly #byScope = new Map<string, Set<T>>();

  add(scope: string, member: T): void {
    const members = this.#byScope.get(scope);
    if (members) members.add(member);
    else this.#byScope.set(scope, new Set([member]));
  }

  delete(scope: string, member: T): void {
    const members = this.#byScope.get(scope);
    if (members?.delete(member) && members.size === 0) this.#byScope.delete(scope);
  }

  /** The narrowest scope first, the empty one last; within a scope in the order of their coming. */
  visit(key: string, tell: (member: T) => void): void {
    this.#byScope.get(key)?.forEach(tell);
    for (let slash = key.lastIndexOf('/'); slash >= 0; slash = key.lastIndexOf('/', slash - 1)) {
      this.#byScope.get(key.slice(0, slash + 1))?.forEach(tell);
      if (slash === 0) break;
    }
    this.#byScope.get('')?.forEach(tell);
  }

  /** Every member with its scope, the longest scopes first. */
  *all(): Generator<readonly [scope: string, member: T]> {
    const scopes = [...this.#byScope.keys()].sort((a, b) => b.length - a.length);
    for (const scope of scopes) {
      for (const member of this.#byScope.get(scope) ?? []) yield [scope, member];
    }
  }
}
