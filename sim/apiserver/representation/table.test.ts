import { expect, it } from 'vitest';
import { createApiServer } from '../../cluster/control-plane.ts';
import { engineSurroundings } from '../../cluster/engine-surroundings.ts';
import { seconds } from '../../engine/time.ts';
import { Simulation } from '../../engine/simulation.ts';
import { MemoryStorage } from '../../storage/memory-storage.ts';
import { type ApiRequest, type ApiResponse, QueryParameters } from '../request/request.ts';
import type { StoredObject } from '../stores/stored-object.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const USER = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

it('rows of a watch tell the age at the time of the event, not of the request', () => {
  const simulation = new Simulation({ seed: 1 });
  const actor = simulation.actor('apiserver/0');
  const surroundings = engineSurroundings(actor.context);
  const server = createApiServer({ surroundings, storage: new MemoryStorage<StoredObject>() });
  const ask = (request: Pick<ApiRequest, 'method'> & Partial<ApiRequest>): ApiResponse => {
    let response: ApiResponse | undefined;
    actor.spawn('request', function* () {
      const whole = {
        path: PATH,
        query: new QueryParameters(),
        headers: {},
        user: USER,
        wire: true,
        ...request,
      };
      response = yield* server.handle(whole);
    });
    simulation.runUntil(simulation.now);
    if (!response) throw new Error('no answer');
    return response;
  };
  ask({
    method: 'POST',
    wire: false,
    body: { kind: 'object', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'old' } } },
  });
  const query = QueryParameters.of({ watch: true, resourceVersion: '0' });
  const { body } = ask({ method: 'GET', query, headers: { accept: TABLE } });
  if (body.kind !== 'stream') throw new Error('no watch');
  expect(ageIn(body.stream.read())).toBe('0s');
  simulation.runFor(seconds(90));
  ask({
    method: 'PATCH',
    path: `${PATH}/old`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { kind: 'bytes', bytes: new TextEncoder().encode('{"data":{"a":"b"}}') },
  });
  expect(ageIn(body.stream.read())).toBe('90s');
});

/** The last cell of the only row. */
function ageIn(piece: unknown): unknown {
  if (!(piece instanceof Uint8Array)) throw new Error('no event');
  const { object } = JSON.parse(new TextDecoder().decode(piece)) as {
    object: { rows: { cells: unknown[] }[] };
  };
  return object.rows[0]?.cells.at(-1);
}

it('what is asked and never kept has no table', () => {
  const simulation = new Simulation({ seed: 1 });
  const actor = simulation.actor('apiserver/0');
  const surroundings = engineSurroundings(actor.context);
  const server = createApiServer({ surroundings, storage: new MemoryStorage<StoredObject>() });
  const statusOf = (accept: string): number => {
    let response: ApiResponse | undefined;
    actor.spawn('request', function* () {
      response = yield* server.handle({
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        query: new QueryParameters(),
        headers: { accept },
        user: USER,
        wire: true,
        body: { kind: 'object', object: { spec: { resourceAttributes: { verb: 'get' } } } },
      });
    });
    simulation.runUntil(simulation.now);
    return response?.status ?? 0;
  };
  expect(statusOf(TABLE)).toBe(406);
  expect(statusOf(`${TABLE},application/json`)).toBe(201);
});
