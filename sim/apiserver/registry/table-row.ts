/** What a kind says of one of its objects in a Table. */
export interface TableRow {
  readonly cells: readonly unknown[];
  readonly conditions?: readonly object[];
}

/** What cells may know of the present: of the time, and of the server. */
export interface TableClock {
  /** Whether the server is of the named release, such as `1.33`, or of a later one. */
  isReleasedBy(release: string): boolean;
  readonly nowMs: number;
  /** `3m20s`, or `<unknown>`. */
  age(timestamp: string | null | undefined): string;
}
