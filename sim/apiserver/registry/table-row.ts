import type { Features } from '../machinery.ts';

/** What a kind says of one of its objects in a Table. */
export interface TableRow {
  readonly cells: readonly unknown[];
  readonly conditions?: readonly object[];
}

/** What cells may know of the present: of the time, and of the server. */
export interface TableClock extends Pick<Features, 'isReleasedBy'> {
  readonly nowMs: number;
  /** `3m20s`, or `<unknown>`. */
  age(timestamp: string | null | undefined): string;
}
