/**
 * Guards determinism while a simulation runs: ambient time, chance and timers throw. Outside of a run, and in
 * the host's turn between two events, everything is as before.
 */

import { violation } from './invariant.ts';

/** Runs `work` with the trap closed. Runs within runs keep it closed. */
export function withoutAmbient<T>(work: () => T): T {
  if (isClosed) return work();
  isClosed = true;
  for (const trapped of TRAPPED) trapped.close();
  try {
    return work();
  } finally {
    for (const trapped of TRAPPED) trapped.open();
    isClosed = false;
  }
}

let isClosed = false;

/** One property of the world that is replaced during runs; whatever it was before is put back. */
class Trapped {
  readonly #place: Record<string, unknown>;
  readonly #name: string;
  readonly #trap: unknown;
  #original: unknown;

  constructor(place: object, name: string, trap: unknown) {
    this.#place = place as Record<string, unknown>;
    this.#name = name;
    this.#trap = trap;
  }

  close(): void {
    this.#original = this.#place[this.#name];
    this.#place[this.#name] = this.#trap;
  }

  open(): void {
    this.#place[this.#name] = this.#original;
  }
}

const refuse = (what: string) => (): never => {
  throw violation(`${what} was used inside the simulation: it would differ from run to run`);
};

const TRAPPED: readonly Trapped[] = [
  new Trapped(globalThis, 'Date', guardedDate(Date)),
  ...functions('Math', ['random']),
  ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']
    .filter((name) => name in globalThis)
    .map((name) => new Trapped(globalThis, name, refuse(name))),
  ...functions('performance', ['now']),
  ...functions('crypto', ['getRandomValues', 'randomUUID']),
];

/** Functions of a global object, replaced where they are defined: on the object or on its prototype. */
function functions(owner: string, names: readonly string[]): Trapped[] {
  return names.flatMap((name) => {
    let place: unknown = Reflect.get(globalThis, owner);
    while (isObject(place) && !Object.hasOwn(place, name)) place = Object.getPrototypeOf(place);
    return isObject(place) ? [new Trapped(place, name, refuse(`${owner}.${name}`))] : [];
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A Date that needs to be told the time. */
function guardedDate(real: DateConstructor): unknown {
  function GuardedDate(this: unknown, ...parts: number[]): Date {
    if (!new.target) return refuse('Date()')();
    if (parts.length === 0) return refuse('new Date()')();
    return Reflect.construct(real, parts, new.target === GuardedDate ? real : new.target) as Date;
  }
  GuardedDate.prototype = real.prototype;
  return Object.assign(GuardedDate, { UTC: real.UTC, parse: real.parse, now: refuse('Date.now') });
}
