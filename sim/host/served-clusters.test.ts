import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { serve, type Serving } from './serve.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

let serving: Serving;
beforeAll(async () => {
  serving = await serve({
    bindAddress: '127.0.0.1',
    httpPort: 0,
    seed: 1,
    speed: 0,
    onDefect: (error) => {
      throw error;
    },
  });
});
afterAll(() => serving.stop());

const ask = async (
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: unknown }> => {
  const answer = await fetch(`${serving.urls[0] ?? ''}${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
};
const make = (name: string, cluster = ''): Promise<{ status: number }> =>
  ask('POST', `${cluster}${CONFIG_MAPS}`, { metadata: { name } });
const namesIn = async (cluster = ''): Promise<readonly string[]> => {
  const { body } = await ask('GET', `${cluster}${CONFIG_MAPS}`);
  const { items } = body as { items: readonly { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt');
};
const control = (method: string, name: string, body?: object, cluster = '') =>
  ask(method, `${cluster}/kubesim/v1/${name}`, body);

describe('clusters beside the one of the port', () => {
  test('know nothing of each other, and have a control path of their own', async () => {
    expect(await control('POST', 'clusters', { name: 'a' })).toMatchObject({ status: 200 });
    await control('POST', 'clusters', { name: 'b', seed: 7 });
    expect((await control('GET', 'clusters')).body).toEqual({ items: ['a', 'b'] });
    await make('main');
    await make('one', '/clusters/a');
    expect([await namesIn(), await namesIn('/clusters/a'), await namesIn('/clusters/b')]).toEqual([
      ['main'],
      ['one'],
      [],
    ]);
    await control('PUT', 'faults', { requests: [{ kind: 'fail', status: 503 }] }, '/clusters/a');
    expect((await make('two', '/clusters/a')).status).toBe(503);
    expect((await make('two', '/clusters/b')).status).toBe(201);
    await control('POST', 'clock', { advance: '1h' }, '/clusters/b');
    const elapsed = async (cluster: string): Promise<unknown> =>
      Reflect.get((await control('GET', 'clock', undefined, cluster)).body as object, 'elapsedMicros');
    expect(await elapsed('/clusters/b')).toBe(3_600_000_000);
    expect(await elapsed('/clusters/a')).toBe(0);
    expect((await control('GET', 'state', undefined, '/clusters/b')).body).toMatchObject({ seed: 7 });
  });

  test('are watched, also through WebSockets, and end', async () => {
    await control('POST', 'clusters', { name: 'w' });
    const url = (serving.urls[0] ?? '').replace('http', 'ws');
    const socket = new WebSocket(`${url}/clusters/w${CONFIG_MAPS}?watch=true`);
    const heard: string[] = [];
    socket.on('message', (data: Buffer) => heard.push(data.toString()));
    await new Promise((resolve) => socket.on('open', resolve));
    await make('seen', '/clusters/w');
    await make('elsewhere');
    await expect.poll(() => heard.length).toBe(1);
    expect(heard[0]).toContain('"name":"seen"');
    const closed = new Promise((resolve) => socket.on('close', resolve));
    await control('DELETE', 'clusters?name=w');
    await closed;
    expect((await ask('GET', `/clusters/w${CONFIG_MAPS}`)).status).toBe(404);
    expect((await control('DELETE', 'clusters?name=w')).status).toBe(400);
  });

  test.each(['A', '', '../x', 'a/b'])('are not called %j', async (name) => {
    expect((await control('POST', 'clusters', { name })).status).toBe(400);
  });
});

describe('a snapshot', () => {
  test('is what a cluster begins with again, and others', async () => {
    await control('POST', 'reset');
    await make('kept');
    const before = (await ask('GET', `${CONFIG_MAPS}/kept`)).body;
    await control('POST', 'clock', { advance: '30s' });
    expect((await control('POST', 'snapshots', { name: 's' })).body).toMatchObject({
      items: [{ name: 's' }],
    });
    await make('later');
    await control('POST', 'clusters', { name: 'fork', snapshot: 's' });
    await control('POST', 'reset', { snapshot: 's' });
    for (const cluster of ['', '/clusters/fork']) {
      expect(await namesIn(cluster)).toEqual(['kept']);
      expect((await ask('GET', `${cluster}${CONFIG_MAPS}/kept`)).body).toEqual(before);
    }
    await make('more', '/clusters/fork');
    expect(await namesIn()).toEqual(['kept']);
    // A watch goes on from a version that was seen before.
    const { resourceVersion } = (before as { metadata: { resourceVersion: string } }).metadata;
    const list = await ask(
      'GET',
      `${CONFIG_MAPS}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`,
    );
    expect(list.status).toBe(200);
  });

  test('that there is not is refused, and the world goes on', async () => {
    await make('still');
    expect(await control('POST', 'reset', { snapshot: 'none' })).toMatchObject({ status: 400 });
    expect(await namesIn()).toContain('still');
    expect(await control('DELETE', 'snapshots?name=none')).toMatchObject({ status: 400 });
  });
});
