/**
 * One life of a Go program: an instance of its module, and the world of objects that it finds. A program that was built for
 * the simulation tells when it is initialized. Until then it has a chance that is the same for everybody, so that what comes
 * of its initialization depends on nothing but its arguments and the time; `main` has the chance of its guest.
 */
import { NoCopy } from '../guest/guest-copies.ts';
import { goCalls, type GoHost } from './go-calls.ts';
import { GoBridge } from './go-bridge.ts';
import { goFiles, type GoFileSystem } from './go-files.ts';
import { GoMemory } from './go-memory.ts';
import { GoPlayer, type PlayerHost } from './go-player.ts';
import { GoPorts, type Serve } from './go-ports.ts';
import { type GoTape, OP } from './go-tape.ts';
import { type GoAmbience, GoTimeouts } from './go-timeouts.ts';
import { GoValues } from './go-values.ts';
import { passArguments } from './go-arguments.ts';
import { worldOf } from './go-world.ts';
import { wasm, type WasmGlobal, type WasmMemory, type WasmModule } from './web-assembly.ts';

export interface GoLifeOptions {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly output: (line: string) => void;
  /** Nothing of it goes on from then. */
  readonly exited: (code: number) => void;
  readonly ambience: GoAmbience;
  readonly serve: Serve;
}

export interface GoExports extends Readonly<Record<string, unknown>> {
  readonly mem: WasmMemory;
  run(argc: number, argv: number): void;
  resume(): void;
  getsp(): number;
}

/** Linear memory and globals: with the values that its tape makes all that a program is at rest. */
export interface GoState {
  readonly memory: Uint8Array;
  readonly globals: readonly (number | bigint)[];
}

/** What a life has done, and, where it goes on, what it has come to by that. */
export interface GoPast {
  readonly tape: GoTape;
  readonly state?: GoState;
}

export class GoInstance {
  readonly memory = new GoMemory();
  readonly bridge: GoBridge;
  readonly files: GoFileSystem;
  readonly ports: GoPorts;
  readonly world: object;
  readonly values: GoValues;
  readonly timeouts: GoTimeouts;
  readonly #module: WasmModule;
  readonly #options: GoLifeOptions;
  readonly #tape: GoTape | undefined;
  readonly #player: GoPlayer | undefined;
  #exports: GoExports | undefined;
  /** What it begins with. */
  #state: GoState | undefined;
  readonly #chance = new ChanceOfAll();
  #standing: 'initializing' | 'initialized' | 'in main' = 'initializing';
  #isOver = false;
  #copied: { readonly length: number; readonly state: GoState } | undefined;

  /** A past that it has is played first: until then the program itself does not run. */
  constructor(module: WasmModule, options: GoLifeOptions, past?: GoPast) {
    this.#module = module;
    this.#options = options;
    const { ambience } = options;
    const resume = (): void => this.#resume();
    this.files = goFiles(options);
    this.ports = new GoPorts(options.serve, (what) => ambience.escapes(what));
    this.bridge = new GoBridge(resume);
    this.world = worldOf(this.files.fs, this.ports.object, (...asked) => ambience.ask(...asked));
    this.values = new GoValues(this.memory, this.world, this.bridge.object);
    this.timeouts = new GoTimeouts(ambience, resume);
    if (!wasm.Module.imports(module).some(({ name }) => name === STARTED)) this.#standing = 'in main';
    this.#tape = past?.tape;
    this.#state = past?.state;
    if (past?.tape.isPlaying) this.#player = new GoPlayer(past.tape, this.#host());
  }

  /** The program itself, which begins to be with the first that is asked of it. */
  get exports(): GoExports {
    this.#exports ??= this.#instantiated();
    return this.#exports;
  }

  #instantiated(): GoExports {
    const instance = new wasm.Instance(this.#module, { gojs: goCalls(this.#host()) });
    const exports = instance.exports as unknown as GoExports;
    this.memory.attach(exports.mem);
    const state = this.#state;
    this.#state = undefined;
    if (state) putState(exports, state);
    return exports;
  }

