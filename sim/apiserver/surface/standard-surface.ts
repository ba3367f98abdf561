/** Everything that a server answers besides resources, as one list of paths. */
import type { Process } from '../../engine/process.ts';
import type { Exchange } from '../request/exchange.ts';
import { checkMediaType, JSON_TYPES } from '../representation/negotiate.ts';
import { respondIndented } from '../representation/respond.ts';
import { methodNotAllowed, pageNotFound, resourceNotFound } from '../stages/route.ts';
import { DiscoveryPaths } from './discovery-paths.ts';
import { type HealthEndpoint, healthPaths, serveHealth } from './health.ts';
import { serveKeySet, serveOpenIdConfiguration } from './openid.ts';
import { Surface, type SurfaceHandler, type SurfacePath } from './surface.ts';

const HEALTH: readonly HealthEndpoint[] = ['healthz', 'livez', 'readyz'];

/** `more`: paths that the assembly adds, such as `/metrics`. */
export function standardSurface(more: readonly SurfacePath[] = []): Surface {
  const others = [
    '/.well-known/openid-configuration',
    ...healthPaths(),
    '/openapi/v2',
    '/openapi/v3',
    '/openapi/v3/',
    '/openid/v1/jwks',
    '/version',
    ...more.map(({ path }) => path),
  ];
  const discovery = new DiscoveryPaths(({ machinery }) =>
    machinery.tellsOpenApiV3 ? others : others.filter((path) => !path.startsWith('/openapi/v3')),
  );
  const below = (
    prefix: string,
    serve: (exchange: Exchange, rest: string) => Process<void> | void,
  ): SurfaceHandler => {
    return (exchange) => serve(exchange, exchange.info.path.slice(prefix.length));
  };
  return new Surface([
    ...more,
    { path: '/', serve: (exchange) => discovery.index(exchange) },
    { path: '/index.html', serve: (exchange) => discovery.index(exchange) },
    ...alone('/version', serveVersion),
    ...HEALTH.flatMap((endpoint) => [
      { path: `/${endpoint}`, serve: (exchange: Exchange) => serveHealth(exchange, endpoint, undefined) },
      {
        path: `/${endpoint}/*`,
        serve: below(`/${endpoint}/`, (exchange, check) => serveHealth(exchange, endpoint, check)),
      },
    ]),
    ...['/api', '/api/'].map((path) => ({
      path,
      serve: (exchange: Exchange) => discovery.root(exchange, 'api'),
    })),
    ...['/apis', '/apis/'].map((path) => ({
      path,
      serve: (exchange: Exchange) => discovery.root(exchange, 'apis'),
    })),
    ...alone('/.well-known/openid-configuration', serveOpenIdConfiguration),
    ...alone('/openid/v1/jwks', serveKeySet),
    { path: '/openapi/v2', serve: (exchange) => discovery.swagger(exchange) },
    { path: '/openapi/v3', serve: whereTold((exchange) => discovery.openApiIndex(exchange)) },
    {
      path: '/openapi/v3/*',
      serve: whereTold(below('/openapi/v3/', (exchange, name) => discovery.openApiDocument(exchange, name))),
    },
    {
      path: '/api/*',
      serve: below('/api/', (exchange, rest) => serveVersionPath(discovery, exchange, '', rest)),
    },
    {
      path: '/apis/*',
      serve: below('/apis/', (exchange, rest) => serveGroupPath(discovery, exchange, rest)),
    },
  ]);
}

/** With slashes behind it it is the same; there is nothing else below. */
const alone = (path: string, serve: SurfaceHandler): readonly SurfacePath[] => [
  { path, serve },
  {
    path: `${path}/*`,
    serve: (exchange) => {
      if (!/^\/*$/.test(exchange.info.path.slice(path.length))) throw resourceNotFound();
      return serve(exchange);
    },
  },
];

/** Older releases have the second version of OpenAPI alone. */
const whereTold =
  (serve: SurfaceHandler): SurfaceHandler =>
  (exchange) =>
    exchange.server.machinery.tellsOpenApiV3 ? serve(exchange) : pageNotFound(exchange);

function serveVersionPath(discovery: DiscoveryPaths, exchange: Exchange, group: string, rest: string): void {
  const version = rest.endsWith('/') ? rest.slice(0, -1) : rest;
  if (version === '' || version.includes('/')) pageNotFound(exchange);
  else discovery.version(exchange, group, version);
}

function serveGroupPath(discovery: DiscoveryPaths, exchange: Exchange, rest: string): void {
  const slash = rest.indexOf('/');
  if (slash < 0 || slash === rest.length - 1)
    discovery.group(exchange, slash < 0 ? rest : rest.slice(0, slash));
  else serveVersionPath(discovery, exchange, rest.slice(0, slash), rest.slice(slash + 1));
}

function serveVersion(exchange: Exchange): void {
  if (exchange.request.method !== 'GET') throw methodNotAllowed();
  checkMediaType(exchange.request.headers['accept'], JSON_TYPES);
  respondIndented(exchange, exchange.server.release.versionInfo);
}
