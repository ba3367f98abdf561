import { connect as connectHttp2 } from 'node:http2';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { EVERY_CONTROLLER } from '../cluster/create-cluster.ts';
import { serve, type ServeOptions, type Serving } from './serve.ts';

const OPTIONS: ServeOptions = {
  bindAddress: '127.0.0.1',
  httpPort: 0,
  seed: 1,
  speed: 1,
  patience: { headersMs: 300, requestMs: 600 },
  onDefect: (error) => {
    throw error;
  },
};
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, data: object = {}): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

interface Answered {
  readonly status: number;
  readonly body: string;
}

/** The members of a JSON object that tests look at. */
interface Members {
  readonly [name: string]: unknown;
}

async function send(
  url: string,
  method: string,
  path: string,
  body?: string | Uint8Array,
  contentType = 'application/json',
): Promise<Answered> {
  const headers = body === undefined ? {} : { 'content-type': contentType };
  const response = await fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body }) });
  return { status: response.status, body: await response.text() };
}

describe('a served control plane', () => {
  let serving: Serving;
  let url: string;
  beforeAll(async () => {
    serving = await serve({ ...OPTIONS, securePort: 0 });
    url = serving.urls.find((each) => each.startsWith('http:')) ?? '';
  });
  afterAll(() => serving.stop());

  const isAlive = async (): Promise<boolean> => (await send(url, 'GET', '/readyz')).body === 'ok';

  describe('stays alive and says what is wrong when it is sent', () => {
    test.each([
      ['text that is not JSON', '{"apiVersion": "v1", ', 400],
      ['invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), 400],
      ['a nesting of 100,000 lists', '['.repeat(100_000), 400],
      ['a nesting of 100,000 objects', `{"a":`.repeat(100_000), 400],
    ])('%s', async (_what, body, status) => {
      const answer = await send(url, 'POST', CONFIG_MAPS, body);
      expect(answer.status).toBe(status);
      expect(JSON.parse(answer.body)).toMatchObject({ kind: 'Status', status: 'Failure' });
      expect(await isAlive()).toBe(true);
    });

    test('a YAML bomb', async () => {
      const levels = Array.from({ length: 12 }, (_, level) => {
        const inner = level === 0 ? '"lol"' : Array.from({ length: 10 }, () => `*a${level - 1}`).join(',');
        return `a${level}: &a${level} [${inner}]`;
      });
      const answer = await send(url, 'POST', CONFIG_MAPS, levels.join('\n'), 'application/yaml');
      expect(answer.status).toBe(400);
      expect(await isAlive()).toBe(true);
    });

    test('keys that would reach prototypes', async () => {
      const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"p","labels":{"constructor":"x"}},"data":{"__proto__":"x"},"__proto__":{"isPolluted":true}}`;
      await send(url, 'POST', CONFIG_MAPS, body);
      await send(
        url,
        'PATCH',
        `${CONFIG_MAPS}/p`,
        '{"__proto__":{"isPolluted":true}}',
        'application/merge-patch+json',
      );
      await send(
        url,
        'PATCH',
        `${CONFIG_MAPS}/p`,
        '[{"op":"add","path":"/__proto__/isPolluted","value":true}]',
        'application/json-patch+json',
      );
      expect(Reflect.get({}, 'isPolluted')).toBeUndefined();
      expect(await isAlive()).toBe(true);
    });

    test('a body of 100 MB, which is refused before it has arrived', async () => {
      const before = process.memoryUsage().arrayBuffers;
      const { status, sentBytes, peakBytes } = await sendEndlessly(url, CONFIG_MAPS, 100 * 1024 * 1024);
      expect(status).toBe(413);
      expect(sentBytes).toBeLessThan(100 * 1024 * 1024);
      expect(peakBytes - before).toBeLessThan(60 * 1024 * 1024);
      expect(await isAlive()).toBe(true);
    });

    test('headers that come a byte at a time, and never end', async () => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nhost: x\r\nx-slow: ');
      const drip = setInterval(() => socket.write('a'), 50);
      await closed(socket);
      clearInterval(drip);
      expect(await isAlive()).toBe(true);
    });

    test('a body that never ends', async () => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.write(`POST ${CONFIG_MAPS} HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{`);
      await closed(socket);
      expect(await isAlive()).toBe(true);
    });

    test('500 idle watches', async () => {
      const agent = new Agent({ maxSockets: Infinity });
      const watches = await Promise.all(
        Array.from({ length: 500 }, () => openWatch(`${url}${CONFIG_MAPS}?watch=true`, agent)),
      );
      const heard = Promise.all(watches.map((watch) => firstEventNamed(watch, 'told-to-all')));
      await send(url, 'POST', CONFIG_MAPS, configMap('told-to-all'));
      expect(await heard).toHaveLength(500);
      for (const watch of watches) watch.destroy();
      expect(await isAlive()).toBe(true);
    });
  });

  test('speaks HTTP/2, several requests on one connection', async () => {
    const secure = serving.urls.find((each) => each.startsWith('https:')) ?? '';
    const session = connectHttp2(secure, { rejectUnauthorized: false });
    const ask = (path: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ':path': path });
        let text = '';
        stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        stream.on('end', () => resolve(text)).on('error', reject);
      });
    const [ready, version] = await Promise.all([ask('/readyz'), ask('/version')]);
    session.close();
    expect(ready).toBe('ok');
    expect(JSON.parse(version)).toMatchObject({ major: '1', minor: '31' });
  });

  test('keeps a connection for the next request', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    for (let index = 0; index < 3; index += 1) {
      const response = await new Promise<IncomingMessage>((resolve) =>
        get(`${url}/readyz`, { agent }, resolve),
      );
      ports.add(response.socket.localPort);
      response.resume();
      await new Promise((resolve) => response.on('end', resolve));
    }
    agent.destroy();
    expect(ports.size).toBe(1);
  });

  test('sends a watch over WebSocket, one event in a message', async () => {
    const socket = new WebSocket(
      `${url.replace('http', 'ws')}${CONFIG_MAPS}?watch=true&fieldSelector=metadata.name=by-socket`,
    );
    await new Promise((resolve) => socket.once('open', resolve));
    const message = new Promise<string>((resolve) =>
      socket.once('message', (data: Buffer) => resolve(data.toString())),
    );
    await send(url, 'POST', CONFIG_MAPS, configMap('by-socket'));
    expect(JSON.parse(await message)).toMatchObject({
      type: 'ADDED',
      object: { metadata: { name: 'by-socket' } },
    });
    socket.close();
  });

  test('refuses a WebSocket where there is no watch', async () => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/nothing?watch=true`);
    const error = await new Promise<Error>((resolve) => socket.once('error', resolve));
    expect(error.message).toContain('404');
  });
});

describe('the control path', () => {
  let serving: Serving;
  const control = async (method: string, name: string, body?: object): Promise<Members> => {
    const answer = await send(
      serving.urls[0] ?? '',
      method,
      `/kubesim/v1/${name}`,
      body && JSON.stringify(body),
    );
    return JSON.parse(answer.body) as Members;
  };
  beforeAll(async () => {
    serving = await serve({ ...OPTIONS, speed: 0 });
  });
  afterAll(() => serving.stop());

  test('moves a clock that stands still', async () => {
    const { now } = await control('GET', 'clock');
    expect(await control('GET', 'clock')).toMatchObject({ now, speed: 0 });
    const later = await control('POST', 'clock', { advance: '90s' });
    expect(Date.parse(String(later['now'])) - Date.parse(String(now))).toBe(90_000);
  });

  test('moves by itself, in jumps, while all clients are still', async () => {
    const elapsed = async (): Promise<number> => Number((await control('GET', 'clock'))['elapsedMicros']);
    const before = await elapsed();
    expect(await control('POST', 'clock', { speed: 'auto' })).toMatchObject({ speed: 'auto' });
    const watch = await openWatch(`${serving.urls[0] ?? ''}${CONFIG_MAPS}?watch=true&timeoutSeconds=3600`);
    watch.resume();
    // An hour, which nobody waits for.
    await new Promise((resolve) => watch.on('end', resolve));
    expect((await elapsed()) - before).toBeGreaterThan(3_600_000_000);
    expect(await control('POST', 'clock', { speed: 0 })).toMatchObject({ speed: 0 });
    const stopped = await elapsed();
    await new Promise((resolve) => void setTimeout(resolve, 100));
    expect(await elapsed()).toBe(stopped);
  });

  test('ends a watch whose time is up when the clock is moved', async () => {
    const watch = await openWatch(`${serving.urls[0] ?? ''}${CONFIG_MAPS}?watch=true&timeoutSeconds=600`);
    watch.resume();
    const ended = new Promise((resolve) => watch.on('end', resolve));
    await control('POST', 'clock', { advance: '10m' });
    await ended;
  });

  test('lets a health check fail, and heals it', async () => {
    await control('PUT', 'faults', { failingChecks: ['etcd'] });
    expect((await send(serving.urls[0] ?? '', 'GET', '/readyz')).status).toBe(500);
    await control('PUT', 'faults', {});
    expect((await send(serving.urls[0] ?? '', 'GET', '/readyz')).status).toBe(200);
  });

  test('makes a new world that knows nothing of the old one', async () => {
    await send(serving.urls[0] ?? '', 'POST', CONFIG_MAPS, configMap('old'));
    await control('POST', 'reset');
    expect((await send(serving.urls[0] ?? '', 'GET', `${CONFIG_MAPS}/old`)).status).toBe(404);
  });

  test('shows the trace, the choices and the state', async () => {
    expect(await control('GET', 'trace?tail=3')).toMatchObject({
      digest: expect.any(String) as unknown,
      items: expect.any(Array) as unknown,
    });
    expect(await control('GET', 'choices')).toMatchObject({ items: expect.any(Array) as unknown });
    expect(await control('GET', 'state')).toMatchObject({ seed: 1, objects: { namespaces: 4 } });
  });

  test('describes every operation that it has', async () => {
    const NAMED = /\/(clusters|snapshots)$/;
    const document = await control('GET', 'openapi');
    const paths = document['paths'] as Readonly<Record<string, Members>>;
    for (const [path, operations] of Object.entries(paths)) {
      for (const method of Object.keys(operations)) {
        if (path.endsWith('/reset')) continue;
        if (path.includes('/file')) {
          const refused = await send(serving.urls[0] ?? '', 'GET', `${path}?node=worker-9`);
          expect(JSON.parse(refused.body)).toEqual({ message: 'node: there is no node worker-9' });
          continue;
        }
        if (path.endsWith('/restore')) {
          const refused = await send(serving.urls[0] ?? '', 'POST', path, '{"archive":"/x"}');
          expect(JSON.parse(refused.body)).toEqual({ message: 'from: expected a text' });
          continue;
        }
        if (path.endsWith('/restart')) {
          const refused = await send(serving.urls[0] ?? '', 'POST', path, '{"actor":"nobody"}');
          expect(refused.status).toBe(400);
          expect(refused.body).toContain('nobody');
          continue;
        }
        if (path.endsWith('/leader')) {
          const refused = await send(serving.urls[0] ?? '', 'POST', path, '{}');
          expect(refused.body).toContain('the storage has no members');
          continue;
        }
        // What was made by a name is ended by it.
        const target = method === 'delete' ? `${path}?name=described` : path;
        const said = path.endsWith('/clock') ? { speed: 0 } : NAMED.test(path) ? { name: 'described' } : {};
        const body = method === 'get' || method === 'delete' ? undefined : JSON.stringify(said);
        expect((await send(serving.urls[0] ?? '', method.toUpperCase(), target, body)).status).toBe(200);
      }
    }
  });

  test('says what is wrong with a request', async () => {
    expect(await control('POST', 'clock', { advance: 'soon' })).toEqual({
      message: 'advance: expected a duration such as "90s", or milliseconds',
    });
    expect((await send(serving.urls[0] ?? '', 'GET', '/kubesim/v1/nothing')).status).toBe(404);
    expect((await send(serving.urls[0] ?? '', 'DELETE', '/kubesim/v1/clock')).status).toBe(405);
  });
});

describe('a served cluster', () => {
  let serving: Serving;
  let url: string;
  const PODS = '/api/v1/namespaces/default/pods';
  const read = async (path: string): Promise<Members> =>
    JSON.parse((await send(url, 'GET', path)).body) as Members;
  const advance = (span: string): Promise<Answered> =>
    send(url, 'POST', '/kubesim/v1/clock', JSON.stringify({ advance: span }));
  const isReady = async (name: string): Promise<string | undefined> => {
    const { status } = await read(`/api/v1/nodes/${name}`);
    const { conditions } = status as { readonly conditions: readonly { type: string; status: string }[] };
    return conditions.find(({ type }) => type === 'Ready')?.status;
  };
  const runPod = (name: string, nodeName: string): Promise<Answered> => {
    const behaviour = { logs: ['one', 'two'], runsForSeconds: 100 };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, annotations: { 'behaviour.kubesim.dev/c': JSON.stringify(behaviour) } },
      spec: { nodeName, restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
    };
    return send(url, 'POST', PODS, JSON.stringify(pod));
  };
  /** What nodes have to say comes over a network, which takes time. */
  const sendWhileTimePasses = async (path: string, step = '1s'): Promise<Answered> => {
    let isAnswered = false;
    const answer = send(url, 'GET', path).finally(() => (isAnswered = true));
    while (!isAnswered) await advance(step);
    return answer;
  };
  beforeAll(async () => {
    serving = await serve({ ...OPTIONS, speed: 0, nodes: 2, controllers: EVERY_CONTROLLER });
    url = serving.urls[0] ?? '';
    await advance('30s');
    await runPod('p', 'worker-1');
    await advance('10s');
  });
  afterAll(() => serving.stop());

  test('has nodes that become ready, and a pod that runs on one', async () => {
    expect([await isReady('worker-1'), await isReady('worker-2')]).toEqual(['True', 'True']);
    expect(await read(`${PODS}/p`)).toMatchObject({ status: { phase: 'Running' } });
  });

  test('tells what a container has written', async () => {
    expect(await sendWhileTimePasses(`${PODS}/p/log`)).toEqual({ status: 200, body: 'one\ntwo\n' });
    expect((await sendWhileTimePasses(`${PODS}/p/log?tailLines=1`)).body).toBe('two\n');
    expect((await sendWhileTimePasses(`${PODS}/p/log?previous=true`)).body).toContain(
      'previous terminated container \\"c\\" in pod \\"p\\" not found',
    );
  });

  test('passes requests on to the agent of a node', async () => {
    const path = '/api/v1/nodes/worker-1/proxy/pods';
    const { body } = await sendWhileTimePasses(path);
    expect(JSON.parse(body)).toMatchObject({ kind: 'PodList', items: [{ metadata: { name: 'p' } }] });
  });

  test('loses a node to a fault, and has it again', async () => {
    const faults = (wanted: object): Promise<Answered> =>
      send(url, 'PUT', '/kubesim/v1/faults', JSON.stringify(wanted));
    expect(JSON.parse((await faults({ partitioned: ['worker-2'] })).body)).toMatchObject({
      partitioned: ['node/worker-2'],
    });
    await advance('60s');
    expect(await isReady('worker-2')).toBe('Unknown');
    expect((await faults({ crashed: ['worker-1'] })).status).toBe(200);
    await advance('15s');
    expect(await isReady('worker-2')).toBe('True');
    const { status, body } = await sendWhileTimePasses(`${PODS}/p/log`);
    expect([status, body]).toEqual([500, expect.stringContaining('connection refused')]);
    await faults({});
    await advance('60s');
    expect(await isReady('worker-1')).toBe('True');
    expect((await faults({ crashed: ['apiserver/0'] })).status).toBe(400);
    expect((await faults({ crashed: ['worker-9'] })).body).toContain('there is no actor');
  });

  test('lets chosen requests fail, those of clients as those of nodes, and no more once it is told so', async () => {
    const faults = (requests: unknown): Promise<Answered> =>
      send(url, 'PUT', '/kubesim/v1/faults', JSON.stringify({ requests }));
    const maps = '/api/v1/namespaces/default/configmaps';
    const create = async (name: string): Promise<number> =>
      (await send(url, 'POST', maps, JSON.stringify({ metadata: { name } }))).status;
    const second = { kind: 'fail', verb: 'create', resource: 'configmaps', nth: 2, status: 503 };
    for (const round of ['a', 'b']) {
      expect(JSON.parse((await faults([second])).body)).toMatchObject({ requests: [second] });
      expect([await create(`${round}1`), await create(`${round}2`), await create(`${round}2`)]).toEqual([
        201, 503, 201,
      ]);
      await faults([]);
    }
    await faults([{ kind: 'loseAnswer', verb: 'create', resource: 'configmaps', count: 1 }]);
    await expect(create('c')).rejects.toThrow();
    expect(await create('c')).toBe(409);
    await faults([{ kind: 'crashAfter', actor: 'node/worker-1', verb: 'update', resource: 'leases' }]);
    await advance('30s');
    const state = JSON.parse((await send(url, 'GET', '/kubesim/v1/faults')).body) as { crashed: string[] };
    expect(state.crashed).toEqual(['node/worker-1']);
    await faults([]);
    await advance('30s');
    expect((await faults([{ kind: 'fial' }])).body).toContain('requests[0].kind: expected one of fail');
    expect((await faults([{ kind: 'fail', verbs: 'get' }])).body).toContain('there is no verbs');
    expect((await faults([{ kind: 'fail', actor: 'node/w' }])).body).toContain('there is no actor');
  });

  test('follows a log to the end of the container', async () => {
    await runPod('f', 'worker-2');
    await advance('10s');
    expect(await sendWhileTimePasses(`${PODS}/f/log?follow=true`, '10s')).toEqual({
      status: 200,
      body: 'one\ntwo\n',
    });
    expect(await read(`${PODS}/f`)).toMatchObject({ status: { phase: 'Succeeded' } });
  });

  test('begins anew with as many nodes after a reset', async () => {
    await send(url, 'POST', '/kubesim/v1/reset');
    await advance('30s');
    expect(await isReady('worker-2')).toBe('True');
    expect(await read(PODS)).toMatchObject({ items: [] });
  });
});