  #host(): GoHost & PlayerHost {
    const { ambience } = this.#options;
    return {
      memory: this.memory,
      values: this.values,
      timeouts: this.timeouts,
      ambience,
      tape: this.#tape,
      elapsedMs: () => ambience.elapsedMs(),
      stackPointer: () => this.exports.getsp() >>> 0,
      fill: (bytes) => this.#fill(bytes),
      draw: (count) => this.#fill(new Uint8Array(count)),
      holdsTimers: (count) => ambience.holdsTimers(count),
      started: () => {
        this.#standing = 'initialized';
      },
      exited: (code) => {
        this.timeouts.clearAll();
        this.#isOver = true;
        this.#options.exited(code);
      },
      print: (descriptor, bytes) => void this.files.fs.writeSync(descriptor, bytes),
    };
  }

  #fill(bytes: Uint8Array): void {
    (this.#standing === 'in main' ? this.#options.ambience : this.#chance).fill(bytes);
  }

  /** Begins where another one stands, before anything is asked of it. */
  takeState(state: GoState): void {
    this.#state = state;
  }

  /** Whether it only does what was done before. */
  get isPlaying(): boolean {
    return this.#tape?.isPlaying === true;
  }

  /** Begins it, and initializes it where it tells of that. */
  initialize(): void {
    this.#enter(() => {
      const { run } = this.exports;
      const { argc, argv } = passArguments(this.memory, this.#options);
      run(argc, argv);
    });
  }

  /** For one that goes on where another one was initialized. */
  beInitialized(): void {
    this.#standing = 'initialized';
  }

  /** Whether it waits for `main` to begin. */
  get isInitialized(): boolean {
    return this.#standing === 'initialized' && !this.#isOver;
  }

  beginMain(): void {
    if (this.#standing !== 'initialized') return;
    this.#standing = 'in main';
    this.#resume();
  }

  #resume(): void {
    if (!this.#isOver) this.#enter(() => this.exports.resume());
  }

  #enter(run: () => void): void {
    const tape = this.#tape;
    if (this.#player && tape?.isPlaying) return this.#player.play();
    tape?.write(OP.enter, this.#options.ambience.elapsedMs());
    try {
      run();
    } finally {
      tape?.write(OP.leave);
    }
  }

  /** Its past, and its state unless it is over; at rest only. @throws NoCopy */
  past(isOver: boolean): GoPast {
    const tape = this.#tape;
    if (!tape) throw new NoCopy('nobody has noted what it did');
    if (tape.isGivenUp) throw new NoCopy('it has done more than is noted');
    const state = isOver ? undefined : this.#exports ? this.#present(this.#exports, tape) : this.#state;
    return { tape: tape.copy(), ...(state && { state }) };
  }

  /** Copied once for all who ask before it goes on. */
  #present({ mem }: GoExports, tape: GoTape): GoState {
    const { globals } = this;
    if (!globals) throw new NoCopy('its module was compiled elsewhere, and does not show its state');
    if (this.#copied?.length !== tape.length) {
      const memory = new Uint8Array(mem.buffer.slice(0));
      this.#copied = { length: tape.length, state: { memory, globals: globals.map(({ value }) => value) } };
    }
    return this.#copied.state;
  }

  /** The globals of its state; undefined where it does not show them. */
  get globals(): readonly WasmGlobal[] | undefined {
    return shownGlobals(this.exports);
  }
}

const PAGE_BYTES = 65_536;

function putState(exports: GoExports, { memory, globals }: GoState): void {
  exports.mem.grow((memory.length - exports.mem.buffer.byteLength) / PAGE_BYTES);
  new Uint8Array(exports.mem.buffer).set(memory);
  for (const [index, global] of (shownGlobals(exports) ?? []).entries()) global.value = globals[index] ?? 0;
}

function shownGlobals(exports: GoExports): readonly WasmGlobal[] | undefined {
  const shown = Object.entries(exports)
    .filter(([name]) => name.startsWith(SHOWN))
    .map(([, global]) => global as WasmGlobal);
  return shown.length > 0 ? shown : undefined;
}

const STARTED = 'kubesim.started';
/** How globals are called that are exported for this: see `exported-globals.ts`. */
export const SHOWN = 'kubesim.global.';

/** A generator of Lehmer: what it gives is no secret, and nobody else draws from it. */
class ChanceOfAll {
  #state = 1;

  fill(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) {
      this.#state = (this.#state * 48_271) % 0x7fff_ffff;
      bytes[at] = this.#state >>> 8;
    }
  }
}
