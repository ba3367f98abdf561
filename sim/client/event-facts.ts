/** What an Event tells. */
export interface EventFacts {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}
