/**
 * What programs do that everybody knows, where nobody says otherwise: the test image of Kubernetes answers with the name
 * of its pod, web servers show their first page. Other images listen nowhere unless a behaviour says so. Pure.
 */
import type { Container } from '../../api/types/core-v1.ts';
import type { PortListener } from './workload-behaviour.ts';

const AGNHOST = /(^|\/)agnhost(:|@|$)/;
const WEB_SERVERS: readonly (readonly [RegExp, string])[] = [
  [/(^|\/)nginx(:|@|$)/, '<!DOCTYPE html>\n<title>Welcome to nginx!</title>\n<h1>Welcome to nginx!</h1>\n'],
  [/(^|\/)httpd(:|@|$)/, '<html><body><h1>It works!</h1></body></html>\n'],
];
const HTTP_PORT = 80;
const HOSTNAME_PORT = 9376;
const NETEXEC_PORT = 8080;

/** By image and arguments. */
export function usualListeners({ image = '', args = [], command }: Container): readonly PortListener[] {
  if (command) return [];
  const page = args.length > 0 ? undefined : WEB_SERVERS.find(([name]) => name.test(image))?.[1];
  if (page !== undefined) return [{ port: HTTP_PORT, responds: page }];
  if (!AGNHOST.test(image)) return [];
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
