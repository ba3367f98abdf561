/** A control plane on a real port, for kubectl and for controllers in any language. */
import { append } from '../api/append.ts';
import type { ServerHttp2Session } from 'node:http2';
import { type AddressInfo, isIPv4, type Socket } from 'node:net';
import type { Dialect } from '../api/dialect.ts';
import { RELEASE_1_31 } from '../api/release/release-1-31.ts';
import type { AdvertisedAddress } from '../apiserver/bootstrap/kubernetes-service.ts';
import { FeatureGates } from '../apiserver/feature-gates.ts';
import type { StoredObject } from '../apiserver/stores/stored-object.ts';
import { MemoryStorage } from '../storage/memory-storage.ts';
import { controlPath } from './control/control-http.ts';
import {
  createHttpServer,
  createHttpsServer,
  type ListeningServer,
  type Patience,
  type TlsFiles,
} from './http-server.ts';
import { FRONT_PROXY } from '../apiserver/authentication/authentication-trust.ts';
import { Authority } from './certificates.ts';
import { Defects } from './defects.ts';
import { inDialect } from './dialect-edge.ts';
import type { Fsync } from './data-directory/data-directory.ts';
import { heldBack } from './data-directory/held-back.ts';
import {
  openDataDirectory,
  type OpenDataDirectory,
  type OpenOptions,
} from './data-directory/open-data-directory.ts';
import { nodeHandler, refuseWhenDown } from './node-ports.ts';
import { processMetrics } from './process-metrics.ts';
import type { RequestHandler } from './request-handler.ts';
import {
  addressed,
  addressOf,
  noSuchCluster,
  ServedClusters,
  within,
  type WorldStart,
} from './served-clusters.ts';
import { isLoopback, WebGate } from './web-gate.ts';
import { YamlReader } from './yaml-reader.ts';
import { World, type WorldOptions } from './world.ts';

export interface ServeOptions extends WorldOptions {
  readonly bindAddress: string;
  /** TLS; undefined: none. 0: any free port. */
  readonly securePort?: number;
  readonly httpPort?: number;
  /** First of the ports for HTTPS, one for each node, that lead to their agents; 0: any free ones; undefined: none. */
  readonly kubeletPorts?: number;
  /** Where the storage is kept; undefined: in memory alone. */
  readonly dataDirectory?: string;
  /** How often what is written there is forced to disk; default: before each answer. */
  readonly fsync?: Fsync;
  /** What attackers change of it. */
  readonly dataOptions?: Pick<OpenOptions, 'maxLogBytes' | 'filesOver'>;
  /** Hears one line of what happens to the data directory. */
  readonly onNotice?: (line: string) => void;
  /** Nobody can say what is on disk: nothing is answered any more, and the process is to end. */
  readonly onStorageLost?: (error: Error) => void;
  readonly patience?: Patience;
  /** The program of the thread that reads large YAML; without it the main one reads all. */
  readonly yamlProgram?: URL;
  /** Names under which clients may ask for the server, beside those of the loopback; see `WebGate`. */
  readonly allowedHosts?: readonly string[];
  /** Of the server; default: one of its own authority. */
  readonly tls?: TlsFiles;
  /** PEM: authorities of users' certificates, beside the server's own. */
  readonly clientAuthorities?: readonly string[];
  /** Aggregated servers are told by which certificate they know this one, as `kubeadm` sets clusters up. */
  readonly isProxyKnown?: boolean;
  /** Where pods find the server, as `default/kubernetes` says; default: where it listens, unless that leads nowhere. */
  readonly advertiseAddress?: string;
  /** Whose words clients speak; default: the real ones. */
  readonly dialect?: Dialect;
}

export interface NodeUrl {
  readonly node: string;
  readonly url: string;
}

export interface Serving {
  readonly urls: readonly string[];
  /** Of the nodes' agents, where they have ports. */
  readonly nodeUrls: readonly NodeUrl[];
  /** What clients trust the server by, in PEM; undefined without TLS. */
  readonly rootCertificate: string | undefined;
  /** Makes certificates of users; undefined without TLS. */
  readonly authority: Authority | undefined;
  readonly world: World;
  /** For what gets past everything else: it is told and counted. */
  readonly onDefect: (error: unknown) => void;
  /** Takes no more connections, ends watches, finishes requests, and closes what is left after a while. */
  stop(): Promise<void>;
}

/** How long requests may take to finish when the server stops. */
const DRAIN_MS = 5_000;

