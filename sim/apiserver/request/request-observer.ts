/** Told of the way of every request: audit, metrics. */
import type { RequestInfo } from './request-info.ts';
import type { Exchange } from './exchange.ts';
import type { ApiResponse } from './request.ts';

export interface RequestObserver {
  started?(exchange: Exchange): void;
  /** It is known who asks; nothing was done yet. */
  authenticated?(exchange: Exchange): void;
  /** The response begins. */
  responded?(exchange: Exchange, response: ApiResponse): void;
  /** The response is whole; a stream ends when either side ends it, after so many bytes. */
  completed?(exchange: Exchange, response: ApiResponse, streamed?: number): void;
  /**
   * An update that repeats the one before it was answered: all that is known of it is what it was about. As long as
   * somebody looks on who does not have this, every request goes the whole way.
   */
  repeated?(info: RequestInfo): void;
}
