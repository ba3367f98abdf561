/**
 * What a Go program that was built for `GOOS=js GOARCH=wasm` asks of its host: the imports of module `gojs`. Each call gets
 * the address of its arguments on Go's stack, in words of 8 bytes, and leaves its results behind them. Time, timers and
 * chance are the guest's whose turn it is.
 */
import type { GoMemory } from './go-memory.ts';
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
  fill(bytes: Uint8Array): void;
  /** Everything is initialized, and `main` is about to begin: it waits for one more event. */
  started(): void;
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

function runtimeCalls({ memory, values, timeouts, ambience, ...host }: GoHost): Record<string, Call> {
  return {
    'runtime.wasmExit': (at) => {
      timeouts.clearAll();
      host.exited(memory.int32(at));
    },
    'runtime.wasmWrite': (at) => {
      const bytes = new Uint8Array(memory.view.buffer, memory.int64(at + 8), memory.int32(at + 16));
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
    'runtime.scheduleTimeoutEvent': (at) => memory.setInt32(at + 8, timeouts.schedule(memory.int64(at))),
    'runtime.clearTimeoutEvent': (at) => timeouts.clear(memory.int32(at)),
    'runtime.getRandomData': (at) => host.fill(memory.bytes(at)),
    'kubesim.started': () => host.started(),
    'syscall/js.finalizeRef': (at) => values.release(memory.view.getUint32(at, true)),
    debug: () => undefined,
  };
}

function valueCalls(host: GoHost): Record<string, Call> {
  const { memory, values } = host;
  const target = (at: number): object => values.load(at) as object;
  /** What was thrown is a result of its own kind. `at` is where the result is put, before Go's stack may move. */
  const outcome = (at: number, before: number, act: () => unknown): void => {
    let value: unknown;
    let isDone = true;
    try {
      value = act();
    } catch (error) {
      value = error;
      isDone = false;
    }
    const moved = host.stackPointer() - before;
    values.store(at + moved, value);
    memory.setBool(at + moved + 8, isDone);
  };
  const applied =
    (act: (of: unknown, args: unknown[]) => unknown): Call =>
    (at) => {
      const of = values.load(at);
      const args = values.loadAll(at + 8);
      outcome(at + 32, at - 8, () => act(of, args));
    };
  return {
    'syscall/js.stringVal': (at) => values.store(at + 16, memory.text(at)),
    'syscall/js.valueGet': (at) => {
      const value: unknown = Reflect.get(target(at), memory.text(at + 8));
      values.store(host.stackPointer() + 32, value);
    },
    'syscall/js.valueSet': (at) => void Reflect.set(target(at), memory.text(at + 8), values.load(at + 24)),
    'syscall/js.valueDelete': (at) => void Reflect.deleteProperty(target(at), memory.text(at + 8)),
    'syscall/js.valueIndex': (at) => values.store(at + 16, Reflect.get(target(at), memory.int64(at + 8))),
    'syscall/js.valueSetIndex': (at) =>
      void Reflect.set(target(at), memory.int64(at + 8), values.load(at + 16)),
    'syscall/js.valueCall': (at) => {
      const of = target(at);
      const method = Reflect.get(of, memory.text(at + 8)) as () => unknown;
      const args = values.loadAll(at + 24);
      outcome(at + 48, at - 8, () => Reflect.apply(method, of, args));
    },
    'syscall/js.valueInvoke': applied((of, args) => Reflect.apply(of as () => unknown, undefined, args)),
    'syscall/js.valueNew': applied((of, args) => Reflect.construct(of as new () => object, args) as unknown),
    'syscall/js.valueLength': (at) => memory.setInt64(at + 8, Number(Reflect.get(target(at), 'length'))),
    'syscall/js.valueInstanceOf': (at) =>
      memory.setBool(at + 16, values.load(at) instanceof (values.load(at + 8) as () => unknown)),
  };
}

function bytesCalls({ memory, values }: GoHost): Record<string, Call> {
  const encoder = new TextEncoder();
  const copied = (at: number, from: unknown, into: unknown): void => {
    const isDone = from instanceof Uint8Array && into instanceof Uint8Array;
    if (isDone) {
      const piece = from.subarray(0, into.length);
      into.set(piece);
      memory.setInt64(at, piece.length);
    }
    memory.setBool(at + 8, isDone);
  };
  return {
    'syscall/js.valuePrepareString': (at) => {
      const bytes = encoder.encode(String(values.load(at)));
      values.store(at + 8, bytes);
      memory.setInt64(at + 16, bytes.length);
    },
    'syscall/js.valueLoadString': (at) => memory.bytes(at + 8).set(values.load(at) as Uint8Array),
    'syscall/js.copyBytesToGo': (at) => copied(at + 32, values.load(at + 24), memory.bytes(at)),
    'syscall/js.copyBytesToJS': (at) => copied(at + 32, memory.bytes(at + 8), values.load(at)),
  };
}
