/**
 * Guards determinism while a simulation runs: ambient time, chance and timers throw. Outside of a run, and in
 * the host's turn between two events, everything is as before.
 */

import { violation } from './invariant.ts';

/** Runs `work` with the trap closed. Runs within runs keep it closed. */
export function withoutAmbient<T>(work: () => T): T {
  if (isClosed) return work();
  const world = look();
  isClosed = true;
  set(TRAP);
  try {
    return work();
  } finally {
    set(world);
    isClosed = false;
  }
}

let isClosed = false;

/** Everything in the world that answers differently from run to run. */
interface Ambient {
  readonly date: DateConstructor;
  readonly random: typeof Math.random;
  readonly timeout: typeof setTimeout;
  readonly interval: typeof setInterval;
  readonly immediate: typeof setImmediate;
  readonly microtask: typeof queueMicrotask;
  readonly now: typeof performance.now;
  readonly randomValues: typeof crypto.getRandomValues;
  readonly uuid: typeof crypto.randomUUID;
}

// Methods are replaced where they are defined, so that putting them back leaves no trace.
const clock = Object.getPrototypeOf(performance) as { now: typeof performance.now };
const cryptography = Object.getPrototypeOf(crypto) as {
  getRandomValues: typeof crypto.getRandomValues;
  randomUUID: typeof crypto.randomUUID;
};
const hasImmediate = 'setImmediate' in globalThis;

const look = (): Ambient => ({
  date: globalThis.Date,
  random: Math.random,
  timeout: globalThis.setTimeout,
  interval: globalThis.setInterval,
  immediate: globalThis.setImmediate,
  microtask: globalThis.queueMicrotask,
  now: clock.now,
  randomValues: cryptography.getRandomValues,
  uuid: cryptography.randomUUID,
});

// Spelled out rather than a loop over names: a host enters once for each request, and keyed writes are slow.
function set(ambient: Ambient): void {
  globalThis.Date = ambient.date;
  Math.random = ambient.random;
  globalThis.setTimeout = ambient.timeout;
  globalThis.setInterval = ambient.interval;
  if (hasImmediate) globalThis.setImmediate = ambient.immediate;
  globalThis.queueMicrotask = ambient.microtask;
  clock.now = ambient.now;
  cryptography.getRandomValues = ambient.randomValues;
  cryptography.randomUUID = ambient.uuid;
}

const refusal = (what: string) => (): never => {
  throw violation(`${what} was used inside the simulation: it would differ from run to run`);
};

/** A refusal with the type of what it stands in for. */
const refuse = <F>(what: string, _real: F): F => refusal(what) as F;

const TRAP: Ambient = {
  date: guardedDate(Date),
  random: refuse('Math.random', Math.random),
  timeout: refuse('setTimeout', globalThis.setTimeout),
  interval: refuse('setInterval', globalThis.setInterval),
  immediate: refuse('setImmediate', globalThis.setImmediate),
  microtask: refuse('queueMicrotask', globalThis.queueMicrotask),
  now: refuse('performance.now', clock.now),
  randomValues: refuse('crypto.getRandomValues', cryptography.getRandomValues),
  uuid: refuse('crypto.randomUUID', cryptography.randomUUID),
};

/** A Date that needs to be told the time. */
function guardedDate(real: DateConstructor): DateConstructor {
  const now = refusal('the present time (Date)');
  function GuardedDate(...parts: number[]): Date {
    if (!new.target || parts.length === 0) return now();
    return Reflect.construct(real, parts, new.target === GuardedDate ? real : new.target) as Date;
  }
  GuardedDate.prototype = real.prototype;
  const guarded: unknown = Object.assign(GuardedDate, { UTC: real.UTC, parse: real.parse, now });
  return guarded as DateConstructor;
}
