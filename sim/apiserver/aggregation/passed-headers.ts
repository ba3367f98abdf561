/** Headers of what is passed on, there and back: all but those of one connection; who asks is said by this server alone. */
import type { HttpHeaders, OutgoingHeaders } from '../../api/http-call.ts';
import type { Exchange } from '../request/exchange.ts';
import type { UserInfo } from '../request/request.ts';

/** Of one connection, or said anew. */
const NOT_PASSED: ReadonlySet<string> = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const isPassed = (name: string, named: ReadonlySet<string>): boolean =>
  !NOT_PASSED.has(name) &&
  !named.has(name) &&
  !name.startsWith(':') &&
  !/^(x-remote-|impersonate-)/.test(name);

/** Names that `Connection` itself gives are of the connection too. */
const namedIn = (connection = ''): ReadonlySet<string> =>
  new Set(connection.split(',').map((name) => name.trim().toLowerCase()));

/** What the other one is told. `address`: of its own, with the port. */
export function forwardedHeaders(
  { request, info, user, auditId }: Exchange,
  address: string,
): OutgoingHeaders {
  const named = namedIn(request.headers['connection']);
  const passed = Object.entries(request.headers).flatMap(([name, value]) =>
    value !== undefined && isPassed(name, named) ? [[name, value] as const] : [],
  );
  if (!request.wire) return { ...Object.fromEntries(passed), ...userHeaders(user) };
  const { 'x-forwarded-for': before } = request.headers;
  const { remoteAddress = '127.0.0.1' } = request;
  return {
    ...Object.fromEntries(passed),
    'audit-id': auditId,
    'x-forwarded-for': before === undefined ? remoteAddress : `${before}, ${remoteAddress}`,
    'x-forwarded-host': address,
    'x-forwarded-proto': 'https',
    'x-forwarded-uri': info.path,
    ...userHeaders(user),
  };
}

/** What the other one is told where the protocol is to change: all that was said, of this connection too. */
export function upgradeHeaders({ request, user, auditId }: Exchange): OutgoingHeaders {
  const passed = Object.entries(request.headers).flatMap(([name, value]) =>
    value !== undefined && (isPassed(name, NONE) || OF_UPGRADES.has(name)) ? [[name, value] as const] : [],
  );
  const { 'x-forwarded-for': before } = request.headers;
  const { remoteAddress = '127.0.0.1' } = request;
  return {
    ...Object.fromEntries(passed),
    'audit-id': auditId,
    'x-forwarded-for': before === undefined ? remoteAddress : `${before}, ${remoteAddress}`,
    ...userHeaders(user),
  };
}

const NONE: ReadonlySet<string> = new Set();
const OF_UPGRADES: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
]);

/** What the caller is told. */
export function answeredHeaders(headers: HttpHeaders): readonly (readonly [string, string])[] {
  const named = namedIn(headers['connection']);
  return Object.entries(headers).filter(([name]) => isPassed(name, named) && name !== 'date');
}

/** As `--requestheader-*-headers` have them. */
export const userHeaders = ({ name, groups, extra = {} }: UserInfo): OutgoingHeaders => ({
  'x-remote-user': name,
  'x-remote-group': groups,
  ...Object.fromEntries(
    Object.entries(extra).map(([key, values]) => [`x-remote-extra-${inHeader(key)}`, values]),
  ),
});

/** As names of headers are, what may not stand in them escaped. */
const inHeader = (key: string): string =>
  encodeURIComponent(key.toLowerCase()).replace(/[()]/g, (unit) => `%${unit.charCodeAt(0).toString(16)}`);
