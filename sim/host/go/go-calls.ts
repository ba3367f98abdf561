/**
 * What a Go program that was built for `GOOS=js GOARCH=wasm` asks of its host: the imports of module `gojs`. Each call gets
 * the address of its arguments on Go's stack, in words of 8 bytes, and leaves its results behind them. Time, timers and
 * chance are the guest's whose turn it is.
 */
import type { GoMemory } from './go-memory.ts';
import { outcomeOf } from './go-player.ts';
import { type GoTape, OP } from './go-tape.ts';
import type { GoAmbience, GoTimeouts } from './go-timeouts.ts';
import type { GoValues } from './go-values.ts';

/** A running program, as its calls need it. */
export interface GoHost {
  readonly memory: GoMemory;
  readonly values: GoValues;
  /** Go's stack pointer now: a call into JavaScript may have come back into Go, which moves its stack. */
  stackPointer(): number;
  readonly timeouts: GoTimeouts;
  readonly ambience: GoAmbience;
  /** Notes what is done to values of JavaScript, and whatever else the host has done for the program. */
  readonly tape: GoTape | undefined;
  fill(bytes: Uint8Array): void;
  /** Everything is initialized, and `main` is about to begin: it waits for one more event. */
  started(): void;
  holdsTimers(count: number): void;
  exited(code: number): void;
  print(descriptor: number, bytes: Uint8Array): void;
}

type Call = (at: number) => void;

const NANOSECONDS_IN_MS = 1_000_000;

/** By name; `at` is the address of the first argument. */
export function goCalls(host: GoHost): Record<string, Call> {
  const calls = { ...runtimeCalls(host), ...valueCalls(host), ...bytesCalls(host) };
  return Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [name, (sp: number) => call((sp >>> 0) + 8)]),
  );
}

function runtimeCalls({ memory, values, timeouts, ambience, tape, ...host }: GoHost): Record<string, Call> {
  return {
    'runtime.wasmExit': (at) => {
      const code = memory.int32(at);
      tape?.write(OP.exit, code);
      host.exited(code);
    },
    'runtime.wasmWrite': (at) => {
      const bytes = new Uint8Array(memory.view.buffer, memory.int64(at + 8), memory.int32(at + 16));
      tape?.write(OP.print, memory.int64(at));
      tape?.writeThing(bytes.slice());
      host.print(memory.int64(at), bytes);
    },
    'runtime.resetMemoryDataView': () => undefined,
    // Go takes zero for a broken clock.
    'runtime.nanotime1': (at) => memory.setInt64(at, (1 + ambience.elapsedMs()) * NANOSECONDS_IN_MS),
    'runtime.walltime': (at) => {
      const now = ambience.wallMs();
      memory.setInt64(at, Math.floor(now / 1000));
      memory.setInt32(at + 8, (now % 1000) * NANOSECONDS_IN_MS);
    },
    'runtime.scheduleTimeoutEvent': (at) => {
      tape?.write(OP.timeout, memory.int64(at));
      memory.setInt32(at + 8, timeouts.schedule(memory.int64(at)));
    },
    'runtime.clearTimeoutEvent': (at) => {
      tape?.write(OP.clearTimeout, memory.int32(at));
      timeouts.clear(memory.int32(at));
    },
    'runtime.getRandomData': (at) => {
      tape?.write(OP.chance, memory.bytes(at).length);
      host.fill(memory.bytes(at));
    },
    'kubesim.started': () => {
      tape?.write(OP.started);
      host.started();
    },
    'kubesim.timers': (at) => {
      tape?.write(OP.timers, memory.int32(at));
      host.holdsTimers(memory.int32(at));
    },
    'syscall/js.finalizeRef': (at) => {
      const id = memory.view.getUint32(at, true);
      tape?.write(OP.release, id);
      values.release(id);
    },
    debug: () => undefined,
  };
}

/** Notes on the tape what is done, and what comes of it. */
class Notes {
  readonly #host: GoHost;

  constructor(host: GoHost) {
    this.#host = host;
  }

  begin(op: number, of: number): void {
    this.#host.tape?.write(op);
    this.refer(of);
  }

  refer(at: number): void {
    this.#host.tape?.writeReference(this.#host.memory.view, at);
  }

  /** A name that is at `at`. */
  named(at: number): string {
    const text = this.#host.memory.text(at);
    this.#host.tape?.writeThing(text);
    return text;
  }

  /** A number that is at `at`. */
  numbered(at: number): number {
    const number = this.#host.memory.int64(at);
    this.#host.tape?.write(number);
    return number;
  }

