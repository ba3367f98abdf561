/**
 * Guards determinism while a simulation runs: ambient time, chance, timers, the time zone of the machine and the network
 * throw. Outside of a run, and in the host's turn between two events, everything is as before.
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
  readonly fetch: typeof fetch;
  readonly hrtime: Hrtime;
}

type Hrtime = ((before?: [number, number]) => [number, number]) & { readonly bigint: () => bigint };

// Methods are replaced where they are defined, so that putting them back leaves no trace.
const clock = Object.getPrototypeOf(performance) as { now: typeof performance.now };
const cryptography = Object.getPrototypeOf(crypto) as {
  getRandomValues: typeof crypto.getRandomValues;
  randomUUID: typeof crypto.randomUUID;
};
const hasImmediate = 'setImmediate' in globalThis;
/** Absent in browsers. */
const platform = (globalThis as { process?: { hrtime?: Hrtime } }).process;
const noHrtime = Object.assign((): [number, number] => [0, 0], { bigint: () => 0n });

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
  fetch: globalThis.fetch,
  hrtime: platform?.hrtime ?? noHrtime,
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
  globalThis.fetch = ambient.fetch;
  if (platform?.hrtime) platform.hrtime = ambient.hrtime;
}

const refusal = (what: string) => (): never => {
  throw violation(`${what} was used inside the simulation: it would differ from run to run`);
};

/** A refusal with the type of what it stands in for. */
const refuse = <F>(what: string, _real: F): F => refusal(what) as F;

/** What reads or sets parts of a Date in the time zone or the language of the machine. */
const LOCAL_MEMBERS = [
  ...['FullYear', 'Month', 'Date', 'Hours', 'Minutes', 'Seconds', 'Milliseconds'].flatMap((part) => [
    `get${part}`,
    `set${part}`,
  ]),
  ...['getDay', 'getYear', 'setYear', 'getTimezoneOffset', 'toString', 'toDateString', 'toTimeString'],
  ...['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'],
];

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
  fetch: refuse('fetch', globalThis.fetch),
  hrtime: Object.assign(refuse('process.hrtime', noHrtime), { bigint: refusal('process.hrtime.bigint') }),
};

/** A Date that needs to be told the time, as an instant: without the time zone of the machine. */
function guardedDate(real: DateConstructor): DateConstructor {
  const now = refusal('the present time (Date)');
  const local = refusal('the time zone of the machine (Date)');
  const checked = (text: string): string => (isInstant(text) ? text : local());
  function GuardedDate(...parts: unknown[]): Date {
    if (!new.target || parts.length === 0) return now();
    if (parts.length > 1) return local();
    if (typeof parts[0] === 'string') checked(parts[0]);
    return Reflect.construct(real, parts, new.target) as Date;
  }
  GuardedDate.prototype = Object.create(real.prototype, {
    constructor: { value: GuardedDate, writable: true, configurable: true },
    ...Object.fromEntries(
      LOCAL_MEMBERS.map((name) => [name, { value: local, writable: true, configurable: true }]),
    ),
  }) as Date;
  const isDate = (value: unknown): boolean => value instanceof real;
  Object.defineProperty(GuardedDate, Symbol.hasInstance, { value: isDate });
  const parse = (text: string): number => real.parse(checked(text));
  const guarded: unknown = Object.assign(GuardedDate, { UTC: real.UTC, parse, now });
  return guarded as DateConstructor;
}

/** A date alone is one of UTC; a time of day needs to say its zone. */
const isInstant = (text: string): boolean =>
  /^[+-]?\d{4,6}(-\d\d(-\d\d)?)?$/.test(text) || /(Z|[+-]\d\d:?\d\d|GMT|UTC)$/i.test(text);
