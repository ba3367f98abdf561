import type { Revision } from '../../storage/storage.ts';
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
 * One change of one object. It makes each of its three possible items once, however many watchers see it:
 * an object that enters a selection is ADDED to it, one that leaves it is DELETED with its last selected state.
 */
export class CacheEvent {
  readonly key: string;
  readonly revision: Revision;
  /** The state after the change; undefined after a deletion. */
  readonly current: StoredObject | undefined;
  /** The state before the change; undefined before a creation. */
  readonly previous: StoredObject | undefined;
  #added: WatchItem | undefined;
  #modified: WatchItem | undefined;
  #deleted: WatchItem | undefined;

  constructor(fields: {
    readonly key: string;
    readonly revision: Revision;
    readonly current: StoredObject | undefined;
    readonly previous: StoredObject | undefined;
  }) {
    this.key = fields.key;
    this.revision = fields.revision;
    this.current = fields.current;
    this.previous = fields.previous;
  }

  /**
   * The event as the watcher of a selection sees it.
   * @param selects absent: everything is selected
   * @returns undefined if neither state is selected
   */
  itemFor(selects: ((object: StoredObject) => boolean) | undefined): WatchItem | undefined {
    const { current, previous } = this;
    const isSelected = current !== undefined && (!selects || selects(current));
    const wasSelected = previous !== undefined && (!selects || selects(previous));
    if (isSelected) return wasSelected ? this.#modifiedItem(current) : this.#addedItem(current);
    return wasSelected ? this.#deletedItem(previous) : undefined;
  }

  #addedItem(object: StoredObject): WatchItem {
    return (this.#added ??= { type: 'ADDED', object, revision: this.revision });
  }

  #modifiedItem(object: StoredObject): WatchItem {
    return (this.#modified ??= { type: 'MODIFIED', object, revision: this.revision });
  }

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
