/**
 * An image of a Go program that is initialized and has not begun `main`: its linear memory, its globals, and the values of
 * JavaScript that it holds. A life that begins from it is, word by word, what a life is that was initialized by itself:
 * initialization depends on nothing but arguments, environment and time, and where time shows in memory is found by
 * initializing it at different times, and looking at every word that differs (`moved-words.ts`). There is no image
 * where that explains not all of them, or where something of the world was used: a file, an output, a request, a port.
 */
import { foundIn, placesIn } from './go-world.ts';
import { GoInstance, type GoLifeOptions, type GoPast } from './go-instance.ts';
import type { Timeout } from './go-timeouts.ts';
import type { HeldValues } from './go-values.ts';
import { MovedWords } from './moved-words.ts';
import type { ProgramTime } from './program-time.ts';
import type { WasmModule } from './web-assembly.ts';

/** How to come by a value of JavaScript again. */
type Held =
  | { readonly kind: 'as it is'; readonly value: unknown }
  | { readonly kind: 'place'; readonly place: string }
  | { readonly kind: 'function of Go'; readonly id: number }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

export interface StartUpImage {
  readonly memory: Uint8Array;
  readonly globals: readonly (number | bigint)[];
  readonly values: HeldValues<Held>;
  readonly timeouts: readonly Timeout[];
  readonly lastTimeout: number;
  readonly answerer: number | undefined;
  readonly moved: MovedWords;
}

/** Why there is no image. */
export class NoImage extends Error {
  override readonly name = 'NoImage';
}

/**
 * Three initializations are done: nothing about one of them can be taken for something of another, and coins that are
 * thrown by a generator with a time as its seed fall on one side in the first and on the other in the second.
 */
const TIMES: readonly [ProgramTime, ProgramTime, ProgramTime] = [
  { wallMs: Date.UTC(2025, 0, 1) + 17, elapsedMs: 1_003 },
  { wallMs: Date.UTC(2025, 0, 1) + 1_234_567_321, elapsedMs: 987_654 },
  { wallMs: Date.UTC(2031, 6, 8) + 445, elapsedMs: 12_345_678 },
];

export type ProgramOptions = Pick<GoLifeOptions, 'name' | 'args' | 'env' | 'files'>;

/** @throws NoImage */
export function takeImage(module: WasmModule, options: ProgramOptions): StartUpImage {
  const initializations = TIMES.map((time) => ({ time, instance: initialized(module, options, time) }));
  const [first, second, third] = initializations.map(({ time, instance }) => ({
    time,
    memory: new Uint8Array(instance.exports.mem.buffer),
  }));
  const image = stateOf(initializations[0]?.instance);
  const moved = first && second && new MovedWords(first, second);
  if (!moved?.isComplete || !third || !moved.isConfirmedBy(image.memory, third))
    throw new NoImage('its packages make more of the time than can be told from its memory');
  return { ...image, moved };
}

/** The state of one that waits for `main`, without its clock. @throws NoImage */
export function stateOf(instance: GoInstance | undefined): Omit<StartUpImage, 'moved'> {
  const globals = instance?.globals;
  if (!instance?.isInitialized || !globals) throw new NoImage('it does not tell when it is initialized');
  if (instance.files.wasUsed() || instance.ports.areUsed)
    throw new NoImage('its packages read, write or listen while they are initialized');
  const places = placesIn(instance.world);
  return {
    memory: new Uint8Array(instance.exports.mem.buffer.slice(0)),
    globals: globals.map(({ value }) => value),
    values: instance.values.held((value) => heldAs(value, instance, places)),
    timeouts: instance.timeouts.pending,
    lastTimeout: instance.timeouts.last,
    answerer: instance.bridge.idOf(instance.ports.answerer),
  };
}

/** A life that waits for `main`, at the present time. */
export function fromImage(
  module: WasmModule,
  image: StartUpImage,
  options: GoLifeOptions,
  past?: GoPast,
): GoInstance {
  const instance = new GoInstance(module, options, past);
  const { elapsedMs, wallMs } = options.ambience;
  if (!instance.isPlaying) {
    instance.takeState(image);
    const memory = new Uint8Array(instance.exports.mem.buffer);
    image.moved.move(memory, { elapsedMs: elapsedMs(), wallMs: wallMs() });
  }
  const wrappers = new Map<number, unknown>();
  const functionOf = (id: number): unknown => {
    const wrapper = wrappers.get(id) ?? instance.bridge.wrapper(id);
    wrappers.set(id, wrapper);
    return wrapper;
  };
  instance.values.hold(image.values, (held) => valueOf(held, instance, functionOf));
  if (image.answerer !== undefined)
    instance.ports.answerBy(functionOf(image.answerer) as (...args: unknown[]) => unknown);
  instance.timeouts.takeOver(image.timeouts, image.lastTimeout);
  instance.beInitialized();
  return instance;
}

function initialized(module: WasmModule, options: ProgramOptions, time: ProgramTime): GoInstance {
  const instance = new GoInstance(module, {
    ...options,
    output: () => undefined,
    exited: () => undefined,
    serve: () => undefined,
    ambience: {
      elapsedMs: () => time.elapsedMs,
      wallMs: () => time.wallMs,
      fill: (bytes) => void bytes.fill(0),
      ask: () => {
        throw new NoImage('its packages ask others while they are initialized');
      },
      escapes: (what) => {
        throw new NoImage(`its packages leave the simulation while they are initialized: it ${what}`);
      },
      holdsTimers: () => undefined,
      after: () => () => undefined,
    },
  });
  instance.initialize();
  return instance;
}

function heldAs(value: unknown, { bridge }: GoInstance, places: ReadonlyMap<unknown, string>): Held {
  const place = places.get(value);
  if (place !== undefined) return { kind: 'place', place };
  const id = bridge.idOf(value);
  if (id !== undefined) return { kind: 'function of Go', id };
  if (value instanceof Uint8Array) return { kind: 'bytes', bytes: value.slice() };
  if (typeof value === 'function' || (typeof value === 'object' && value !== null))
    throw new NoImage('its packages hold things of JavaScript that cannot be made again');
  return { kind: 'as it is', value };
}

function valueOf(held: Held, { world }: GoInstance, functionOf: (id: number) => unknown): unknown {
  switch (held.kind) {
    case 'place':
      return foundIn(world, held.place);
    case 'function of Go':
      return functionOf(held.id);
    case 'bytes':
      return held.bytes.slice();
    case 'as it is':
      return held.value;
  }
}
