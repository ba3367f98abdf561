/**
 * What programs do that everybody knows, where nobody says otherwise: the test image of Kubernetes answers with the name
 * of its pod. Other images listen nowhere unless a behaviour says so. Pure.
 */
import type { Container } from '../../api/types/core-v1.ts';
import type { PortListener } from './workload-behaviour.ts';

const AGNHOST = /(^|\/)agnhost(:|@|$)/;
const HOSTNAME_PORT = 9376;
const NETEXEC_PORT = 8080;

/** By image and arguments. */
export function usualListeners({ image = '', args = [], command }: Container): readonly PortListener[] {
  if (!AGNHOST.test(image) || command) return [];
  const [program, ...flags] = args;
  if (program === 'serve-hostname') return [{ port: portIn(flags, '--port') ?? HOSTNAME_PORT }];
  if (program === 'netexec') return [{ port: portIn(flags, '--http-port') ?? NETEXEC_PORT }];
  return [];
}

/** `--port=80`, or `--port 80`. */
function portIn(flags: readonly string[], name: string): number | undefined {
  const at = flags.findIndex((flag) => flag === name || flag.startsWith(`${name}=`));
  const text = flags[at]?.includes('=') ? flags[at]?.split('=', 2)[1] : flags[at + 1];
  return at < 0 || text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}
