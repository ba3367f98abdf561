/** One page of a collection: what a list answers with. */
import type { ApiObject } from '../../api/object.ts';

export interface Page {
  readonly items: readonly ApiObject[];
  /** Absent: its items are in no storage. */
  readonly revision?: number;
  readonly continueToken: string;
  readonly remainingItemCount: number | undefined;
  /** The page is the whole collection in this range as of the last write to the resource. */
  readonly whole?: { readonly range: string; readonly writtenAt: number };
}