interface Port {
  readonly url: string;
  readonly server: ListeningServer;
}

/** @throws DataDirectoryError, and errors of the system where a port or a file cannot be had */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { release = RELEASE_1_31, bindAddress, securePort, httpPort, kubeletPorts, patience } = options;
  const defects = new Defects(options.onDefect);
  const journal = openStorage(options, defects);
  const { yamlProgram } = options;
  const yamlReader = yamlProgram && new YamlReader({ program: yamlProgram, onDefect: defects.note });
  const { allowedHosts = [] } = options;
  const gate = new WebGate({ bindAddress, allowedHosts });
  const isSecure = securePort !== undefined || kubeletPorts !== undefined;
  const authority = isSecure ? await Authority.create() : undefined;
  const tls = authority && (await tlsOf(authority, options));
  const trust = tls && (await trustOf(options, tls));
  const rootCertificate = tls && (options.tls ? options.tls.cert : authority.certificate);
  const world = (): World => clusters.main;
  const ports: Port[] = [];
  const nodePorts: (Port & NodeUrl)[] = [];
  const makeWorld = ({ storage, ...start }: WorldStart): World =>
    new World(
      {
        metersRequests: true,
        moreMetrics: () => [...processMetrics(), ...defects.families()],
        ...(rootCertificate !== undefined && { rootCertificate }),
        ...(authority && { signer: authority.signer }),
        ...trust,
        advertisedAddress: advertisedBy(options, ports[0]),
        ...options,
        ...start,
        ...(yamlReader && { yamlReader }),
        onDefect: defects.note,
      },
      storage,
    );
  const clusters = new ServedClusters(makeWorld);
  const endLooking = options.access?.watch();
  const handle: RequestHandler['handle'] = (request, respond, breakOff) => {
    const cluster = addressOf(request);
    const there = clusters.find(cluster);
    if (!there) respond(noSuchCluster(cluster));
    else if (cluster === '') there.handle(request, respond, breakOff);
    else there.handle(request, (response) => respond(within(there, response)), breakOff);
  };
  const plain: RequestHandler = {
    handle: journal?.gate ? heldBack(journal.gate, handle, defects) : handle,
    act: (work) =>
      defects.guard(() => {
        world().driver.stir();
        world().driver.act(work);
      }),
    // Clients of the others stir theirs alone: see `within`.
    stir: () => world().driver.stir(),
    defects,
    gate,
    compressesResponses: (options.featureGates ?? new FeatureGates(release.gates)).isEnabled(
      'APIResponseCompression',
    ),
    serveOther: controlPath({
      clusters,
      nodeUrls: () => Object.fromEntries(nodePorts.map(({ node, url }) => [node, url])),
      isKept: journal !== undefined,
      defects,
      gate,
    }),
  };
  const spoken = options.dialect ? inDialect(plain, options.dialect, release.catalog.types) : plain;
  const handler: RequestHandler = {
    ...spoken,
    handle: (request, respond, breakOff) => spoken.handle(addressed(request), respond, breakOff),
  };
  const servers = [
    ...(tls && securePort !== undefined
      ? [{ server: createHttpsServer(handler, tls, patience), scheme: 'https', port: securePort }]
      : []),
    ...(httpPort === undefined
      ? []
      : [{ server: createHttpServer(handler, patience), scheme: 'http', port: httpPort }]),
  ];
  // The ports are known before the world is, which tells of them; nobody is served in between, for nothing waits there.
  try {
    append(
      ports,
      await Promise.all(
        servers.map(({ server, scheme, port }) => listen(server, scheme, { port, bindAddress, defects })),
      ),
    );
    clusters.begin(journal?.storage ?? new MemoryStorage<StoredObject>());
    if (tls && kubeletPorts !== undefined)
      for (const [index, node] of world().cluster.nodeNames.entries()) {
        // A node is asked for by its name.
        const ownGate = new WebGate({ bindAddress, allowedHosts: [...allowedHosts, node] });
        const own = nodeHandler(node, world, { defects, gate: ownGate });
        const server = createHttpsServer(own, tls, patience);
        server.on('connection', (socket: Socket) =>
          defects.guard(() => refuseWhenDown(node, world(), socket)),
        );
        const port = kubeletPorts === 0 ? 0 : kubeletPorts + index;
        nodePorts.push({ node, ...(await listen(server, 'https', { port, bindAddress, defects })) });
      }
  } catch (error) {
    // What could not begin leaves nothing behind.
    for (const { server } of [...servers, ...nodePorts]) server.close();
    for (const each of clusters.all) each.end();
    journal?.close();
    throw error;
  }
  return {
    urls: ports.map(({ url }) => url),
    nodeUrls: nodePorts.map(({ node, url }) => ({ node, url })),
    rootCertificate,
    authority,
    onDefect: defects.note,
    get world() {
      return world();
    },
    stop: async () => {
      const closed = [...ports, ...nodePorts].map(({ server }) => closedServer(server));
      for (const each of clusters.all) each.endWatches();
      await Promise.all(closed);
      for (const each of clusters.all) each.end();
      endLooking?.();
      yamlReader?.close();
      journal?.close();
    },
  };
}

