/**
 * Which API server answers which client of the port, and how late each server and each member of the storage is: as
 * the control path says it. Without routes everybody is answered by the first server. Bad input is a RangeError.
 */
import { milliseconds } from '../../engine/time.ts';
import type { ApiResponse } from '../../apiserver/request/request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { Simulation } from '../../engine/simulation.ts';
import { type ClientName, isAgent } from './client-ledger.ts';

/** What has the servers. */
interface ServerRoom {
  readonly cluster: Pick<Cluster, 'apiServers' | 'faults'>;
  readonly simulation: Simulation;
  serverFaults: ServerFaults;
}

/** Clients that are answered by another server than the first; the first route that fits decides. */
export interface ServerRoute {
  readonly user?: string;
  /** `NAME*` for all that begin so. */
  readonly userAgent?: string;
  /** Such as `apiserver/1`. */
  readonly server: string;
}

/** By the name of a server or of a member of the storage; who is left out is in time. */
export type Lags = ReadonlyMap<string, number>;

export interface ServerFaults {
  readonly routes: readonly ServerRoute[];
  /** Of servers that `serverLagMs` does not name. */
  readonly watchCacheLagMs: number;
  readonly serverLagMs: Lags;
  readonly memberLagMs: Lags;
}

const ROUTE_MEMBERS = ['user', 'userAgent', 'server'];
/** It serves the control path too. */
export const FIRST_SERVER = 'apiserver/0';
const ONE_DAY_MS = 86_400_000;

interface RawServerFaults {
  readonly routes?: unknown;
  readonly serverLagMs?: unknown;
  readonly memberLagMs?: unknown;
  readonly watchCacheLagMs: number;
}

/** Of what a client has sent. @throws RangeError */
export function serverFaultsFrom(
  { routes = [], serverLagMs = {}, memberLagMs = {}, watchCacheLagMs }: RawServerFaults,
  { cluster, simulation }: ServerRoom,
): ServerFaults {
  const servers = cluster.apiServers.map(({ name }) => name);
  const members = simulation.actors.map(({ name }) => name).filter((name) => name.startsWith('etcd/'));
  if (!Array.isArray(routes)) throw new RangeError('routes: expected a list');
  return {
    routes: routes.map((each: unknown, index) => routeFrom(each, `routes[${index}]`, servers)),
    watchCacheLagMs,
    serverLagMs: lagsFrom(serverLagMs, 'serverLagMs', servers),
    memberLagMs: lagsFrom(memberLagMs, 'memberLagMs', members),
  };
}

function routeFrom(value: unknown, path: string, servers: readonly string[]): ServerRoute {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RangeError(`${path}: expected a mapping`);
  for (const [name, member] of Object.entries(value)) {
    if (!ROUTE_MEMBERS.includes(name))
      throw new RangeError(`${path}: there is no ${name}; there are ${ROUTE_MEMBERS.join(', ')}`);
    if (typeof member !== 'string') throw new RangeError(`${path}.${name}: expected a string`);
  }
  const route = value as ServerRoute;
  mustBeAmong(route.server, `${path}.server`, servers);
  return route;
}

function lagsFrom(value: unknown, path: string, known: readonly string[]): Lags {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RangeError(`${path}: expected a mapping`);
  return new Map(
    Object.entries(value).map(([name, lag]: [string, unknown]) => {
      mustBeAmong(name, path, known);
      if (!Number.isSafeInteger(lag) || Number(lag) < 0 || Number(lag) > ONE_DAY_MS)
        throw new RangeError(`${path}.${name}: expected a whole number from 0 to ${ONE_DAY_MS}`);
      return [name, Number(lag)];
    }),
  );
}

function mustBeAmong(name: string | undefined, path: string, known: readonly string[]): void {
  if (name !== undefined && known.includes(name)) return;
  const there = known.length === 0 ? 'there is none' : `there are ${known.join(', ')}`;
  throw new RangeError(
    `${path}: expected one by its name, and not ${JSON.stringify(name ?? null)}; ${there}`,
  );
}

/** Within an event of the world; for later lives of the servers, too. */
export function setServerFaults(world: ServerRoom, wanted: ServerFaults): void {
  const { apiServers, faults } = world.cluster;
  for (const server of apiServers)
    server.setWatchCacheLag(wanted.serverLagMs.get(server.name) ?? wanted.watchCacheLagMs);
  faults.cachesChanged();
  for (const name of world.serverFaults.memberLagMs.keys())
    if (!wanted.memberLagMs.has(name)) faults.lagStorageMember(name, milliseconds(0));
  for (const [name, lag] of wanted.memberLagMs) faults.lagStorageMember(name, milliseconds(lag));
  world.serverFaults = wanted;
}

export const NO_SERVER_FAULTS: ServerFaults = {
  routes: [],
  watchCacheLagMs: 0,
  serverLagMs: new Map(),
  memberLagMs: new Map(),
};

/** By its name; undefined: the first one. */
export const serverFor = ({ routes }: ServerFaults, { user, userAgent }: ClientName): string | undefined =>
  routes.find((route) => (route.user ?? user) === user && isAgent(userAgent, route.userAgent))?.server;

interface OpenConnection {
  /** Nothing is to come any more, unless the answer lasts. */
  answered(response: ApiResponse): ApiResponse;
  close(): void;
}

/** Of a server that never crashes. */
const ALWAYS_THERE: OpenConnection = { answered: (response) => response, close: () => undefined };

/** Connections of clients to servers that may crash. */
export class ServerConnections {
  readonly #open = new Map<string, Set<() => void>>();

  /** `hangUp`: as nothing has been answered yet; `breakOff`: in the middle of an answer that lasts. */
  open(
    server: { readonly name: string } | undefined,
    hangUp: () => void,
    breakOff: (() => void) | undefined,
  ): OpenConnection {
    if (server === undefined || server.name === FIRST_SERVER) return ALWAYS_THERE;
    const there = this.#open.get(server.name) ?? new Set();
    this.#open.set(server.name, there);
    let lose = hangUp;
    const lost = (): void => lose();
    const close = (): void => void there.delete(lost);
    there.add(lost);
    return {
      close,
      answered: (response) => {
        lose = () => breakOff?.();
        if (response.body.kind === 'stream' || response.body.kind === 'channels')
          return closing(response, close);
        close();
        return response;
      },
    };
  }

  breakAll(server: string): void {
    const there = [...(this.#open.get(server) ?? [])];
    this.#open.delete(server);
    for (const lost of there) lost();
  }
}

/** An answer that lasts, and whose end is heard. */
function closing(response: ApiResponse, closed: () => void): ApiResponse {
  const { body } = response;
  if (body.kind === 'stream') {
    const { stream } = body;
    return { ...response, body: { kind: 'stream', stream: heardClosing(stream, closed) } };
  }
  if (body.kind !== 'channels') return response;
  return { ...response, body: { kind: 'channels', channels: heardClosing(body.channels, closed) } };
}

const heardClosing = <T extends { close(): void }>(inner: T, closed: () => void): T =>
  new Proxy(inner, {
    get: (target, member) => {
      if (member === 'close')
        return () => {
          closed();
          target.close();
        };
      const value: unknown = Reflect.get(target, member, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