  /** Arguments, whose slice is at `at`. */
  given(at: number): unknown[] {
    const { memory, tape, values } = this.#host;
    const [first, count] = [memory.int64(at), memory.int64(at + 8)];
    tape?.write(count);
    for (let index = 0; index < count; index++) this.refer(first + index * 8);
    return values.loadAll(at);
  }

  gave(at: number, value: unknown): void {
    const { tape, values } = this.#host;
    const id = values.store(at, value);
    tape?.write(id);
  }
}

function valueCalls(host: GoHost): Record<string, Call> {
  const { memory, values } = host;
  const notes = new Notes(host);
  const target = (at: number): object => values.load(at) as object;
  /** `at` is where the result is put, before Go's stack may move. */
  const outcome = (at: number, before: number, act: () => unknown): void => {
    const { value, isDone } = outcomeOf(act);
    const moved = host.stackPointer() - before;
    notes.gave(at + moved, value);
    memory.setBool(at + moved + 8, isDone);
  };
  const applied =
    (op: number, act: (of: unknown, args: unknown[]) => unknown): Call =>
    (at) => {
      notes.begin(op, at);
      const of = values.load(at);
      const args = notes.given(at + 8);
      outcome(at + 32, at - 8, () => act(of, args));
    };
  return {
    'syscall/js.stringVal': (at) => {
      host.tape?.write(OP.text);
      notes.gave(at + 16, notes.named(at));
    },
    'syscall/js.valueGet': (at) => {
      notes.begin(OP.get, at);
      const value: unknown = Reflect.get(target(at), notes.named(at + 8));
      notes.gave(host.stackPointer() + 32, value);
    },
    'syscall/js.valueSet': (at) => {
      notes.begin(OP.set, at);
      const name = notes.named(at + 8);
      notes.refer(at + 24);
      Reflect.set(target(at), name, values.load(at + 24));
    },
    'syscall/js.valueDelete': (at) => {
      notes.begin(OP.delete, at);
      Reflect.deleteProperty(target(at), notes.named(at + 8));
    },
    'syscall/js.valueIndex': (at) => {
      notes.begin(OP.index, at);
      notes.gave(at + 16, Reflect.get(target(at), notes.numbered(at + 8)));
    },
    'syscall/js.valueSetIndex': (at) => {
      notes.begin(OP.setIndex, at);
      const index = notes.numbered(at + 8);
      notes.refer(at + 16);
      Reflect.set(target(at), index, values.load(at + 16));
    },
    'syscall/js.valueCall': (at) => {
      notes.begin(OP.call, at);
      const of = target(at);
      const method = Reflect.get(of, notes.named(at + 8)) as () => unknown;
      const args = notes.given(at + 24);
      outcome(at + 48, at - 8, () => Reflect.apply(method, of, args));
    },
    'syscall/js.valueInvoke': applied(OP.invoke, (of, args) =>
      Reflect.apply(of as () => unknown, undefined, args),
    ),
    'syscall/js.valueNew': applied(
      OP.construct,
      (of, args) => Reflect.construct(of as new () => object, args) as unknown,
    ),
    'syscall/js.valueLength': (at) => memory.setInt64(at + 8, Number(Reflect.get(target(at), 'length'))),
    'syscall/js.valueInstanceOf': (at) =>
      memory.setBool(at + 16, values.load(at) instanceof (values.load(at + 8) as () => unknown)),
  };
}

function bytesCalls(host: GoHost): Record<string, Call> {
  const { memory, values, tape } = host;
  const notes = new Notes(host);
  const encoder = new TextEncoder();
  const copied = (at: number, from: unknown, into: unknown): boolean => {
    const isDone = from instanceof Uint8Array && into instanceof Uint8Array;
    if (isDone) {
      const piece = from.subarray(0, into.length);
      into.set(piece);
      memory.setInt64(at, piece.length);
    }
    memory.setBool(at + 8, isDone);
    return isDone;
  };
  return {
    'syscall/js.valuePrepareString': (at) => {
      notes.begin(OP.prepare, at);
      const bytes = encoder.encode(String(values.load(at)));
      notes.gave(at + 8, bytes);
      memory.setInt64(at + 16, bytes.length);
    },
    'syscall/js.valueLoadString': (at) => memory.bytes(at + 8).set(values.load(at) as Uint8Array),
    'syscall/js.copyBytesToGo': (at) => void copied(at + 32, values.load(at + 24), memory.bytes(at)),
    'syscall/js.copyBytesToJS': (at) => {
      const [from, into] = [memory.bytes(at + 8), values.load(at)];
      if (!copied(at + 32, from, into)) return;
      notes.begin(OP.copy, at);
      tape?.writeThing(from.slice(0, (into as Uint8Array).length));
    },
  };
}
