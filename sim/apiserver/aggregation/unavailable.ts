/** What callers are told where whoever serves a group and version does not answer. */
import { OUT_OF_TIME } from '../../api/status.ts';
import type { Exchange } from '../request/exchange.ts';

export function unavailable(exchange: Exchange, why: string): void {
  exchange.addHeader('x-content-type-options', 'nosniff');
  exchange.respondText(503, `${why}\n`);
}

/** As the deadline of a whole request has it, which is not longer. */
export const TIMED_OUT = `${JSON.stringify({
  metadata: {},
  status: 'Failure',
  message: OUT_OF_TIME,
  reason: 'Timeout',
  details: {},
  code: 504,
})}\n`;
