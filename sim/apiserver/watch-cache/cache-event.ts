import type { Revision, StorageEvent } from '../../storage/storage.ts';
import type { StoredObject } from '../stores/stored-object.ts';

/** What a watch tells its consumer. */
export type WatchItem =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      /** One identity for all watchers of an event, so that bytes can be kept per object. */
      readonly object: StoredObject;
      readonly revision: Revision;
    }
  | {
      readonly type: 'BOOKMARK';
      readonly revision: Revision;
      /** The bookmark that closes the initial events of `sendInitialEvents`. */
      readonly endsInitialEvents: boolean;
    };

/**
 * One change of one object: an object that enters a selection is ADDED to it, one that leaves it is DELETED with its
 * last selected state. Many are kept for long, so it holds nothing but what the storage has told.
 */
export class CacheEvent {
  readonly #event: StorageEvent<StoredObject>;
  #deleted: WatchItem | undefined;

  constructor(event: StorageEvent<StoredObject>) {
    this.#event = event;
  }

  get key(): string {
    return this.#event.kind === 'put' ? this.#event.entry.key : this.#event.key;
  }

  get revision(): Revision {
    return this.#event.revision;
  }

  /** The state after the change; undefined after a deletion. */
  get current(): StoredObject | undefined {
    return this.#event.kind === 'put' ? this.#event.entry.value : undefined;
  }

  /** The state before the change; undefined before a creation. */
  get previous(): StoredObject | undefined {
    return this.#event.previous?.value;
  }

  /**
   * The event as the watcher of a selection sees it.
   * @param selects absent: everything is selected
   * @returns undefined if neither state is selected
   */
  itemFor(selects: ((object: StoredObject) => boolean) | undefined): WatchItem | undefined {
    const { current, previous, revision } = this;
    const isSelected = current !== undefined && (!selects || selects(current));
    const wasSelected = previous !== undefined && (!selects || selects(previous));
    if (isSelected) return { type: wasSelected ? 'MODIFIED' : 'ADDED', object: current, revision };
    return wasSelected ? this.#deletedItem(previous) : undefined;
  }

  /** Made once: however many watchers see it, they see one object. */
  #deletedItem(last: StoredObject): WatchItem {
    return (this.#deleted ??= {
      type: 'DELETED',
      object: atRevision(last, this.revision),
      revision: this.revision,
    });
  }
}

/** The last state of an object with the version of the write that took it away. */
function atRevision(object: StoredObject, revision: Revision): StoredObject {
  return Object.freeze({
    ...object,
    metadata: Object.freeze({ ...object.metadata, resourceVersion: String(revision) }),
  });
}
