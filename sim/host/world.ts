/**
 * One simulated control plane as a port serves it: simulation, storage and API server. A reset makes a
 * new one with the same settings; whoever serves requests always asks for the present one.
 */
import type { ApiServer } from '../apiserver/api-server.ts';
import type { ApiRequest, ApiResponse } from '../apiserver/request.ts';
import type { StoredObject } from '../apiserver/stored-object.ts';
import { type ControlPlaneOptions, createApiServer } from '../cluster/control-plane.ts';
import { engineSurroundings } from '../cluster/engine-surroundings.ts';
import type { Context } from '../engine/context.ts';
import type { Process } from '../engine/process.ts';
import { Simulation } from '../engine/simulation.ts';
import type { Storage } from '../storage/storage.ts';
import { RealTimeDriver } from './real-time-driver.ts';

export interface WorldOptions extends Omit<ControlPlaneOptions, 'surroundings' | 'storage'> {
  readonly seed: number;
  /** Virtual seconds for each real one; 0: the clock is moved by hand. */
  readonly speed: number;
}

export class World {
  readonly simulation: Simulation;
  readonly driver: RealTimeDriver;
  readonly storage: Storage<StoredObject>;
  readonly server: ApiServer;
  readonly #context: Context;

  constructor(options: WorldOptions, storage: Storage<StoredObject>) {
    this.simulation = new Simulation({ seed: options.seed, epochMs: Date.now(), isGuarded: false });
    this.driver = new RealTimeDriver(this.simulation, options.speed);
    this.storage = storage;
    this.#context = this.simulation.actor('apiserver/0').context;
    this.server = createApiServer({ ...options, surroundings: engineSurroundings(this.#context), storage });
    this.driver.act(() => undefined);
  }

  handle(request: ApiRequest, respond: (response: ApiResponse) => void): void {
    this.driver.act(() => void this.#context.spawn('request', serveOne(this.server, request, respond)));
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
