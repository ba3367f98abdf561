/** Paths of which nobody can say what they are about: told so before anybody asks who wants to know. */
import type { Exchange } from '../request/exchange.ts';
import { requestUri } from '../request/request-uri.ts';

export function refuseUnreadable(exchange: Exchange): void {
  if (exchange.info.isUnreadable !== true) return;
  const uri = requestUri(exchange.request);
  const why = `failed to create RequestInfo: unable to determine kind and namespace from url, ${uri}`;
  exchange.respondText(500, `Internal Server Error: ${JSON.stringify(uri)}: ${why}\n`);
}
