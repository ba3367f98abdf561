/** What is heard of a call to a real URL, whichever protocol was agreed on. */
import type { Readable } from 'node:stream';
import type { HttpHeaders } from '../api/http-call.ts';

/** An answer has begun. */
export interface UrlAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Ends where the answer does; one that breaks off is an error. */
  readonly body: Readable;
  /** Breaks it off. */
  close(): void;
}

/** One of both, once. */
export interface Heard {
  answered(answer: UrlAnswer): void;
  failed(error: unknown): void;
}
