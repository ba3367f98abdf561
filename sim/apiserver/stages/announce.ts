import type { Exchange } from '../request/exchange.ts';

/** Tells the observers who asks. */
export function announce(exchange: Exchange): void {
  exchange.server.announce(exchange);
}
