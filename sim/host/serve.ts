/** A control plane on a real port, for kubectl and for controllers in any language. */
import type { AddressInfo } from 'node:net';
import type { ApiServer } from '../apiserver/api-server.ts';
import type { ApiRequest, ApiResponse } from '../apiserver/request.ts';
import { type AuthorizationMode, createApiServer } from '../cluster/control-plane.ts';
import { engineSurroundings } from '../cluster/engine-surroundings.ts';
import type { Context } from '../engine/context.ts';
import type { Process } from '../engine/process.ts';
import { Simulation } from '../engine/simulation.ts';
import { FeatureGates } from '../apiserver/feature-gates.ts';
import { MemoryStorage } from '../storage/memory-storage.ts';
import type { StoredObject } from '../apiserver/stored-object.ts';
import { createHttpServer, createHttpsServer, type ListeningServer, type RequestHandler } from './http-server.ts';
import { RealTimeDriver } from './real-time-driver.ts';
import { selfSignedCertificate } from './self-signed-certificate.ts';
import type { TokenAuthenticator } from '../apiserver/stages/authenticate.ts';

export interface ServeOptions {
  readonly bindAddress: string;
  /** TLS; undefined: none. 0: any free port. */
  readonly securePort?: number;
  readonly httpPort?: number;
  readonly seed: number;
  /** Virtual seconds for each real one; 0: the clock is moved by hand. */
  readonly speed: number;
  readonly featureGates?: FeatureGates;
  readonly runtimeConfig?: string;
  readonly authorizationMode?: AuthorizationMode;
  readonly tokenAuthenticators?: readonly TokenAuthenticator[];
  readonly compactionIntervalMs?: number;
  /** Hears of defects of the simulator; the request gets a 500. */
  readonly onDefect: (error: unknown) => void;
}

export interface Serving {
  readonly urls: readonly string[];
  readonly server: ApiServer;
  stop(): Promise<void>;
}

export async function serve(options: ServeOptions): Promise<Serving> {
  const simulation = new Simulation({ seed: options.seed, epochMs: Date.now(), isGuarded: false, isRecording: false });
  const driver = new RealTimeDriver(simulation, options.speed);
  const storage = new MemoryStorage<StoredObject>();
  const actor = simulation.actor('apiserver/0');
  const featureGates = options.featureGates ?? new FeatureGates();
  const server = createApiServer({ ...options, featureGates, surroundings: engineSurroundings(actor.context), storage });
  const handler = requestHandler({ driver, server, context: actor.context, featureGates });
  const listening: { url: string; server: ListeningServer }[] = [];
  if (options.securePort !== undefined) {
    const tls = createHttpsServer(handler, await selfSignedCertificate(options.bindAddress));
    listening.push({ server: tls, url: await listen(tls, 'https', options.securePort, options.bindAddress) });
  }
  if (options.httpPort !== undefined) {
    const plain = createHttpServer(handler);
    listening.push({ server: plain, url: await listen(plain, 'http', options.httpPort, options.bindAddress) });
  }
  driver.act(() => undefined);
  return {
    urls: listening.map(({ url }) => url),
    server,
    stop: async () => {
      driver.act(() => server.close());
      driver.stop();
      await Promise.all(listening.map(({ server: open }) => closed(open)));
    },
  };
}

function requestHandler({
  driver,
  server,
  context,
  featureGates,
}: {
  driver: RealTimeDriver;
  server: ApiServer;
  context: Context;
  featureGates: FeatureGates;
}): RequestHandler {
  function* serveOne(request: ApiRequest, respond: (response: ApiResponse) => void): Process<void> {
    respond(yield* server.handle(request));
  }
  return {
    handle: (request, respond) => driver.act(() => void context.spawn('request', serveOne(request, respond))),
    act: (work) => driver.act(work),
    compressesResponses: featureGates.isEnabled('APIResponseCompression'),
  };
}

function listen(server: ListeningServer, scheme: string, port: number, address: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      const { port: chosen } = server.address() as AddressInfo;
      resolve(`${scheme}://${address.includes(':') ? `[${address}]` : address}:${chosen}`);
    });
  });
}

function closed(server: ListeningServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    if ('closeIdleConnections' in server) server.closeAllConnections();
  });
}
