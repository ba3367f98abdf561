/** Until when a request has to be done: as long as its `timeout` parameter says, a minute at most. */
import { parseDuration } from '../../api/time-format.ts';
import type { Exchange } from '../request/exchange.ts';

const LONGEST_MS = 60_000;
const NANOS_PER_MS = 1_000_000;

/** In milliseconds of the server's clock. */
export function requestDeadlineMs({ receivedMs, request }: Exchange): number {
  const text = request.query.first('timeout') ?? '';
  return receivedMs + (text === '' ? LONGEST_MS : spanOf(text));
}

function spanOf(text: string): number {
  try {
    const wanted = Number(parseDuration(text)) / NANOS_PER_MS;
    return wanted > 0 ? Math.min(wanted, LONGEST_MS) : LONGEST_MS;
  } catch {
    return LONGEST_MS;
  }
}
