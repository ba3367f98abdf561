/**
 * One life of a Go program: an instance of its module, and the world of objects that it finds. A program that was built for
 * the simulation tells when it is initialized. Until then it has a chance that is the same for everybody, so that what comes
 * of its initialization depends on nothing but its arguments and the time; `main` has the chance of its guest.
 */
import { goCalls, type GoHost } from './go-calls.ts';
import { GoBridge } from './go-bridge.ts';
import { goFiles, type GoFileSystem } from './go-files.ts';
import { GoMemory } from './go-memory.ts';
import { GoPorts, type Serve } from './go-ports.ts';
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

export class GoInstance {
  readonly memory = new GoMemory();
  readonly bridge: GoBridge;
  readonly files: GoFileSystem;
  readonly ports: GoPorts;
  readonly world: object;
  readonly values: GoValues;
  readonly timeouts: GoTimeouts;
  readonly exports: GoExports;
  readonly #options: GoLifeOptions;
  readonly #chance = new ChanceOfAll();
  #standing: 'initializing' | 'initialized' | 'in main' = 'initializing';
  #isOver = false;

  constructor(module: WasmModule, options: GoLifeOptions) {
    this.#options = options;
    const { ambience } = options;
    const resume = (): void => this.#resume();
    this.files = goFiles(options);
    this.ports = new GoPorts(options.serve);
    this.bridge = new GoBridge(resume);
    this.world = worldOf(this.files.fs, this.ports.object);
    this.values = new GoValues(this.memory, this.world, this.bridge.object);
    this.timeouts = new GoTimeouts(ambience, resume);
    this.exports = new wasm.Instance(module, { gojs: goCalls(this.#host()) }).exports as unknown as GoExports;
    this.memory.attach(this.exports.mem);
    if (!wasm.Module.imports(module).some(({ name }) => name === STARTED)) this.#standing = 'in main';
  }

  #host(): GoHost {
    const { ambience } = this.#options;
    return {
      memory: this.memory,
      values: this.values,
      timeouts: this.timeouts,
      ambience,
      stackPointer: () => this.exports.getsp() >>> 0,
      fill: (bytes) => (this.#standing === 'in main' ? ambience : this.#chance).fill(bytes),
      started: () => {
        this.#standing = 'initialized';
      },
      exited: (code) => {
        this.#isOver = true;
        this.#options.exited(code);
      },
      print: (descriptor, bytes) => void this.files.fs.writeSync(descriptor, bytes),
    };
  }

  /** Begins it, and initializes it where it tells of that. */
  initialize(): void {
    const { argc, argv } = passArguments(this.memory, this.#options);
    this.exports.run(argc, argv);
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
    if (!this.#isOver) this.exports.resume();
  }

  /** The globals of its state; undefined where it does not show them. */
  get globals(): readonly WasmGlobal[] | undefined {
    const shown = Object.entries(this.exports)
      .filter(([name]) => name.startsWith(SHOWN))
      .map(([, global]) => global as WasmGlobal);
    return shown.length > 0 ? shown : undefined;
  }
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
