/** What came of one thing that was drawn. */
export interface Told {
  readonly name: string;
  readonly said: unknown;
}
