/**
 * What programs do that everybody knows, where nobody says otherwise: web servers show their first page, `nonewprivs` says who it is. Other images listen nowhere unless a behaviour says so. Pure.
 */
import type { Container } from '../../api/types/core-v1.ts';
import type { CommandCourse } from './course.ts';
import type { PortListener } from './workload-behaviour.ts';

interface WebServer {
  readonly image: RegExp;
  /** Where its pages are. */
  readonly root: string;
  readonly page: string;
}

const WEB_SERVERS: readonly WebServer[] = [
  {
    image: /(^|\/)nginx(:|@|$)/,
    root: '/usr/share/nginx/html',
    page: '<!DOCTYPE html>\n<title>Welcome to nginx!</title>\n<h1>Welcome to nginx!</h1>\n',
  },
  {
    image: /(^|\/)httpd(:|@|$)/,
    root: '/usr/local/apache2/htdocs',
    page: '<html><body><h1>It works!</h1></body></html>\n',
  },
];
const FIRST_PAGE = '/index.html';
const HTTP_PORT = 80;

/** By image and arguments. */
export function usualListeners(container: Container): readonly PortListener[] {
  const { image = '', args = [], command } = container;
  if (command) return [];
  const page = args.length > 0 ? undefined : webServerOf(image)?.page;
  return page === undefined ? [] : [{ port: HTTP_PORT, responds: page }];
}

const webServerOf = (image: string): WebServer | undefined =>
  WEB_SERVERS.find((server) => server.image.test(image));

const SAYS_WHO_IT_IS = /(^|\/)nonewprivs(:|@|$)/;

/**
 * What an image does, and is over: one of Kubernetes' tests belongs to root and runs as root whoever starts it (setuid),
 * unless no process may get more than it has, and says as whom it runs.
 */
export function usualCourse(
  { image = '', command, securityContext }: Container,
  uid: number,
): CommandCourse | undefined {
  if (command || !SAYS_WHO_IT_IS.test(image)) return undefined;
  const effective = securityContext?.allowPrivilegeEscalation === false ? uid : 0;
  return { logs: [{ text: `Effective uid: ${effective}`, afterSeconds: 0 }], runsForSeconds: 0, exitCode: 0 };
}

/** Files of its image, by their paths. */
export function usualFiles(image: string): Readonly<Record<string, string>> {
  const server = webServerOf(image);
  return server ? { [server.root + FIRST_PAGE]: server.page } : {};
}

/** The file that it shows to a request for a path; undefined: nobody knows. */
export function servedFile({ image = '', args = [], command }: Container, path: string): string | undefined {
  const server = command || args.length > 0 ? undefined : webServerOf(image);
  return server && server.root + (path === '/' ? FIRST_PAGE : path);
}
