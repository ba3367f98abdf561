import { describe, expect, it } from 'vitest';
import { BUILTIN_HANDLES, createCluster, milliseconds, seconds, WireUser } from '../../index.ts';
import { after } from '../../engine/time.ts';
import type { ApiObject } from '../../api/object.ts';
import { ApiError } from '../../api/status.ts';
import type { Process } from '../../engine/process.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';

const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const PATH = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';
const STORED = 'networking.k8s.io/v1';
const SHOWN = 'networking.k8s.io/v9';

const ingress = (name: string, converted = 'no') => ({
  metadata: { name, labels: { converted } },
  spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
});

/** A cluster whose ingresses are also served in a version that somebody else has to be asked for. */
function askingCluster() {
  const asked: number[] = [];
  const state = { isBroken: false };
  const cluster = createCluster({ controllers: [] });
  cluster.advance(milliseconds(100));
  const server = cluster.apiServers[0]?.server;
  const found = server?.registry.find('networking.k8s.io', 'v1', 'ingresses');
  if (!server || !found) throw new Error('the server has ingresses');
  const { resource, version } = found;
  const askConverted = function* (
    objects: readonly ApiObject[],
    apiVersion: string,
    surroundings: ApiServerSurroundings,
  ): Process<readonly ApiObject[]> {
    asked.push(objects.length);
    yield* surroundings.sleepMs(1_000);
    if (state.isBroken) throw new ApiError({ reason: 'InternalError', message: 'the converter is broken' });
    return objects.map(({ metadata, ...rest }) => ({
      ...rest,
      apiVersion,
      metadata: { ...metadata, labels: { converted: 'yes' } },
    }));
  };
  server.registry.remove(resource);
  server.registry.add({
    ...resource,
    storageSchema: resource.storageSchema,
    metaSchema: resource.metaSchema,
    versions: new Map([
      ...resource.versions,
      ['v9', { ...version, schema: version.schema, version: 'v9', apiVersion: SHOWN }],
    ]),
    askConverted,
  });
  const wire = new WireUser(cluster);
  const ask = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { accept: 'application/json', 'content-type': type };
    const answer = wire.request({ method, path, user, headers, ...(body && { body }) });
    return {
      status: answer?.status,
      body: JSON.parse(String(answer?.body)) as ApiObject & { items?: ApiObject[] },
    };
  };
  const v9 = PATH.replace('/v1/', '/v9/');
  return { cluster, asked, state, wire, ask, v9 };
}

