/** The test image of Kubernetes: many small programs in one, of which the first argument is the name. */
import type { Container } from '../../../api/types/core-v1.ts';

const AGNHOST = /(^|\/)agnhost(:|@|$)/;

/** Another command is another program. */
export const isAgnhost = ({ image = '', command }: Container): boolean => !command && AGNHOST.test(image);

/** Of `--port=80`, or `--port 80`. */
export function valueOfFlag(flags: readonly string[], name: string): string | undefined {
  const at = flags.findIndex((flag) => flag === name || flag.startsWith(`${name}=`));
  const flag = flags[at];
  if (flag === undefined) return undefined;
  return flag === name ? flags[at + 1] : flag.slice(name.length + 1);
}
