/**
 * Between the steps of a large request everybody else has a turn, where the surroundings have anybody who waits. What
 * was looked up in the storage before may have changed afterwards.
 */
import type { Process } from '../../engine/process.ts';
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

/** What work comes to, or what is to be done for it next. */
export type Steps<T extends object> = T | (() => Steps<T>);

/** The same, with a look at what it comes to. */
export const andThen = <T extends object>(steps: Steps<T>, look: (result: T) => void): Steps<T> => {
  if (typeof steps === 'function') return () => andThen(steps(), look);
  look(steps);
  return steps;
};

export function atOnce<T extends object>(steps: Steps<T>): T {
  while (typeof steps === 'function') steps = steps();
  return steps;
}

export function* stepByStep<T extends object>(exchange: Exchange, steps: Steps<T>): Process<T> {
  for (; typeof steps === 'function'; steps = steps()) {
    const others = giveWay(exchange);
    if (others) yield* others;
  }
  return steps;
}
