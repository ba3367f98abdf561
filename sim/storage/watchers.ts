import { type Commit, revisionOf } from './history.ts';
import { ScopeIndex } from './scope-index.ts';
import type { StorageEvent, StorageWatch, WatchRequest } from './storage.ts';

interface Watcher<V> {
  readonly request: WatchRequest<V>;
  readonly firstRevision: number;
  isOpen: boolean;
}

/** Who is told of a commit: the watchers of longer prefixes before those of shorter ones. */
export class Watchers<V> {
  readonly #byDirectory = new ScopeIndex<Watcher<V>>();
  /** Of prefixes that end within a name: rare, so they are simply compared. */
  readonly #byOtherPrefix = new Set<Watcher<V>>();

  /** @param firstRevision commits before it are not for this watcher */
  add(request: WatchRequest<V>, firstRevision: number): StorageWatch {
    const watcher: Watcher<V> = { request, firstRevision, isOpen: true };
    const { prefix } = request;
    const isDirectory = prefix === '' || prefix.endsWith('/');
    if (isDirectory) this.#byDirectory.add(prefix, watcher);
    else this.#byOtherPrefix.add(watcher);
    return {
      close: () => {
        watcher.isOpen = false;
        if (isDirectory) this.#byDirectory.delete(prefix, watcher);
        else this.#byOtherPrefix.delete(watcher);
      },
    };
  }

  deliver(commit: Commit<V>): void {
    const [only] = commit;
    if (commit.length > 1 || !only) {
      this.#deliverMany(commit);
      return;
    }
    const key = keyOf(only);
    for (const watcher of this.#byOtherPrefix) {
      if (key.startsWith(watcher.request.prefix)) tell(watcher, commit);
    }
    this.#byDirectory.visit(key, tell, commit);
  }

  #deliverMany(commit: Commit<V>): void {
    const watchers = [...this.#byOtherPrefix, ...[...this.#byDirectory.all()].map(([, watcher]) => watcher)];
    for (const watcher of watchers) {
      const events = commit.filter((event) => keyOf(event).startsWith(watcher.request.prefix));
      if (events.length > 0) tell(watcher, events);
    }
  }
}

export const keyOf = <V>(event: StorageEvent<V>): string =>
  event.kind === 'put' ? event.entry.key : event.key;

function tell<V>(watcher: Watcher<V>, events: Commit<V>): void {
  const revision = revisionOf(events);
  if (watcher.isOpen && revision >= watcher.firstRevision) watcher.request.onEvents(events, revision);
}
