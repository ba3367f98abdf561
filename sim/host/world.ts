/**
 * One simulated cluster as a port serves it: an API server, and as many nodes and controllers as were asked
 * for. A reset makes a new one with the same settings; whoever serves requests always asks for the present one.
 */
import type { ApiServer } from '../apiserver/api-server.ts';
import type { ApiRequest, ApiResponse } from '../apiserver/request/request.ts';
import type { StoredObject } from '../apiserver/stores/stored-object.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { type AssemblyOptions, assembleCluster } from '../cluster/create-cluster.ts';
import { invariant } from '../engine/invariant.ts';
import type { Process } from '../engine/process.ts';
import { Simulation } from '../engine/simulation.ts';
import type { Storage } from '../storage/storage.ts';
import type { MachineFaults } from './control/machine-faults.ts';
import { RealTimeDriver } from './real-time-driver.ts';
import { realUrlCalls } from './url-calls.ts';

export interface WorldOptions extends Omit<AssemblyOptions, 'storage' | 'apiServers'> {
  readonly seed: number;
  /** Virtual seconds for each real one; 0: the clock is moved by hand. */
  readonly speed: number;
}

export class World {
  readonly simulation: Simulation;
  readonly driver: RealTimeDriver;
  readonly storage: Storage<StoredObject>;
  readonly cluster: Cluster;
  /** Actors that are cut off from everybody else at present. */
  partitioned: ReadonlySet<string> = new Set();
  /** What is wrong with machines at present, by the name of the node. */
  machineFaults: ReadonlyMap<string, MachineFaults> = new Map();

  constructor({ seed, speed, ...options }: WorldOptions, storage: Storage<StoredObject>) {
    this.simulation = new Simulation({ seed, epochMs: Date.now(), isGuarded: false });
    this.driver = new RealTimeDriver(this.simulation, speed);
    this.storage = storage;
    this.cluster = assembleCluster(this.simulation, {
      identity: 'apiserver-0',
      controllers: [],
      urlCalls: realUrlCalls((work) => this.driver.act(work)),
      ...options,
      storage,
    });
    this.cluster.driveBy('the control path');
    // The server begins with the first step.
    this.driver.act(() => undefined);
  }

  /** Of the port: it never crashes. */
  get server(): ApiServer {
    const server = this.cluster.apiServers[0]?.server;
    invariant(server !== undefined, 'a served world has an API server');
    return server;
  }

  handle(request: ApiRequest, respond: (response: ApiResponse) => void): void {
    this.driver.act(() => {
      const { server } = this;
      this.cluster.apiServers[0]?.actor.spawn('request', () => serveOne(server, request, respond));
    });
  }

  /** Ends all watches and stops the clock. */
  end(): void {
    this.endWatches();
    this.driver.stop();
  }

  endWatches(): void {
    this.driver.act(() => this.server.close());
  }
}

function* serveOne(
  server: ApiServer,
  request: ApiRequest,
  respond: (response: ApiResponse) => void,
): Process<void> {
  respond(yield* server.handle(request));
}
