/** Told of the way of every request: audit, metrics. */
import type { Exchange } from './exchange.ts';
import type { ApiResponse } from './request.ts';

export interface RequestObserver {
  started?(exchange: Exchange): void;
  /** It is known who asks; nothing was done yet. */
  authenticated?(exchange: Exchange): void;
  /** The response begins. */
  responded?(exchange: Exchange, response: ApiResponse): void;
  /** The response is whole; a stream ends when either side ends it. */
  completed?(exchange: Exchange, response: ApiResponse): void;
}
