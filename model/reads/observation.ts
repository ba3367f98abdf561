/**
 * What every client was told by its lists and watches, and what was truly written: the input of the rules about reads in
 * this folder. Whoever records a run writes these plain values in the order in which things happen. `at` is virtual
 * microseconds; keys are those of the storage.
 */
import type { Change, Interest, ObservedItem, ObservedPage } from '../history.ts';

/** From which version on a read may be. */
export type ReadBound =
  /** No version: as new as everything that was written when the request was made. */
  | { readonly kind: 'most-recent'; readonly revision: number }
  /** Version 0: as old as it likes. */
  | { readonly kind: 'any' }
  | { readonly kind: 'at-least'; readonly revision: number }
  | { readonly kind: 'exactly'; readonly revision: number };

/** Somebody's stream: an actor, and what it asked for in words. */
export interface Reader {
  readonly client: string;
  /** Which life of it, from 1: a restart forgets everything. */
  readonly life?: number;
  readonly what: string;
  /** It is bound to go on where it was; somebody who tries things out may start where he likes. */
  readonly isSteady: boolean;
}

export interface OpenedWatch {
  /** Number of the stream. */
  readonly stream: number;
  readonly reader: Reader;
  readonly interest: Interest;
  /** With the state first, or only what comes after a revision. */
  readonly start:
    | { readonly kind: 'state'; readonly bound: ReadBound }
    | { readonly kind: 'after'; readonly revision: number };
}

export interface AnsweredList {
  readonly reader: Reader;
  readonly interest: Interest;
  readonly bound: ReadBound;
  /** The token that was sent, where the page goes on with an earlier one. */
  readonly continues?: string | undefined;
  readonly page: ObservedPage;
  /** The token for the next page. */
  readonly next?: string | undefined;
}

export type ReadObservation = { readonly at: number } & (
  | { readonly kind: 'written'; readonly change: Change }
  | ({ readonly kind: 'watch-opened' } & OpenedWatch)
  | { readonly kind: 'watch-told'; readonly stream: number; readonly item: ObservedItem }
  | { readonly kind: 'watch-ended'; readonly stream: number }
  | ({ readonly kind: 'listed' } & AnsweredList)
);

/** Finds what is wrong; the name of the rule is that of the guarantee. */
export type Report = (rule: ReadRuleName, message: string) => void;

/** The documented guarantees of watches and lists. */
export const READ_RULES = [
  'watch-ordered',
  'watch-unique',
  'watch-atomic',
  'watch-complete',
  'watch-filtered',
  'watch-bookmarkable',
  'watch-resumable',
  'watch-fresh',
  'list-snapshot',
  'list-sorted',
  'list-counted',
  'list-fresh',
] as const;
export type ReadRuleName = (typeof READ_RULES)[number];
