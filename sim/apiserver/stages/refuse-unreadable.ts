/** Paths of which nobody can say what they are about: told so before anybody asks who wants to know. */
import type { Exchange } from '../request/exchange.ts';

export function refuseUnreadable(exchange: Exchange): void {
  const { path, isUnreadable } = exchange.info;
  if (isUnreadable !== true) return;
  const why = `failed to create RequestInfo: unable to determine kind and namespace from url, ${path}`;
  exchange.respondText(500, `Internal Server Error: ${JSON.stringify(path)}: ${why}\n`);
}
