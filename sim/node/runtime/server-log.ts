/** What servers write in the log of their container, as Go's `log` does: with the time of day in front. */
import type { Context } from '../../engine/context.ts';
import type { ContainerRuntime, RuntimeContainer } from './container-runtime.ts';

export function writeServerLog(
  { context, runtime }: { readonly context: Context; readonly runtime: ContainerRuntime },
  container: RuntimeContainer,
  line: string,
): void {
  const text = `${stamp(context.wallMs())} ${line}`;
  runtime.write(container, context.now() / 1_000, { text, stream: 'stderr' });
}

/** `2025/01/15 10:00:00`. */
const stamp = (wallMs: number): string =>
  new Date(Math.floor(wallMs)).toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ');
