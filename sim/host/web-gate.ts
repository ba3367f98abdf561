/**
 * Keeps web pages out. A browser lets any page send requests to any address; what it does not let a page choose is
 * what it says of itself: the `Host` that was asked for and the `Origin` of the page. A server that asks for no
 * token therefore answers only to names that are surely its own, and lets no other origin change or steer anything.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

export interface WebGateOptions {
  /** Where the server listens. */
  readonly bindAddress: string;
  /** Names beside those of the loopback, for which pages of other origins are let in as well. */
  readonly allowedHosts: readonly string[];
}

/** The parts of a request's headers that a page cannot choose. */
export interface WebHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  /** Of whoever knows a token: a page may send none unless the server lets it. Passwords it may send, in an address. */
  readonly authorization?: string | undefined;
}

/** Over HTTP/2 the host has a name of its own. */
export const webHeaders = ({ headers }: { readonly headers: IncomingHttpHeaders }): WebHeaders => ({
  host: headers[':authority'] === undefined ? headers.host : String(headers[':authority']),
  origin: headers.origin,
  authorization: headers.authorization,
});

export const isLoopback = (address: string): boolean =>
  address === 'localhost' || address === '::1' || /^127(\.[0-9]{1,3}){3}$/.test(address);

/** Without port and brackets, in small letters. */
const nameOf = (host: string): string =>
  host
    .trim()
    .toLowerCase()
    .replace(/:[0-9]*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');

const isToken = (authorization = ''): boolean => /^bearer /i.test(authorization);

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export class WebGate {
  readonly #allowed: ReadonlySet<string>;
  readonly #isEveryHostAllowed: boolean;

  constructor({ bindAddress, allowedHosts }: WebGateOptions) {
    this.#allowed = new Set(allowedHosts.map(nameOf));
    // Elsewhere nobody knows the names of the server, and everybody is asked for a token.
    this.#isEveryHostAllowed = !isLoopback(bindAddress) && allowedHosts.length === 0;
  }

  /** What is wrong with the name under which the server was asked; undefined: nothing. */
  hostProblem({ host }: WebHeaders): string | undefined {
    const name = nameOf(host ?? '');
    // A browser always names somebody.
    if (name === '' || this.#isEveryHostAllowed) return undefined;
    // A name can be made to lead here by whoever owns it; an address cannot.
    const isOwn = isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost');
    if (isOwn || this.#allowed.has(name)) return undefined;
    return `the host ${JSON.stringify(name)} is not one of this server: --allowed-hosts names others`;
  }

  /**
   * What is wrong with the page that asks; undefined: nothing, or nobody says that it is a page. Go's WebSocket clients name
   * some origin always: with a token they are none.
   */
  originProblem({ host, origin, authorization }: WebHeaders): string | undefined {
    if (origin === undefined || isToken(authorization)) return undefined;
    const text = origin.trim().toLowerCase();
    const [, asked] = /^https?:\/\/([^/]+)$/.exec(text) ?? [];
    const isOwn =
      asked !== undefined && (asked === host?.trim().toLowerCase() || this.#allowed.has(nameOf(asked)));
    return isOwn ? undefined : `a page of ${JSON.stringify(origin)} may not do that here`;
  }

  /** Of a request to the API: pages of elsewhere may read what a browser lets them, which is nothing. */
  problem(method: string, headers: WebHeaders): string | undefined {
    return this.hostProblem(headers) ?? (SAFE_METHODS.has(method) ? undefined : this.originProblem(headers));
  }
}
