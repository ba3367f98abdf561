import type { Exchange } from '../exchange.ts';

/** Tells the observers who asks. */
export function announce(exchange: Exchange): void {
  exchange.server.announce(exchange);
}
