/**
 * Go programs as guests: a binary that was built with `GOOS=js GOARCH=wasm`, unchanged, whose clock, timers, chance,
 * environment and HTTP come from the simulation. It has one thread, so nothing else decides what it does. Each life begins
 * with a new instance of the compiled module; what a crash leaves is garbage. What `kubesim go-build` built is initialized
 * once: further lives begin from an image of it.
 */
import { readFileSync } from 'node:fs';
import type { GuestEnvironment, GuestFunction } from '../guest/guest-program.ts';
import { withExportedGlobals } from './exported-globals.ts';
import { GoInstance, type GoLifeOptions, SHOWN } from './go-instance.ts';
import type { GoAmbience } from './go-timeouts.ts';
import { fromImage, NoImage, type ProgramOptions, type StartUpImage, takeImage } from './start-up-image.ts';
import { wasm, type WasmModule } from './web-assembly.ts';

export interface GoProgramOptions {
  /** The program: a file's path, its bytes, or compiled already (then each life is initialized by itself). */
  readonly module: string | Uint8Array | WasmModule;
  /** Arguments behind the program's name; default none. */
  readonly args?: readonly string[];
  /** Beside what a pod has: `KUBERNETES_SERVICE_HOST` and `KUBERNETES_SERVICE_PORT`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Texts by absolute path, beside its service account; the program sees no file of the machine. */
  readonly files?: Readonly<Record<string, string>>;
  /** Hears each line of its outputs. */
  readonly output?: (line: string) => void;
  /** Whether lives after the first begin from an image of what is initialized; default true. They are the same either way. */
  readonly keepsImage?: boolean;
}

/** A program that ended with another code than 0, or panicked. */
export class GoExit extends Error {
  override readonly name = 'GoExit';
  readonly code: number;

  constructor(code: number, lastLines: readonly string[]) {
    super([`the program ended with exit status ${code}`, ...lastLines].join('\n'));
    this.code = code;
  }
}

/**
 * A guest that runs a Go program; compiled once, for all its lives. It is done when the program ends with code 0.
 * @throws WebAssembly.CompileError, TypeError if it was not built for `js/wasm`
 */
export function goProgram(options: GoProgramOptions): GuestFunction {
  const module = compiled(options.module);
  const images = new Images(module, options);
  return ({ name, serve }) =>
    new Promise<void>((resolve, reject) => {
      const lines: string[] = [];
      const output = (line: string): void => {
        lines.push(line);
        if (lines.length > KEPT_LINES) lines.shift();
        options.output?.(line);
      };
      const exited = (code: number): void => (code === 0 ? resolve() : reject(new GoExit(code, tale(lines))));
      begin(module, images.of(name), { ...options, name, serve, output, exited, ambience: AMBIENCE });
    });
}

function begin(module: WasmModule, image: StartUpImage | undefined, options: GoLifeOptions): void {
  if (image) return fromImage(module, image, options).beginMain();
  const instance = new GoInstance(module, options);
  instance.initialize();
  return instance.beginMain();
}

/** What its guest has as globals. */
const AMBIENCE: GoAmbience = {
  elapsedMs: () => performance.now(),
  wallMs: () => Date.now(),
  fill: fillByChance,
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};

const MOST_AT_ONCE = 65_536;

function fillByChance(bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length; from += MOST_AT_ONCE)
    crypto.getRandomValues(bytes.subarray(from, from + MOST_AT_ONCE) as Uint8Array<ArrayBuffer>);
}

/** By the name of its guest, which is among what a program is initialized with. An image pays from the second life on. */
class Images {
  readonly #module: WasmModule;
  readonly #options: GoProgramOptions;
  readonly #lived = new Set<GuestEnvironment['name']>();
  #last: { readonly name: string; readonly image: StartUpImage | undefined } | undefined;

  constructor(module: WasmModule, options: GoProgramOptions) {
    this.#module = module;
    this.#options = options;
  }

  of(name: string): StartUpImage | undefined {
    if (this.#options.keepsImage === false) return undefined;
    if (this.#last?.name === name) return this.#last.image;
    const isFirst = !this.#lived.has(name);
    this.#lived.add(name);
    if (isFirst) return undefined;
    this.#last = { name, image: imageOf(this.#module, { ...this.#options, name }) };
    return this.#last.image;
  }
}

function imageOf(module: WasmModule, options: ProgramOptions): StartUpImage | undefined {
  try {
    return takeImage(module, options);
  } catch (error) {
    if (error instanceof NoImage) return undefined;
    throw error;
  }
}

const KEPT_LINES = 200;
const TOLD_LINES = 5;

/** A panic is told from its beginning, anything else by its last words. */
function tale(lines: readonly string[]): readonly string[] {
  const panic = lines.findIndex((line) => /^(panic|fatal error):/.test(line));
  return panic === -1 ? lines.slice(-TOLD_LINES) : lines.slice(panic, panic + TOLD_LINES);
}

function compiled(module: GoProgramOptions['module']): WasmModule {
  const made =
    typeof module === 'string' || module instanceof Uint8Array
      ? moduleOf(typeof module === 'string' ? readFileSync(module) : module)
      : module;
  const imports = new Set(wasm.Module.imports(made).map((each) => each.module));
  if (imports.size !== 1 || !imports.has('gojs'))
    throw new TypeError(
      `expected a Go program built with GOOS=js GOARCH=wasm, which imports gojs: it imports ${[...imports].join(', ') || 'nothing'}`,
    );
  return made;
}

/** What is no module is told by the platform. */
const moduleOf = (bytes: Uint8Array): WasmModule => new wasm.Module(withExportedGlobals(bytes, SHOWN));
