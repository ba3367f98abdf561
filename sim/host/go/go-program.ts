/**
 * Go programs as guests: a binary that was built with `GOOS=js GOARCH=wasm`, unchanged, whose clock, timers, chance,
 * environment and HTTP come from the simulation. It has one thread, so nothing else decides what it does. Each life begins
 * with a new instance of the compiled module; what a crash leaves is garbage. What `kubesim go-build` built is initialized
 * once: further lives begin from an image of it.
 */
import { readFileSync, statSync } from 'node:fs';
import { COPIED, type CopiedProgram } from '../guest/guest-copies.ts';
import type { GuestFunction } from '../guest/guest-program.ts';
import { present } from '../guest/guest-globals.ts';
import { withExportedGlobals } from './exported-globals.ts';
import { GoInstance, type GoPast, SHOWN } from './go-instance.ts';
import { GoTape } from './go-tape.ts';
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
  const live: CopiedProgram[typeof COPIED] = ({ name, serve }, { copy, keep }) =>
    new Promise<void>((resolve, reject) => {
      const lines: string[] = [];
      const output = (line: string): void => {
        lines.push(line);
        if (lines.length > KEPT_LINES) lines.shift();
        options.output?.(line);
      };
      const exited = (code: number): void => (code === 0 ? resolve() : reject(new GoExit(code, tale(lines))));
      const { image, past } =
        copy instanceof GoCopy ? copy : new GoCopy(imageFor(module, { ...options, name }));
      const life = { ...options, name, serve, output, exited, ambience: AMBIENCE };
      // The past is somebody else's too.
      const own: GoPast = { ...past, tape: past.tape.copy() };
      const instance = image ? fromImage(module, image, life, own) : new GoInstance(module, life, own);
      keep({ copy: (isOver) => new GoCopy(image, instance.past(isOver)) });
      if (!image) instance.initialize();
      instance.beginMain();
    });
  const program: GuestFunction = (guest) => live(guest, { copy: undefined, keep: () => undefined });
  return Object.assign(program, { [COPIED]: live });
}

/** What another life goes on from: it begins as this one began. */
class GoCopy {
  readonly image: StartUpImage | undefined;
  readonly past: GoPast;

  constructor(image: StartUpImage | undefined, past: GoPast = { tape: new GoTape() }) {
    this.image = image;
    this.past = past;
  }
}

const imageFor = (
  module: WasmModule,
  options: GoProgramOptions & { readonly name: string },
): StartUpImage | undefined => (options.keepsImage === false ? undefined : imagesOf(module).of(options));

/** What its guest has as globals. */
const AMBIENCE: GoAmbience = {
  elapsedMs: () => performance.now(),
  wallMs: () => Date.now(),
  fill: fillByChance,
  ask: (...asked) => {
    const guest = present();
    if (!guest) throw new Error('nobody has a turn');
    return guest.ask(...asked);
  },
  escapes: (what) => void present()?.escapes(what),
  holdsTimers: (count) => present()?.holdsTimers(count),
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

/**
 * By module, for all programs that run it: a scenario's program is made anew for each life. An image belongs to what a
 * program is initialized with, and pays from the second life on. It is as large as the program's memory: there are few of
 * them, and whoever comes later is initialized by itself.
 */
class Images {
  readonly #module: WasmModule;
  readonly #lived = new Set<string>();
  readonly #images = new Map<string, StartUpImage | undefined>();

  constructor(module: WasmModule) {
    this.#module = module;
  }

  of(options: ProgramOptions): StartUpImage | undefined {
    const { name, args, env, files } = options;
    const key = JSON.stringify([name, args, env, files]);
    if (this.#images.has(key)) return this.#images.get(key);
    const isFirst = !this.#lived.has(key);
    this.#lived.add(key);
    if (isFirst || this.#images.size >= MOST_IMAGES) return undefined;
    const image = imageOf(this.#module, options);
    this.#images.set(key, image);
    return image;
  }
}

const MOST_IMAGES = 4;
const images = new WeakMap<WasmModule, Images>();

function imagesOf(module: WasmModule): Images {
  const known = images.get(module) ?? new Images(module);
  images.set(module, known);
  return known;
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
    typeof module === 'string' ? moduleIn(module) : module instanceof Uint8Array ? moduleOf(module) : module;
  const imports = new Set(wasm.Module.imports(made).map((each) => each.module));
  if (imports.size !== 1 || !imports.has('gojs'))
    throw new TypeError(
      `expected a Go program built with GOOS=js GOARCH=wasm, which imports gojs: it imports ${[...imports].join(', ') || 'nothing'}`,
    );
  return made;
}

/** By path; a file that was written again is another. */
const compiledFiles = new Map<string, { readonly version: string; readonly module: WasmModule }>();

function moduleIn(path: string): WasmModule {
  const { mtimeMs, size, ino } = statSync(path);
  const version = `${mtimeMs} ${size} ${ino}`;
  const known = compiledFiles.get(path);
  if (known?.version === version) return known.module;
  const module = moduleOf(readFileSync(path));
  compiledFiles.set(path, { version, module });
  return module;
}

/** What is no module is told by the platform. */
const moduleOf = (bytes: Uint8Array): WasmModule => new wasm.Module(withExportedGlobals(bytes, SHOWN));
