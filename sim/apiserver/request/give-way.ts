/**
 * Between the steps of a large request everybody else has a turn, where the surroundings have anybody who waits. What
 * was looked up in the storage before may have changed afterwards.
 */
import type { Process } from '../../engine/process.ts';
import type { Steps } from '../../api/steps.ts';
import type { ApiObject } from '../../api/object.ts';
import { isNotedLarge } from '../stores/write-size.ts';
import type { Exchange } from './exchange.ts';

/** What is smaller takes a few milliseconds in all. */
const LARGE_BODY_BYTES = 128 * 1024;

/** `present`: what the request changes; little may be said about much. */
export const givesWay = ({ request: { body }, server }: Exchange, present?: ApiObject): boolean =>
  server.surroundings.giveWay !== undefined &&
  ((body?.kind === 'bytes' && body.bytes.length >= LARGE_BODY_BYTES) ||
    (present !== undefined && isNotedLarge(present)));

/** Undefined: go on at once. */
export const giveWay = (exchange: Exchange, present?: ApiObject): Process<void> | undefined =>
  givesWay(exchange, present) ? exchange.server.surroundings.giveWay?.() : undefined;

export function* stepByStep<T extends object>(
  exchange: Exchange,
  steps: Steps<T>,
  present?: ApiObject,
): Process<T> {
  for (; typeof steps === 'function'; steps = steps()) {
    const others = giveWay(exchange, present);
    if (others) yield* others;
  }
  return steps;
}
