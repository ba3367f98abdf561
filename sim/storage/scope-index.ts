/**
 * Finds who is interested in a key. A scope is a directory (a prefix that ends in `/`, or the empty one) or one whole
 * key. What a directory leads to is remembered, so that a write costs the same however many scopes there are.
 */
export class ScopeIndex<T> {
  readonly #byScope = new Map<string, Set<T>>();
  /** Of each directory that was asked for: its scopes with members, the narrowest first. */
  readonly #routes = new Map<string, readonly ReadonlySet<T>[]>();
  #wholeKeys = 0;

  add(scope: string, member: T): void {
    const members = this.#byScope.get(scope);
    if (members) {
      members.add(member);
      return;
    }
    this.#byScope.set(scope, new Set([member]));
    this.#scopeChanged(scope, 1);
  }

  delete(scope: string, member: T): void {
    const members = this.#byScope.get(scope);
    if (!members?.delete(member) || members.size > 0) return;
    this.#byScope.delete(scope);
    this.#scopeChanged(scope, -1);
  }

  /** The narrowest scope first, the empty one last; within a scope in the order of their coming. */
  visit<News>(key: string, tell: (member: T, news: News) => void, news: News): void {
    if (this.#wholeKeys > 0 && !isDirectory(key))
      for (const member of this.#byScope.get(key) ?? NOBODY) tell(member, news);
    for (const members of this.#routeOf(key.slice(0, key.lastIndexOf('/') + 1)))
      for (const member of members) tell(member, news);
  }

  /** Every member with its scope, the longest scopes first. */
  *all(): Generator<readonly [scope: string, member: T]> {
    const scopes = [...this.#byScope.keys()].sort((a, b) => b.length - a.length);
    for (const scope of scopes) {
      for (const member of this.#byScope.get(scope) ?? []) yield [scope, member];
    }
  }

  #routeOf(directory: string): readonly ReadonlySet<T>[] {
    const known = this.#routes.get(directory);
    if (known) return known;
    const route = [...ancestorsOf(directory)].flatMap((scope) => this.#byScope.get(scope) ?? []);
    if (this.#routes.size >= MOST_ROUTES) this.#routes.clear();
    this.#routes.set(directory, route);
    return route;
  }

  #scopeChanged(scope: string, by: 1 | -1): void {
    if (isDirectory(scope)) this.#routes.clear();
    else this.#wholeKeys += by;
  }
}

const NOBODY: readonly never[] = [];

/** Directories come from keys, which have no bound: beyond this many the routes are found anew. */
const MOST_ROUTES = 10_000;

const isDirectory = (scope: string): boolean => scope === '' || scope.endsWith('/');

/** The directory itself and the ones that it is in, up to the empty one. */
function* ancestorsOf(directory: string): Generator<string> {
  for (let end = directory.length; end > 0; end = directory.lastIndexOf('/', end - 2) + 1) {
    yield directory.slice(0, end);
    if (end === 1) break;
  }
  yield '';
}