describe('a version that somebody else converts to', () => {
  it('is waited for by a get, and not where the stored one is asked for', () => {
    const { cluster, asked, ask, v9 } = askingCluster();
    expect(ask('POST', PATH, ingress('a')).status).toBe(201);
    const before = cluster.now;
    expect(ask('GET', `${PATH}/a`).body).toMatchObject({ apiVersion: STORED });
    expect([asked, cluster.now - before < seconds(1)]).toEqual([[], true]);
    expect(ask('GET', `${v9}/a`).body).toMatchObject({
      apiVersion: SHOWN,
      metadata: { name: 'a', labels: { converted: 'yes' } },
    });
    expect([asked, cluster.now - before >= seconds(1)]).toEqual([[1], true]);
  });

  it('is asked for once by a list, and what fails is its answer', () => {
    const { asked, state, ask, v9 } = askingCluster();
    for (const name of ['a', 'b', 'c']) ask('POST', PATH, ingress(name));
    const { items = [] } = ask('GET', v9).body;
    expect(items.map(({ metadata }) => [metadata.name, metadata.labels?.['converted']])).toEqual([
      ['a', 'yes'],
      ['b', 'yes'],
      ['c', 'yes'],
    ]);
    expect(asked).toEqual([3]);
    state.isBroken = true;
    expect(ask('GET', v9)).toMatchObject({ status: 500, body: { message: 'the converter is broken' } });
    state.isBroken = false;
    expect(ask('GET', v9).status).toBe(200);
  });

  it('is waited for by what writes in it, there and back', () => {
    const { cluster, asked, ask, v9 } = askingCluster();
    const created = ask('POST', v9, ingress('a'));
    expect([created.status, created.body.apiVersion, asked]).toEqual([201, SHOWN, [1, 1]]);
    const kept = cluster.storage.range({ prefix: '/registry/ingress/' }).entries.map(({ value }) => value);
    expect(kept.map(({ apiVersion, metadata }) => [apiVersion, metadata.name])).toEqual([[STORED, 'a']]);
    const put = ask('PUT', `${v9}/a`, {
      ...created.body,
      metadata: { ...created.body.metadata, labels: {} },
    });
    expect([put.status, put.body.apiVersion]).toEqual([200, SHOWN]);
    const patched = ask('PATCH', `${v9}/a`, { metadata: { annotations: { n: '1' } } });
    expect(patched.body).toMatchObject({ apiVersion: SHOWN, metadata: { annotations: { n: '1' } } });
    expect(ask('GET', `${PATH}/a`).body).toMatchObject({
      apiVersion: STORED,
      metadata: { annotations: { n: '1' } },
    });
    expect(ask('DELETE', `${v9}/a`).status).toBe(200);
  });

  it('begins again when somebody wrote while it was waited for, and writes nothing when it fails', () => {
    const { cluster, asked, state, ask, v9 } = askingCluster();
    ask('POST', PATH, ingress('a'));
    const label = (value: string) => ({ metadata: { annotations: { [value]: 'yes' } } });
    cluster.simulation.at(after(cluster.now, milliseconds(500)), 'a write between', () => {
      cluster.user.spawn('write', () =>
        cluster.userClient.patch(BUILTIN_HANDLES.ingresses, 'a', { type: 'merge', body: label('other') }),
      );
    });
    const patched = ask('PATCH', `${v9}/a`, label('mine'));
    expect(patched.body.metadata.annotations).toEqual({ other: 'yes', mine: 'yes' });
    expect(asked.length).toBeGreaterThan(3);
    state.isBroken = true;
    expect(ask('PUT', `${v9}/a`, { ...ingress('a'), kind: 'Ingress', apiVersion: SHOWN }).status).toBe(500);
    expect(ask('GET', `${PATH}/a`).body.metadata.annotations).toEqual({ other: 'yes', mine: 'yes' });
  });

  it('comes in a watch in the order of the events, one after the other', () => {
    const { cluster, wire, ask, v9 } = askingCluster();
    ask('POST', PATH, ingress('a'));
    const { log } = wire.watch({ method: 'GET', path: v9, query: { watch: '1' }, user });
    for (const name of ['b', 'c']) ask('POST', PATH, ingress(name));
    const seen = () =>
      (log?.events ?? []).map(({ type, object }) => [
        type,
        (object as ApiObject).metadata.name,
        (object as ApiObject).apiVersion,
      ]);
    cluster.advance(milliseconds(500));
    expect(seen()).toEqual([]);
    cluster.advance(seconds(5));
    expect(seen()).toEqual(['a', 'b', 'c'].map((name) => ['ADDED', name, SHOWN]));
  });

  it('ends a watch with what went wrong, and the next watch goes on', () => {
    const { cluster, state, wire, ask, v9 } = askingCluster();
    ask('POST', PATH, ingress('a'));
    state.isBroken = true;
    const first = wire.watch({ method: 'GET', path: v9, query: { watch: '1' }, user }).log;
    cluster.advance(seconds(3));
    expect(first?.events.map(({ type }) => type)).toEqual(['ERROR']);
    state.isBroken = false;
    const second = wire.watch({ method: 'GET', path: v9, query: { watch: '1' }, user }).log;
    cluster.advance(seconds(3));
    expect(second?.events.map(({ type }) => type)).toEqual(['ADDED']);
  });
});
