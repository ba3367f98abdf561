/** The test image of Kubernetes: many small programs in one, of which the first argument is the name. */
import type { Container } from '../../../api/types/core-v1.ts';

const AGNHOST = /(^|\/)agnhost(:|@|$)/;

export const isAgnhostImage = (image: string): boolean => AGNHOST.test(image);

/** Where it is in the image, under two names. */
const PROGRAM = /^\/agnhost(-2)?$/;

export const isAgnhostProgram = (path: string): boolean => PROGRAM.test(path);

/** Another command is another program. */
export const isAgnhost = (container: Container): boolean => agnhostWords(container) !== undefined;

/** Which of its programs a container runs, and with what; undefined: none. */
export function agnhostWords({ image = '', command, args = [] }: Container): readonly string[] | undefined {
  const [program, ...words] = command ?? [];
  if (program !== undefined) return isAgnhostProgram(program) ? [...words, ...args] : undefined;
  return isAgnhostImage(image) ? args : undefined;
}

/** Of `--port=80`, or `--port 80`. */
export function valueOfFlag(flags: readonly string[], name: string): string | undefined {
  const at = flags.findIndex((flag) => flag === name || flag.startsWith(`${name}=`));
  const flag = flags[at];
  if (flag === undefined) return undefined;
  return flag === name ? flags[at + 1] : flag.slice(name.length + 1);
}
