/** What Go knows its host by: makes functions of JavaScript that call functions of Go. */

/** A call of a function of Go, as Go looks for it. */
interface GoEvent {
  readonly id: number;
  readonly this: unknown;
  readonly args: readonly unknown[];
  result: unknown;
}

type Wrapper = (...args: unknown[]) => unknown;

export class GoBridge {
  readonly object: object;
  /** By function: its identity in Go. */
  readonly #ids = new WeakMap<Wrapper, number>();
  readonly #call: (id: number, self: unknown, args: readonly unknown[]) => unknown;

  constructor(resume: () => void) {
    const bridge = {
      _pendingEvent: null as GoEvent | null,
      _makeFuncWrapper: (id: number) => this.wrapper(id),
    };
    this.object = bridge;
    const call = (id: number, self: unknown, args: readonly unknown[]): unknown => {
      const event: GoEvent = { id, this: self, args, result: undefined };
      bridge._pendingEvent = event;
      resume();
      return event.result;
    };
    this.#call = call;
  }

  wrapper(id: number): Wrapper {
    const call = this.#call;
    const wrapper = function (this: unknown, ...args: unknown[]): unknown {
      return call(id, this, args);
    };
    this.#ids.set(wrapper, id);
    return wrapper;
  }

  /** Undefined: it is none of Go's functions. */
  idOf(value: unknown): number | undefined {
    return typeof value === 'function' ? this.#ids.get(value as Wrapper) : undefined;
  }
}
