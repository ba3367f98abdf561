/**
 * How long the caller will wait, if it says so: a text that is no duration is refused before anything else is looked at.
 * Whatever lasts as long as it likes (watches, logs, connections to pods) is not asked. Nothing takes long enough here
 * for a time that runs out.
 */
import { badRequest } from '../../api/status.ts';
import { parseDuration, TimeFormatError } from '../../api/time-format.ts';
import type { Exchange } from '../request/exchange.ts';
import { CONNECTING } from '../request/request-info.ts';

export function checkTimeout({ request, info }: Exchange): void {
  const timeout = request.query.first('timeout');
  if (timeout === undefined || timeout === '') return;
  if (info.verb === 'watch' || CONNECTING.has(info.subresource)) return;
  try {
    parseDuration(timeout);
  } catch (error) {
    if (!(error instanceof TimeFormatError)) throw error;
    throw badRequest(`invalid timeout specified in the request URL - ${error.message}`);
  }
}
