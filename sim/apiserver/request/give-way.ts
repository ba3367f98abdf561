/**
 * Between the steps of a large request everybody else has a turn, where the surroundings have anybody who waits. What
 * was looked up in the storage before may have changed afterwards.
 */
import type { Process } from '../../engine/process.ts';
import type { Steps } from '../../api/steps.ts';
import type { Exchange } from './exchange.ts';

/** What is smaller takes a few milliseconds in all. */
const LARGE_BODY_BYTES = 128 * 1024;

export const givesWay = ({ request: { body }, server }: Exchange): boolean =>
  body?.kind === 'bytes' &&
  body.bytes.length >= LARGE_BODY_BYTES &&
  server.surroundings.giveWay !== undefined;

/** Undefined: go on at once. */
export const giveWay = (exchange: Exchange): Process<void> | undefined =>
  givesWay(exchange) ? exchange.server.surroundings.giveWay?.() : undefined;

export function* stepByStep<T extends object>(exchange: Exchange, steps: Steps<T>): Process<T> {
  for (; typeof steps === 'function'; steps = steps()) {
    const others = giveWay(exchange);
    if (others) yield* others;
  }
  return steps;
}
