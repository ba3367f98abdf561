import type { Commit } from './history.ts';
import type { StorageEvent, StorageWatch, WatchRequest } from './storage.ts';

interface Watcher<V> {
  readonly request: WatchRequest<V>;
  readonly firstRevision: number;
  isOpen: boolean;
}

/**
 * Who is told of a commit. Watchers of a directory (a prefix that ends in `/`, and the empty one) are found by the
 * directories of the key that was written, so that a hundred resources do not cost a hundred comparisons a write.
 */
export class Watchers<V> {
  readonly #byDirectory = new Map<string, Set<Watcher<V>>>();
  readonly #byOtherPrefix = new Set<Watcher<V>>();

  /** @param firstRevision commits before it are not for this watcher */
  add(request: WatchRequest<V>, firstRevision: number): StorageWatch {
    const watcher: Watcher<V> = { request, firstRevision, isOpen: true };
    const group = this.#groupFor(request.prefix);
    group.add(watcher);
    return {
      close: () => {
        watcher.isOpen = false;
        group.delete(watcher);
        if (group.size === 0) this.#byDirectory.delete(request.prefix);
      },
    };
  }

  deliver(commit: Commit<V>): void {
    const [only] = commit.events;
    if (commit.events.length === 1 && only) this.#deliverOne(keyOf(only), commit);
    else this.#deliverMany(commit);
  }

  #groupFor(prefix: string): Set<Watcher<V>> {
    if (prefix !== '' && !prefix.endsWith('/')) return this.#byOtherPrefix;
    const group = this.#byDirectory.get(prefix) ?? new Set();
    this.#byDirectory.set(prefix, group);
    return group;
  }

  #deliverOne(key: string, commit: Commit<V>): void {
    tell(this.#byDirectory.get(''), commit);
    for (let slash = key.indexOf('/'); slash >= 0; slash = key.indexOf('/', slash + 1)) {
      tell(this.#byDirectory.get(key.slice(0, slash + 1)), commit);
    }
    for (const watcher of this.#byOtherPrefix) {
      if (key.startsWith(watcher.request.prefix)) tellOne(watcher, commit, commit.events);
    }
  }

  #deliverMany(commit: Commit<V>): void {
    for (const group of [...this.#byDirectory.values(), this.#byOtherPrefix]) {
      for (const watcher of group) {
        const events = commit.events.filter((event) => keyOf(event).startsWith(watcher.request.prefix));
        if (events.length > 0) tellOne(watcher, commit, events);
      }
    }
  }
}

export const keyOf = <V>(event: StorageEvent<V>): string =>
  event.kind === 'put' ? event.entry.key : event.key;

function tell<V>(group: ReadonlySet<Watcher<V>> | undefined, commit: Commit<V>): void {
  if (!group) return;
  for (const watcher of group) tellOne(watcher, commit, commit.events);
}

function tellOne<V>(watcher: Watcher<V>, commit: Commit<V>, events: readonly StorageEvent<V>[]): void {
  if (watcher.isOpen && commit.revision >= watcher.firstRevision)
    watcher.request.onEvents(events, commit.revision);
}
