/** Arguments and environment of a Go program, where it looks for them. */
import type { GoMemory } from './go-memory.ts';

export interface GoArguments {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Where the linker of Go leaves room for them, and where its data begins. */
const ROOM_BEGINS = 4096;
const ROOM_ENDS = 4096 + 8192;

/** Texts that end with a zero, then pointers to them: those of arguments and of the environment end with a zero each. */
export function passArguments(
  memory: GoMemory,
  options: GoArguments,
): { readonly argc: number; readonly argv: number } {
  const args = [`/${options.name}`, ...(options.args ?? [])];
  const encoder = new TextEncoder();
  let at = ROOM_BEGINS;
  const put = (text: string): number => {
    const bytes = encoder.encode(`${text}\0`);
    const where = at;
    at += Math.ceil(bytes.length / 8) * 8;
    if (at < ROOM_ENDS) memory.write(where, bytes);
    return where;
  };
  const pointers = [...args.map(put), 0, ...environmentOf(options).map(put), 0];
  if (at + pointers.length * 8 >= ROOM_ENDS)
    throw new RangeError(
      `arguments and environment of a Go program take at most ${ROOM_ENDS - ROOM_BEGINS} bytes together`,
    );
  const argv = at;
  for (const [index, pointer] of pointers.entries()) memory.setInt64(argv + index * 8, pointer);
  return { argc: args.length, argv };
}

const environmentOf = ({ name, env }: GoArguments): readonly string[] =>
  Object.entries({
    HOME: '/nonexistent',
    HOSTNAME: name,
    KUBERNETES_SERVICE_HOST: '10.96.0.1',
    KUBERNETES_SERVICE_PORT: '443',
    ...env,
  }).map(([variable, value]) => `${variable}=${value}`);
