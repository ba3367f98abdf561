/** Several API servers of one storage behind one port: routes of clients, stale views, crashes. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { serve, type Serving } from './serve.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

let serving: Serving;
beforeAll(async () => {
  serving = await serve({
    bindAddress: '127.0.0.1',
    httpPort: 0,
    seed: 1,
    speed: 0,
    apiServers: 2,
    storageMembers: 3,
    onDefect: (error) => {
      throw error;
    },
  });
});
afterAll(() => serving.stop());

const ask = async (method: string, path: string, body?: object, userAgent = 'test'): Promise<Response> =>
  fetch(`${serving.urls[0] ?? ''}${path}`, {
    method,
    headers: { 'user-agent': userAgent, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
const control = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> =>
  (await ask(method, `/kubesim/v1/${path}`, body)).json() as Promise<Record<string, unknown>>;
const make = async (name: string): Promise<void> => {
  expect((await ask('POST', CONFIG_MAPS, { metadata: { name } })).status).toBe(201);
};

/** Names that a list shows which is content with what a cache knows. */
async function cached(userAgent: string): Promise<readonly string[]> {
  const answer = await ask('GET', `${CONFIG_MAPS}?resourceVersion=0`, undefined, userAgent);
  const { items } = (await answer.json()) as { items: readonly { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt');
}

const ROUTES = [{ userAgent: 'operator/*', server: 'apiserver/1' }];

beforeEach(async () => {
  await control('POST', 'reset');
});

describe('a client that another server answers', () => {
  test('reads what a lagging server knows, until it is in time again; others read the present', async () => {
    await control('PUT', 'faults', { routes: ROUTES, serverLagMs: { 'apiserver/1': 5_000 } });
    await make('a');
    expect(await cached('operator/1')).toEqual([]);
    expect(await cached('other/1')).toEqual(['a']);
    await control('POST', 'clock', { advance: '6s' });
    expect(await cached('operator/1')).toEqual(['a']);
    await make('b');
    expect(await cached('operator/1')).toEqual(['a']);
    await control('PUT', 'faults', {});
    expect(await cached('operator/1')).toEqual(['a', 'b']);
  });

  test('goes back in time as a member of the storage lags and the server restarts', async () => {
    await control('PUT', 'faults', { routes: ROUTES });
    await make('a');
    await control('POST', 'clock', { advance: '1s' });
    expect(await cached('operator/1')).toEqual(['a']);
    const faults = { routes: ROUTES, memberLagMs: { 'etcd/1': 60_000 } };
    await control('PUT', 'faults', faults);
    await make('b');
    await control('PUT', 'faults', { ...faults, crashed: ['apiserver/1'] });
    await control('PUT', 'faults', faults);
    await control('POST', 'clock', { advance: '1s' });
    expect(await cached('operator/1')).not.toContain('b');
    expect(await cached('other/1')).toEqual(['a', 'b']);
  });

  test('loses its connections and is refused while its server is down, and is answered afterwards', async () => {
    await control('PUT', 'faults', { routes: ROUTES });
    const watch = await ask('GET', `${CONFIG_MAPS}?watch=true`, undefined, 'operator/1');
    const end = (async () => {
      for await (const piece of watch.body ?? []) expect(piece).toBeDefined();
    })();
    await control('PUT', 'faults', { routes: ROUTES, crashed: ['apiserver/1'] });
    await expect(end).rejects.toThrow();
    await expect(cached('operator/1')).rejects.toThrow();
    expect(await cached('other/1')).toEqual([]);
    await control('PUT', 'faults', { routes: ROUTES });
    await control('POST', 'clock', { advance: '1s' });
    expect(await cached('operator/1')).toEqual([]);
    expect(await control('GET', 'faults')).toMatchObject({ routes: ROUTES, crashed: [] });
  });
});

test.each(['crashBefore', 'crashAfter'])(
  'a request of which its server dies is told of once: %s',
  async (kind) => {
    const requests = [{ kind, verb: 'create', resource: 'configmaps', crashes: 'apiserver/1', count: 1 }];
    await control('PUT', 'faults', { routes: ROUTES, requests });
    await expect(ask('POST', CONFIG_MAPS, { metadata: { name: 'a' } }, 'operator/1')).rejects.toThrow();
    const { items } = await control('GET', 'record?userAgent=operator/1');
    expect(items).toMatchObject([{ method: 'POST', path: CONFIG_MAPS }]);
    expect(items).not.toHaveProperty('0.status');
  },
);

test('writes are refused while the storage has no leader or no majority, and succeed again afterwards', async () => {
  await control('POST', 'storage/leader', { takes: '5s' });
  const refused = await ask('POST', CONFIG_MAPS, { metadata: { name: 'a' } });
  expect(refused.status).toBe(500);
  expect(await refused.json()).toMatchObject({
    message: expect.stringContaining('leader changed') as unknown,
  });
  await control('POST', 'clock', { advance: '6s' });
  await make('a');
  await control('PUT', 'faults', { crashed: ['etcd/1', 'etcd/2'] });
  const late = ask('POST', CONFIG_MAPS, { metadata: { name: 'b' } });
  await new Promise((resolve) => setTimeout(resolve, 60));
  await control('POST', 'clock', { advance: '8s' });
  expect(await (await late).json()).toMatchObject({
    message: expect.stringContaining('timed out') as unknown,
  });
  await control('PUT', 'faults', {});
  await control('POST', 'clock', { advance: '5s' });
  await make('b');
  expect((await ask('POST', '/kubesim/v1/storage/leader', { takes: 'long' })).status).toBe(400);
});

test('a server comes back with other settings, and the clients of the others notice nothing', async () => {
  await control('PUT', 'faults', { routes: ROUTES });
  const jobs = (userAgent: string): Promise<Response> =>
    ask('GET', '/apis/batch/v1/jobs', undefined, userAgent);
  expect((await jobs('operator/1')).status).toBe(200);
  await control('POST', 'restart', { actor: 'apiserver/1', runtimeConfig: { 'batch/v1': false } });
  await control('POST', 'clock', { advance: '1s' });
  expect((await jobs('operator/1')).status).toBe(404);
  expect((await jobs('other/1')).status).toBe(200);
  await control('POST', 'restart', { actor: 'apiserver/1', runtimeConfig: {} });
  await control('POST', 'clock', { advance: '1s' });
  expect((await jobs('operator/1')).status).toBe(200);
  for (const [body, message] of [
    [{ actor: 'apiserver/0' }, 'apiserver/0 serves this path'],
    [{ actor: 'apiserver/1', release: '9.9' }, 'release: there is no "9.9"'],
    [{ actor: 'apiserver/1', featureGates: { Nonsense: true } }, 'Nonsense'],
    [{ actor: 'apiserver/1', runtimeConfig: { 'nonsense/v1': true } }, 'nonsense'],
    [{ actor: 'apiserver/1', runtimeConfig: 'batch/v1=false' }, 'runtimeConfig: expected a mapping'],
    [{ actor: 'etcd/1', runtimeConfig: {} }, 'etcd/1 is no API server'],
    [{ actor: 'apiserver/1', gates: {} }, 'there is no gates'],
  ] as const) {
    const refused = await ask('POST', '/kubesim/v1/restart', body);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toEqual({ message: expect.stringContaining(message) as unknown });
  }
  expect((await jobs('operator/1')).status).toBe(200);
});

test.each([
  [{ routes: [{ server: 'apiserver/7' }] }, 'routes[0].server: expected one by its name'],
  [{ routes: [{ userAgent: 'a' }] }, 'routes[0].server: expected one by its name'],
  [{ routes: [{ agent: 'a', server: 'apiserver/1' }] }, 'routes[0]: there is no agent'],
  [{ routes: {} }, 'routes: expected a list'],
  [{ serverLagMs: { 'apiserver/1': -1 } }, 'serverLagMs.apiserver/1: expected a whole number'],
  [{ memberLagMs: { 'etcd/9': 1 } }, 'memberLagMs: expected one by its name'],
  [{ crashed: ['apiserver/0'] }, 'apiserver/0 serves this path'],
])('faults like %j are refused, and nothing changes', async (body, message) => {
  await control('PUT', 'faults', { routes: ROUTES });
  const answer = await ask('PUT', '/kubesim/v1/faults', body);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toEqual({ message: expect.stringContaining(message) as unknown });
  expect(await control('GET', 'faults')).toMatchObject({ routes: ROUTES });
});
