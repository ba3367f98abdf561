/**
 * Ambient time and chance as guests see them. While a cluster with guests is driven the globals ask who is running: a
 * guest gets its own clock and its own chance, everybody else (the test runner, real I/O) what there was before. They are
 * installed once for all clusters that are driven side by side, and go with the last of them.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import timersPromises from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Ambience } from './ambience.ts';
import { guestEnvironment } from './guest-files.ts';
import { RealWork } from './real-work.ts';
import type { Shadow } from './shadow.ts';

const running = new AsyncLocalStorage<Shadow>();

/** Runs guest code: whatever it starts or awaits is known as this guest's. */
export const asGuest = <T>(guest: Shadow, work: () => T): T => running.run(guest, work);

/** What goes on from here is nobody's guest: the platform's own, when something was thrown. */
export const leaveGuest = (): void => {
  const nobody: unknown = undefined;
  running.enterWith(nobody as Shadow);
};

/** Who is running; undefined: nobody's guest. */
export const present = (): Ambience | undefined => running.getStore()?.life;

const real = {
  Date: globalThis.Date,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
};
const realRandom = Math.random;
const realNow = performance.now;
const realUuid = crypto.randomUUID;
const realFill = crypto.getRandomValues;
const realHrtime = process.hrtime;

type Timing = Exclude<keyof typeof real, 'Date'>;
const TIMINGS = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
] as const satisfies readonly Timing[];

const dateOf = (): DateConstructor => present()?.timers.Date ?? real.Date;

const GuestDate: DateConstructor = new Proxy(real.Date, {
  construct: (_target, args, newTarget) => {
    const date = dateOf();
    return Reflect.construct(date, args, newTarget === GuestDate ? date : newTarget) as object;
  },
  apply: (_target, _self, args) => Reflect.apply(dateOf(), undefined, args) as string,
  get: (target, member) => Reflect.get(member === 'now' ? dateOf() : target, member) as unknown,
});

const dispatched = TIMINGS.map((name) => {
  const call = (...args: unknown[]): unknown => {
    const guest = present();
    guest?.checkTurn(name);
    return Reflect.apply((guest?.timers ?? real)[name], undefined, args);
  };
  return [name, call] as const;
});
for (const [name, call] of dispatched)
  if (name === 'setTimeout' || name === 'setImmediate')
    Object.defineProperty(call, promisify.custom, { get: () => timersPromises[name] });

/** A guest that may draw now; undefined: somebody else. */
function drawing(what: string): Ambience | undefined {
  const guest = present();
  guest?.checkTurn(what);
  return guest;
}

const guestRandom = (): number => drawing('Math.random')?.random() ?? Reflect.apply(realRandom, Math, []);

const NANOSECONDS_IN_MS = 1_000_000;

function guestHrtime(before?: [number, number]): [number, number] {
  const guest = present();
  if (!guest) return realHrtime(before);
  const nanoseconds = guest.elapsedMs * NANOSECONDS_IN_MS;
  const [seconds, rest] = before ?? [0, 0];
  const since = nanoseconds - (seconds * 1e9 + rest);
  return [Math.floor(since / 1e9), ((since % 1e9) + 1e9) % 1e9];
}

const guestHrtimeInFull = (): bigint => {
  const guest = present();
  return guest ? BigInt(guest.elapsedMs) * BigInt(NANOSECONDS_IN_MS) : realHrtime.bigint();
};

const clock = Object.getPrototypeOf(performance) as object;
const cryptography = Object.getPrototypeOf(crypto) as object;

const realWork = new RealWork(present);

let drives = 0;
let restore = (): void => undefined;

/** A cluster with guests is driven from now on; the result ends that, and with the last drive puts back what was there. */
export function openGuestGlobals(): () => void {
  if (drives++ === 0) {
    restore = install();
    realWork.listen();
  }
  return () => {
    if (--drives > 0) return;
    realWork.unlisten();
    restore();
  };
}

function install(): () => void {
  const before = new Map(TIMINGS.map((name) => [name, globalThis[name]]));
  const { Date: dateBefore } = globalThis;
  const { env, exit } = process;
  // Here and not once for all: test runners put back theirs between files.
  const guestExit: typeof exit = (code) => {
    const guest = present();
    if (guest) throw exitOf(guest, code);
    return exit(code);
  };
  process.exit = guestExit;
  globalThis.Date = GuestDate;
  for (const [name, call] of dispatched) Reflect.set(globalThis, name, call);
  Math.random = guestRandom;
  Reflect.set(clock, 'now', () => present()?.elapsedMs ?? Reflect.apply(realNow, performance, []));
  Reflect.set(
    cryptography,
    'randomUUID',
    () => drawing('crypto.randomUUID')?.uuid() ?? Reflect.apply(realUuid, crypto, []),
  );
  Reflect.set(cryptography, 'getRandomValues', fillRandom);
  process.hrtime = Object.assign(guestHrtime, { bigint: guestHrtimeInFull });
  process.env = guestEnvironment(env, present);
  return () => {
    process.env = env;
    process.exit = exit;
    globalThis.Date = dateBefore;
    for (const [name, value] of before) Reflect.set(globalThis, name, value);
    Math.random = realRandom;
    Reflect.set(clock, 'now', realNow);
    Reflect.set(cryptography, 'randomUUID', realUuid);
    Reflect.set(cryptography, 'getRandomValues', realFill);
    process.hrtime = realHrtime;
  };
}

/** What ends its code where it is. */
export const exitOf = (guest: Ambience, code: unknown): Error =>
  guest.exits(`process.exit(${typeof code === 'number' ? code : ''})`, typeof code === 'number' ? code : 0);

function fillRandom(array: ArrayBufferView): unknown {
  const guest = drawing('crypto.getRandomValues');
  if (!guest) return Reflect.apply(realFill, crypto, [array]) as unknown;
  guest.fillRandomly(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  return array;
}

/** Waits until no promise continues any more: what real timers and I/O would continue is no guest's affair. */
export const quiescence = (): Promise<void> => new Promise((resolve) => void real.setImmediate(resolve));

/** Does something in real time, as nobody's guest, once nothing of what is under way now is left. */
export const later = (act: () => void): void => running.exit(() => void real.setImmediate(act));

/** Real time that no guest's clock is asked for. */
export const realMs = (): number => Reflect.apply(realNow, performance, []);

/** Whether guests seem to have begun real work whose end may continue them. */
export const hasRealWork = (): boolean => realWork.mayEnd;

/** Waits a moment for real work that guests seem to have begun; for the end of a drive. */
export const realWorkShown = (): Promise<void> => realWork.linger(quiescence, realMs);
