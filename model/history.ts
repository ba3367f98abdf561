/**
 * What happened and what was seen of it: the input of the checkers in this folder. Whoever records a run (the tests
 * of a cache, a client over HTTP, a whole campaign) writes these plain values; revisions are numbers, and an object
 * carries the revision of its own write as `metadata.resourceVersion`.
 */
import type { ApiObject } from '../sim/api/object.ts';

/** One change of one object, as it truly happened. Changes of one transaction have one revision. */
export interface Change {
  readonly revision: number;
  readonly key: string;
  /** Absent before a creation. */
  readonly before: ApiObject | undefined;
  /** Absent after a deletion. */
  readonly after: ApiObject | undefined;
}

/** In the order of their revisions. */
export type History = readonly Change[];

export type ObservedItem =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly key: string;
      readonly object: ApiObject;
      /** Of the object as it was sent. */
      readonly revision: number;
    }
  | { readonly type: 'BOOKMARK'; readonly revision: number }
  /** The observer knows that everything up to this revision should have reached it by now. */
  | { readonly type: 'DRAINED'; readonly revision: number };

/** The part of a history that a watch or a list asks for. */
export interface Interest {
  /** A directory, or one whole key. */
  readonly scope: string;
  /** Absent: every object. */
  readonly selects?: ((object: ApiObject) => boolean) | undefined;
}

export interface ObservedWatch extends Interest {
  /** After a revision; or with the state at a revision as its first items. */
  readonly start:
    | { readonly kind: 'after'; readonly revision: number }
    | { readonly kind: 'initial'; readonly revision: number };
  readonly items: readonly ObservedItem[];
}

/** One page of a list. */
export interface ObservedPage {
  readonly keys: readonly string[];
  readonly objects: readonly ApiObject[];
  readonly revision: number;
  readonly hasMore: boolean;
  readonly remaining?: number | undefined;
}

/** All pages of one list, from the first to the last. */
export interface ObservedList extends Interest {
  readonly pages: readonly ObservedPage[];
}

/** A finding of a checker: `guarantee` is the name of the documented promise and of the function that found it. */
export interface Violation {
  readonly guarantee: string;
  readonly message: string;
}

export const isInScope = ({ scope }: Interest, key: string): boolean =>
  scope === '' || scope.endsWith('/') ? key.startsWith(scope) : key === scope;

export const isSelected = ({ selects }: Interest, object: ApiObject | undefined): object is ApiObject =>
  object !== undefined && (selects === undefined || selects(object));

/** The selected objects right after `revision`, by key. */
export function stateAt(
  history: History,
  interest: Interest,
  revision: number,
): ReadonlyMap<string, ApiObject> {
  const state = new Map<string, ApiObject>();
  for (const change of history) {
    if (change.revision > revision || !isInScope(interest, change.key)) continue;
    if (isSelected(interest, change.after)) state.set(change.key, change.after);
    else state.delete(change.key);
  }
  return state;
}

export type ExpectedItem = Extract<ObservedItem, { type: 'ADDED' | 'MODIFIED' | 'DELETED' }>;

/** What a watch has to see of the changes after `from` up to `to`. */
export function expectedItems(
  history: History,
  interest: Interest,
  from: number,
  to: number,
): ExpectedItem[] {
  return history
    .filter((change) => change.revision > from && change.revision <= to && isInScope(interest, change.key))
    .flatMap((change) => expectedItem(change, interest) ?? []);
}

/** What a watch has to see of one change; undefined: nothing. */
export function expectedItem(change: Change, interest: Interest): ExpectedItem | undefined {
  const { key, revision, before, after } = change;
  if (!isInScope(interest, key)) return undefined;
  const was = isSelected(interest, before);
  if (isSelected(interest, after)) return { type: was ? 'MODIFIED' : 'ADDED', key, object: after, revision };
  return was ? { type: 'DELETED', key, object: withVersion(before, revision), revision } : undefined;
}

const withVersion = (object: ApiObject, revision: number): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(revision) },
});

export const violation = (guarantee: string, message: string): Violation => ({ guarantee, message });

/** Equal as JSON, members in the same order: both sides come from one stored object. */
export const isSame = (left: unknown, right: unknown): boolean =>
  JSON.stringify(left) === JSON.stringify(right);