test('only administrators steer a world with access rules', async () => {
  const serving = await serve({ ...OPTIONS, authorizationMode: 'RBAC' });
  expect((await send(serving.urls[0] ?? '', 'GET', '/kubesim/v1/clock')).status).toBe(403);
  await serving.stop();
});

test('a server that stops ends its watches and leaves what it has on disk to the next', async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'served-'));
  const first = await serve({ ...OPTIONS, dataDirectory });
  await send(first.urls[0] ?? '', 'POST', CONFIG_MAPS, configMap('kept'));
  const watch = await openWatch(`${first.urls[0] ?? ''}${CONFIG_MAPS}?watch=true`);
  watch.resume();
  const ended = new Promise((resolve) => watch.on('end', resolve));
  await first.stop();
  await ended;
  const second = await serve({ ...OPTIONS, dataDirectory });
  expect((await send(second.urls[0] ?? '', 'GET', `${CONFIG_MAPS}/kept`)).status).toBe(200);
  await second.stop();
  rmSync(dataDirectory, { recursive: true });
});

const openWatch = (url: string, agent = new Agent()): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => get(url, { agent }, resolve).on('error', reject));

const firstEventNamed = (watch: IncomingMessage, name: string): Promise<string> =>
  new Promise((resolve) => {
    watch.setEncoding('utf8').on('data', (text: string) => {
      if (text.includes(name)) resolve(text);
    });
    watch.on('error', () => undefined);
  });

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.on('error', () => undefined).resume();
    socket.on('close', () => resolve());
  });

/** Sends zeros until the server answers. */
function sendEndlessly(
  url: string,
  path: string,
  length: number,
): Promise<{ status: number; sentBytes: number; peakBytes: number }> {
  return new Promise((resolve, reject) => {
    const chunk = Buffer.alloc(64 * 1024, 0x20);
    let sentBytes = 0;
    let peakBytes = 0;
    let isAnswered = false;
    const sent = httpRequest(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': length },
    });
    sent.on('response', ({ statusCode = 0 }) => {
      isAnswered = true;
      sent.destroy();
      resolve({ status: statusCode, sentBytes, peakBytes });
    });
    sent.on('error', (error) => {
      if (!isAnswered) reject(error);
    });
    const pump = (): void => {
      while (!isAnswered && sentBytes < length) {
        sentBytes += chunk.length;
        peakBytes = Math.max(peakBytes, process.memoryUsage().arrayBuffers);
        if (!sent.write(chunk)) {
          sent.once('drain', pump);
          return;
        }
      }
    };
    pump();
  });
}
