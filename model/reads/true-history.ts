/**
 * Everything that was written, in the order of its revisions, by every directory above its key, so that what a read of
 * one resource or one namespace could have seen is found without looking through the rest.
 */
import type { ApiObject } from '../../sim/api/object.ts';
import {
  type Change,
  type ExpectedItem,
  expectedItem,
  type Interest,
  isInScope,
  isSelected,
} from '../history.ts';

export class TrueHistory {
  readonly #directories = new Map<string, Change[]>();
  /** The histories that what is in a directory belongs to: its own, and those of the directories that it is in. */
  readonly #histories = new Map<string, readonly Change[][]>();
  readonly #revisions: number[] = [];
  readonly #times: number[] = [];

  write(change: Change, at: number): void {
    const own = change.key.slice(0, change.key.lastIndexOf('/') + 1);
    let histories = this.#histories.get(own);
    if (!histories) {
      histories = directoriesOf(own).map((directory) => this.#directory(directory));
      this.#histories.set(own, histories);
    }
    for (const history of histories) history.push(change);
    this.#revisions.push(change.revision);
    this.#times.push(at);
  }

  /** Of the newest change of all. */
  get revision(): number {
    return this.#revisions.at(-1) ?? 0;
  }

  /** Of the newest change until an instant. */
  revisionAt(instant: number): number {
    return this.#revisions[placeAfter(this.#times, instant) - 1] ?? 0;
  }

  /** Changes that a read of this scope may have seen, and others. */
  of({ scope }: Interest): readonly Change[] {
    return this.#directory(scope.slice(0, scope.lastIndexOf('/') + 1));
  }

  /** Place of the first change after a revision. */
  firstAfter(interest: Interest, revision: number): number {
    return placeAfter(this.of(interest), revision, revisionOf);
  }

  /** The selected objects right after a revision, by key. */
  stateAt(interest: Interest, revision: number): Map<string, ApiObject> {
    const state = new Map<string, ApiObject>();
    const changes = this.of(interest);
    const end = this.firstAfter(interest, revision);
    for (let index = 0; index < end; index++) apply(state, interest, changes[index]);
    return state;
  }

  /** What the next change for somebody is, from a place on, and where; the end where there is none. */
  next(
    interest: Interest,
    from: number,
  ): { readonly item: ExpectedItem | undefined; readonly place: number } {
    const changes = this.of(interest);
    for (let place = from; place < changes.length; place++) {
      const item = expectedItem(changes[place] as Change, interest);
      if (item) return { item, place };
    }
    return { item: undefined, place: changes.length };
  }

  #directory(directory: string): Change[] {
    let changes = this.#directories.get(directory);
    if (!changes) this.#directories.set(directory, (changes = []));
    return changes;
  }
}

const revisionOf = ({ revision }: Change): number => revision;

/** How many items of a list in order are not after a bound. */
function placeAfter<T>(list: readonly T[], bound: number, of: (item: T) => number = Number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(list[middle] as T) > bound) high = middle;
    else low = middle + 1;
  }
  return low;
}

function directoriesOf(key: string): string[] {
  const directories: string[] = [];
  for (let at = key.indexOf('/'); at >= 0; at = key.indexOf('/', at + 1))
    directories.push(key.slice(0, at + 1));
  return directories;
}

function apply(state: Map<string, ApiObject>, interest: Interest, change: Change | undefined): void {
  if (!change || !isInScope(interest, change.key)) return;
  if (isSelected(interest, change.after)) state.set(change.key, change.after);
  else state.delete(change.key);
}
