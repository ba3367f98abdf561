/**
 * Something of a world that outsiders may act upon, such as its faults or a machine, so that every call of a method is
 * a deed of the journal. Who hands in a callback only listens: that is no deed.
 */
import type { Act } from './journal.ts';

export interface Recording<World> {
  readonly what: string;
  /** Where it is in a world. */
  readonly of: (world: World) => object;
  readonly perform: (what: string, act: Act<World, unknown>) => unknown;
}

export function recorded<T extends object, World>(target: T, recording: Recording<World>): T {
  const { what, of, perform } = recording;
  return new Proxy(target, {
    get(object, key) {
      const value: unknown = Reflect.get(object, key, object);
      const name = `${what}.${String(key)}`;
      if (typeof value === 'function')
        return (...args: unknown[]): unknown =>
          args.some((argument) => typeof argument === 'function')
            ? Reflect.apply(value, object, args)
            : perform(name, (world) => callOn(of(world), key, args));
      if (!isPart(value)) return value;
      return recorded(value, { what: name, of: (world) => Reflect.get(of(world), key) as object, perform });
    },
    set(_, key, value: unknown) {
      perform(`${what}.${String(key)}`, (world) => Reflect.set(of(world), key, value));
      return true;
    },
  });
}

function callOn(target: object, key: string | symbol, args: readonly unknown[]): unknown {
  const method: unknown = Reflect.get(target, key, target);
  if (typeof method !== 'function') throw new TypeError(`${String(key)} is no method`);
  return Reflect.apply(method, target, args) as unknown;
}

/** Parts with methods of their own; data is handed out as it is. */
const isPart = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.getPrototypeOf(value) !== Object.prototype &&
  !(value instanceof Set || value instanceof Map || ArrayBuffer.isView(value));
