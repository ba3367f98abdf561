/**
 * Go programs as guests: a binary that was built with `GOOS=js GOARCH=wasm`, unchanged, whose clock, timers, chance,
 * environment and HTTP come from the simulation. It has one thread, so nothing else decides what it does. Each life begins
 * with a new instance of the compiled module; what a crash leaves is garbage.
 */
import { readFileSync } from 'node:fs';
import type { GuestFunction } from '../guest/guest-program.ts';
import { startGo } from './go-instance.ts';
import { wasm, type WasmModule } from './web-assembly.ts';

export interface GoProgramOptions {
  /** The program: a file's path, its bytes, or compiled already. */
  readonly module: string | Uint8Array | WasmModule;
  /** Arguments behind the program's name; default none. */
  readonly args?: readonly string[];
  /** Beside what a pod has: `KUBERNETES_SERVICE_HOST` and `KUBERNETES_SERVICE_PORT`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Texts by absolute path, beside its service account; the program sees no file of the machine. */
  readonly files?: Readonly<Record<string, string>>;
  /** Hears each line of its outputs. */
  readonly output?: (line: string) => void;
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
  return ({ name }) =>
    new Promise<void>((resolve, reject) => {
      const lines: string[] = [];
      const output = (line: string): void => {
        lines.push(line);
        if (lines.length > KEPT_LINES) lines.shift();
        options.output?.(line);
      };
      const exited = (code: number): void => (code === 0 ? resolve() : reject(new GoExit(code, tale(lines))));
      startGo(module, { ...options, name, output, exited });
    });
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
      ? new wasm.Module(typeof module === 'string' ? readFileSync(module) : module)
      : module;
  const imports = new Set(wasm.Module.imports(made).map((each) => each.module));
  if (imports.size !== 1 || !imports.has('gojs'))
    throw new TypeError(
      `expected a Go program built with GOOS=js GOARCH=wasm, which imports gojs: it imports ${[...imports].join(', ') || 'nothing'}`,
    );
  return made;
}
