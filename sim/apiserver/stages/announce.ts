import type { Exchange } from '../request/exchange.ts';
import type { RequestObserver } from '../request/request-observer.ts';

/** Tells the observers who asks. */
export const announceTo =
  (observers: readonly RequestObserver[]) =>
  (exchange: Exchange): void => {
    for (const observer of observers) observer.authenticated?.(exchange);
  };
