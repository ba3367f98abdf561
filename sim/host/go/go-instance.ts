/** One life of a Go program: an instance of its module, and the world of objects that it finds. */
import { goCalls, type GoHost } from './go-calls.ts';
import { goFetch } from './go-fetch.ts';
import { type GoFiles, goFiles, goPath, goProcess } from './go-files.ts';
import { GoMemory } from './go-memory.ts';
import { GoValues } from './go-values.ts';
import { wasm, type WasmMemory, type WasmModule } from './web-assembly.ts';

export interface GoLifeOptions {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly output: (line: string) => void;
  /** Nothing of it goes on from then. */
  readonly exited: (code: number) => void;
}

interface GoExports {
  readonly mem: WasmMemory;
  run(argc: number, argv: number): void;
  resume(): void;
  getsp(): number;
}

/** A call of a function of Go, as Go looks for it. */
interface GoEvent {
  readonly id: number;
  readonly this: unknown;
  readonly args: readonly unknown[];
  result: unknown;
}

/** Begins it, as far as it goes by itself. */
export function startGo(module: WasmModule, options: GoLifeOptions): void {
  const files = goFiles(options);
  let isOver = false;
  let exports: GoExports | undefined;
  const resume = (): void => {
    if (!isOver) exports?.resume();
  };
  const memory = new GoMemory();
  const host: GoHost = {
    memory,
    values: new GoValues(memory, worldOf(files), functionsOf(resume)),
    resume,
    stackPointer: () => (exports?.getsp() ?? 0) >>> 0,
    exited: (code) => {
      isOver = true;
      options.exited(code);
    },
    print: (descriptor, bytes) => void files.writeSync(descriptor, bytes),
  };
  const instance = new wasm.Instance(module, { gojs: goCalls(host) });
  exports = instance.exports as unknown as GoExports;
  memory.attach(exports.mem);
  const { argc, argv } = passArguments(
    memory,
    [`/${options.name}`, ...(options.args ?? [])],
    environmentOf(options),
  );
  exports.run(argc, argv);
}

/** What Go knows its host by: makes functions of JavaScript that call functions of Go. */
function functionsOf(resume: () => void): object {
  const bridge = {
    _pendingEvent: null as GoEvent | null,
    _makeFuncWrapper: (id: number) =>
      function (this: unknown, ...args: unknown[]): unknown {
        const event: GoEvent = { id, this: this, args, result: undefined };
        bridge._pendingEvent = event;
        resume();
        return event.result;
      },
  };
  return bridge;
}

/** Its global object: what programs and Go's own packages look for, and nothing that leads out of the simulation. */
const worldOf = (files: GoFiles): object => ({
  ...{ Object, Array, Uint8Array, ArrayBuffer, Error, Date, JSON, Math },
  ...{ AbortController, Headers, Request, Response, URL },
  fetch: goFetch,
  fs: files,
  path: goPath,
  process: goProcess,
});

const environmentOf = ({ name, env }: GoLifeOptions): readonly string[] =>
  Object.entries({
    HOME: '/nonexistent',
    HOSTNAME: name,
    KUBERNETES_SERVICE_HOST: '10.96.0.1',
    KUBERNETES_SERVICE_PORT: '443',
    ...env,
  }).map(([variable, value]) => `${variable}=${value}`);

/** Where the linker of Go leaves room for arguments, and where its data begins. */
const ROOM_BEGINS = 4096;
const ROOM_ENDS = 4096 + 8192;

/** Texts that end with a zero, then pointers to them: those of arguments and of the environment end with a zero each. */
function passArguments(
  memory: GoMemory,
  args: readonly string[],
  env: readonly string[],
): { readonly argc: number; readonly argv: number } {
  const encoder = new TextEncoder();
  let at = ROOM_BEGINS;
  const put = (text: string): number => {
    const bytes = encoder.encode(`${text}\0`);
    const where = at;
    at += Math.ceil(bytes.length / 8) * 8;
    if (at < ROOM_ENDS) memory.write(where, bytes);
    return where;
  };
  const pointers = [...args.map(put), 0, ...env.map(put), 0];
  if (at + pointers.length * 8 >= ROOM_ENDS)
    throw new RangeError(
      `arguments and environment of a Go program take at most ${ROOM_ENDS - ROOM_BEGINS} bytes together`,
    );
  const argv = at;
  for (const [index, pointer] of pointers.entries()) memory.setInt64(argv + index * 8, pointer);
  return { argc: args.length, argv };
}
