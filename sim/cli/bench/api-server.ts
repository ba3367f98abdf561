/** Speed of the API server without any wire: the calls of first-party components. */
import { createApiServer } from '../../cluster/control-plane.ts';
import { engineSurroundings } from '../../cluster/engine-surroundings.ts';
import type { ApiServer } from '../../apiserver/api-server.ts';
import { type ApiRequest, QueryParameters } from '../../apiserver/request/request.ts';
import type { StoredObject } from '../../apiserver/stores/stored-object.ts';
import { Simulation } from '../../engine/simulation.ts';
import { MemoryStorage } from '../../storage/memory-storage.ts';
import type { Measurement } from './engine.ts';

const ADMIN = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const KILOBYTE = 'abcdefghij klmno'.repeat(50);
const BATCH = 100;
const AGENT = { 'user-agent': 'bench/1' };

/** Creations of a 1 KB ConfigMap per second, managed fields kept. */
export function measureCreates(count = 60_000): Measurement {
  const { server, simulation } = emptyServer();
  const actor = simulation.findActor('apiserver/0');
  const start = performance.now();
  for (let index = 0; index < count; index += 1) {
    const request = creation(index);
    actor?.spawn('request', () => server.handle(request));
    if (index % BATCH === BATCH - 1) simulation.runUntil(simulation.now);
  }
  simulation.runUntil(simulation.now);
  return rate('create a 1 KB ConfigMap, in process', count, start);
}

/** Applies per second that change a value of a 1 KB ConfigMap. */
export function measureApplies(count = 20_000): Measurement {
  const { server, simulation } = emptyServer();
  const actor = simulation.findActor('apiserver/0');
  const start = performance.now();
  for (let index = 0; index < count; index += 1) {
    const request = application(index);
    actor?.spawn('request', () => server.handle(request));
    if (index % BATCH === BATCH - 1) simulation.runUntil(simulation.now);
  }
  simulation.runUntil(simulation.now);
  return rate('apply a changed 1 KB ConfigMap, in process', count, start);
}

const rate = (name: string, count: number, start: number): Measurement => ({
  name,
  value: Math.round(count / ((performance.now() - start) / 1_000)),
  unit: 'calls/s',
});

function emptyServer(): { server: ApiServer; simulation: Simulation } {
  const simulation = new Simulation({ seed: 1, isRecording: false });
  const actor = simulation.actor('apiserver/0');
  const storage = new MemoryStorage<StoredObject>();
  return {
    server: createApiServer({ surroundings: engineSurroundings(actor.context), storage }),
    simulation,
  };
}

const PATH = '/api/v1/namespaces/default/configmaps';

const creation = (index: number): ApiRequest => ({
  method: 'POST',
  path: PATH,
  query: new QueryParameters(),
  headers: AGENT,
  user: ADMIN,
  wire: false,
  body: { kind: 'object', object: configMap(`cm-${index}`, 'x') },
});

const application = (index: number): ApiRequest => ({
  method: 'PATCH',
  path: `${PATH}/applied-${index % 100}`,
  query: QueryParameters.of({ fieldManager: 'bench', force: true }),
  headers: { ...AGENT, 'content-type': 'application/apply-patch+yaml' },
  user: ADMIN,
  wire: false,
  body: { kind: 'object', object: configMap(`applied-${index % 100}`, String(index)) },
});

const configMap = (name: string, value: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { app: 'bench', tier: 'one' } },
  data: { k: KILOBYTE, v: value },
});
