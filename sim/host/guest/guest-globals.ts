/**
 * Ambient time and chance as guests see them. While a guest has its turn the globals ask who is running: a guest gets its
 * own clock and its own chance, everybody else (the test runner, real I/O) what there was before.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { GuestTimers } from './guest-clock.ts';

/** A guest, as the globals see it. */
export interface Ambience {
  readonly timers: GuestTimers;
  readonly elapsedMs: number;
  /** In [0, 1). */
  random(): number;
  uuid(): string;
  fill(bytes: Uint8Array): void;
}

const running = new AsyncLocalStorage<Ambience>();

/** Runs guest code: whatever it starts or awaits is known as this guest's. */
export const asGuest = <T>(guest: Ambience, work: () => T): T => running.run(guest, work);

const present = (): Ambience | undefined => running.getStore();

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
  const call = (...args: unknown[]): unknown =>
    Reflect.apply((present()?.timers ?? real)[name], undefined, args);
  return [name, call] as const;
});

const clock = Object.getPrototypeOf(performance) as object;
const cryptography = Object.getPrototypeOf(crypto) as object;

/** Makes the globals ask; the result puts back what was there. */
export function openGuestGlobals(): () => void {
  const before = new Map(TIMINGS.map((name) => [name, globalThis[name]]));
  const { Date: dateBefore } = globalThis;
  globalThis.Date = GuestDate;
  for (const [name, call] of dispatched) Reflect.set(globalThis, name, call);
  Math.random = () => (present() ? (present()?.random() ?? 0) : Reflect.apply(realRandom, Math, []));
  Reflect.set(clock, 'now', () => present()?.elapsedMs ?? Reflect.apply(realNow, performance, []));
  Reflect.set(cryptography, 'randomUUID', () => present()?.uuid() ?? Reflect.apply(realUuid, crypto, []));
  Reflect.set(cryptography, 'getRandomValues', fillRandom);
  return () => {
    globalThis.Date = dateBefore;
    for (const [name, value] of before) Reflect.set(globalThis, name, value);
    Math.random = realRandom;
    Reflect.set(clock, 'now', realNow);
    Reflect.set(cryptography, 'randomUUID', realUuid);
    Reflect.set(cryptography, 'getRandomValues', realFill);
  };
}

function fillRandom(array: ArrayBufferView): unknown {
  const guest = present();
  if (!guest) return Reflect.apply(realFill, crypto, [array]) as unknown;
  guest.fill(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  return array;
}

/** Waits until no promise continues any more: what real timers and I/O would continue is no guest's affair. */
export const quiescence = (): Promise<void> => new Promise((resolve) => void real.setImmediate(resolve));