/** The server's own certificate, and whose users it believes. */
async function tlsOf(
  authority: Authority,
  { tls, bindAddress, advertiseAddress, allowedHosts = [], clientAuthorities = [] }: ServeOptions,
): Promise<TlsFiles> {
  const hosts = [bindAddress, ...(advertiseAddress === undefined ? [] : [advertiseAddress]), ...allowedHosts];
  const own = tls ?? (await authority.serverCertificate(hosts));
  return { ...own, clientAuthorities: [authority.certificate, ...clientAuthorities] };
}

/** By which certificate aggregated servers know this one, and what they are told of it. */
async function trustOf(
  { isProxyKnown = false, clientAuthorities = [] }: ServeOptions,
  tls: TlsFiles,
): Promise<Pick<WorldOptions, 'proxyCertificate' | 'trust'>> {
  if (!isProxyKnown)
    return clientAuthorities.length > 0 ? { trust: { clientAuthorities: clientAuthorities.join('\n') } } : {};
  const authority = await Authority.create('front-proxy-ca');
  return {
    proxyCertificate: await authority.userCertificate({ name: FRONT_PROXY, groups: [] }),
    trust: {
      clientAuthorities: (tls.clientAuthorities ?? []).join('\n'),
      proxyAuthority: authority.certificate,
    },
  };
}

/** A documentation address, where pods would look for a server that listens on the loopback or everywhere. */
const NOWHERE = '192.0.2.10';

function advertisedBy(
  { bindAddress, advertiseAddress }: ServeOptions,
  port: Port | undefined,
): AdvertisedAddress {
  const isFound = isIPv4(bindAddress) && !isLoopback(bindAddress) && bindAddress !== '0.0.0.0';
  return {
    ip: advertiseAddress ?? (isFound ? bindAddress : NOWHERE),
    port: Number(new URL(port?.url ?? 'https://localhost:443').port || 443),
  };
}

function openStorage(options: ServeOptions, defects: Defects): OpenDataDirectory | undefined {
  const { dataDirectory, fsync = 'always', onNotice = () => undefined } = options;
  if (dataDirectory === undefined) return undefined;
  const onLost = options.onStorageLost ?? defects.note;
  return openDataDirectory(dataDirectory, { ...options.dataOptions, fsync, onNotice, onLost });
}

interface ListenOptions {
  readonly port: number;
  readonly bindAddress: string;
  readonly defects: Defects;
}

function listen(
  server: ListeningServer,
  scheme: string,
  { port, bindAddress, defects }: ListenOptions,
): Promise<Port> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, bindAddress, () => {
      server.off('error', reject);
      server.on('error', defects.note);
      const { port: chosen } = server.address() as AddressInfo;
      const host = bindAddress.includes(':') ? `[${bindAddress}]` : bindAddress;
      resolve({ server, url: `${scheme}://${host}:${chosen}` });
    });
    noteConnections(server);
  });
}

interface Closable {
  /** Ends once nothing is under way. */
  close(): void;
  destroy(): void;
}

const openConnections = new WeakMap<ListeningServer, Set<Closable>>();

/** HTTP/2 sessions and the sockets under TLS are not closed with their server. */
function noteConnections(server: ListeningServer): void {
  const open = new Set<Closable>();
  openConnections.set(server, open);
  server.on('session', (session: ServerHttp2Session) => {
    open.add(session);
    session.once('close', () => open.delete(session));
  });
}

function closedServer(server: ListeningServer): Promise<void> {
  const open = openConnections.get(server) ?? new Set<Closable>();
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      for (const connection of open) connection.destroy();
      if ('closeAllConnections' in server) server.closeAllConnections();
      resolve();
    }, DRAIN_MS);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    for (const session of open) session.close();
    if ('closeIdleConnections' in server) server.closeIdleConnections();
  });
}
