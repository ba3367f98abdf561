/** What clients of all kinds ask, in their own words. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { EVERY_CONTROLLER } from '../cluster/create-cluster.ts';
import { unwrapEnvelope } from '../api/codec/envelope.ts';
import { serve, type Serving } from './serve.ts';
import { openSpdy } from './spdy/spdy-client.fixture.ts';

const PODS = '/api/v1/namespaces/default/pods';
const METADATA = 'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const BEHAVIOUR = {
  logs: ['up', { text: 'tick', afterSeconds: 1, everySeconds: 1 }],
  exec: { greet: { stdout: 'hello\n', stderr: 'psst\n', exitCode: 3 } },
};

let serving: Serving;
let url: string;

const ask = (path: string, accept: string): Promise<Response> =>
  fetch(`${url}${path}`, { headers: { accept } });

const post = (path: string, body: object): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

beforeAll(async () => {
  serving = await serve({
    bindAddress: '127.0.0.1',
    httpPort: 0,
    seed: 1,
    speed: 10,
    nodes: 1,
    controllers: EVERY_CONTROLLER,
    onDefect: (error) => {
      throw error;
    },
  });
  [url = ''] = serving.urls;
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', annotations: { 'behaviour.kubesim.dev/main': JSON.stringify(BEHAVIOUR) } },
    spec: { nodeName: 'worker-1', containers: [{ name: 'main', image: 'app:1' }] },
  };
  await until(async () => (await post(PODS, pod)).status === 201);
  await until(async () => (await (await ask(`${PODS}/web`, '')).text()).includes('"phase":"Running"'));
});
afterAll(() => serving.stop());

async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('a metadata informer', () => {
  test('watches in protobuf, built-in and custom objects alike', async () => {
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
        ],
      },
    };
    await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    const widgets = '/apis/example.com/v1/namespaces/default/widgets';
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'one' } };
    await until(async () => (await post(widgets, widget)).status === 201);
    for (const [path, name] of [
      [PODS, 'web'],
      [widgets, 'one'],
    ] as const) {
      const response = await ask(`${path}?watch=true&timeoutSeconds=1`, METADATA);
      expect(response.headers.get('content-type')).toBe('application/vnd.kubernetes.protobuf;stream=watch');
      const bytes = new Uint8Array(await response.arrayBuffer());
      const begin = Buffer.from(bytes).indexOf('k8s\0');
      const { apiVersion, kind, raw } = unwrapEnvelope(bytes.subarray(begin));
      expect({ apiVersion, kind }).toEqual({ apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' });
      expect(Buffer.from(raw).includes(name)).toBe(true);
      expect(Buffer.from(raw).includes('app:1')).toBe(false);
    }
  });

  test('is told in JSON what is wrong, as of a Status there is no such view', async () => {
    const response = await ask(`${PODS}/nobody`, METADATA);
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/json']);
  });

  test('that can take a table in JSON too gets that, for tables have no protobuf', async () => {
    const table = 'as=Table;g=meta.k8s.io;v=v1';
    const accept = `application/vnd.kubernetes.protobuf;${table},application/json;${table}`;
    expect((await (await ask(PODS, accept)).json()) as object).toMatchObject({ kind: 'Table' });
    const only = await ask(`${PODS}?watch=1`, `application/vnd.kubernetes.protobuf;${table}`);
    expect(only.status).toBe(406);
  });
});

describe('a client that speaks protobuf', () => {
  const PROTOBUF = 'application/vnd.kubernetes.protobuf';

  test.each([
    ['/version', 406],
    ['/openapi/v2', 406],
    ['/openapi/v3/api/v1', 406],
    ['/.well-known/openid-configuration', 406],
    ['/openapi/v3', 200],
    ['/apis', 200],
  ])('asks for %s and hears %i; as well for JSON, and gets it', async (path, status) => {
    expect((await ask(path, PROTOBUF)).status).toBe(status);
    const response = await ask(path, `${PROTOBUF},application/json`);
    expect(response.status).toBe(200);
  });

  test('hears of custom resources what a real server says', async () => {
    const response = await ask('/apis/example.com/v1/widgets', PROTOBUF);
    expect(response.status).toBe(406);
    expect(await response.text()).toContain(
      'only the following media types are accepted: application/json, ',
    );
  });
});

describe('whoever tries a creation', () => {
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'tried', resourceVersion: '12' },
  };
  const path = '/api/v1/namespaces/default/configmaps';

  test('may leave a version in the object, which then counts for nothing', async () => {
    const response = await post(`${path}?dryRun=All`, configMap);
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ metadata: { resourceVersion: '12' } });
  });

  test('may not leave it there when it is meant', async () => {
    expect((await post(path, configMap)).status).toBe(500);
  });
});

describe('a definition', () => {
  const definition = (rule: string, conversion?: object): object => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'ruled.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'ruled', singular: 'rule', kind: 'Ruled', listKind: 'RuledList' },
      ...(conversion && { conversion }),
      versions: ['v1', 'v2'].map((name) => ({
        name,
        served: true,
        storage: name === 'v1',
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', 'x-kubernetes-validations': [{ rule }] } },
          },
        },
      })),
    },
  });
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

  test('may have rules that make sense', async () => {
    expect((await post(path, definition(' '))).status).toBe(422);
    expect((await post(path, definition('has(self.a)'))).status).toBe(422);
    const webhook = {
      clientConfig: { url: 'https://localhost:1/convert' },
      conversionReviewVersions: ['v1'],
    };
    const response = await post(path, definition('self == self', { strategy: 'Webhook', webhook }));
    expect(response.status).toBe(201);
    expect(response.headers.get('warning')).toBeNull();
  });

  test('with a conversion webhook says what came of calling it', async () => {
    const objects = '/apis/example.com/v1/namespaces/default/ruled';
    const object = { apiVersion: 'example.com/v1', kind: 'Ruled', metadata: { name: 'one' } };
    await until(async () => (await post(objects, object)).status === 201);
    const text = await (await ask(`${objects.replace('v1', 'v2')}/one`, '')).text();
    expect(text).toContain('conversion webhook for example.com/v1, Kind=Ruled failed: Post ');
    expect(text).toContain('connection refused');
  });
});

/** Text of all messages, until there is enough of it or the server has closed. */
function listen(
  path: string,
  protocols: readonly string[],
  isEnough: (text: string) => boolean,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, [...protocols]);
    let text = '';
    socket.on('error', reject);
    socket.on('message', (data: Buffer, isBinary) => {
      text += isBinary ? data.toString() : Buffer.from(data.toString(), 'base64').toString();
      if (isEnough(text)) socket.close();
    });
    socket.on('close', () => resolve(text));
  });
}

describe('a log over a WebSocket', () => {
  test.each([[[]], [['binary.k8s.io']], [['base64.binary.k8s.io']]])(
    'comes whole, in %j',
    async (protocols) => {
      expect(await listen(`${PODS}/web/log?limitBytes=3`, protocols, () => false)).toBe('up\n');
    },
  );

  test('goes on when it is followed', async () => {
    const isEnough = (text: string): boolean => text.split('tick\n').length > 3;
    const text = await listen(`${PODS}/web/log?follow=true&tailLines=1`, [], isEnough);
    expect(isEnough(text)).toBe(true);
  });

  test('of nobody is refused', async () => {
    await expect(listen(`${PODS}/nobody/log`, [], () => false)).rejects.toThrow('404');
  });
});

describe('exec over SPDY/3.1', () => {
  const exec = (query: string): string => `${url}${PODS}/web/exec?${query}`;
  const GREET = 'command=greet&stdout=true&stderr=true';

  test('tells output and outcome, each on its stream', async () => {
    const session = await openSpdy(exec(GREET), ['v4.channel.k8s.io', 'v3.channel.k8s.io']);
    expect(session.protocol).toBe('v4.channel.k8s.io');
    await session.open(1, { streamtype: 'error' });
    await session.open(3, { streamtype: 'stdout' });
    expect(await session.ping(1)).toBe(1);
    await session.open(5, { streamtype: 'stderr' });
    const texts = await session.texts;
    expect([texts.get(3), texts.get(5)]).toEqual(['hello\n', 'psst\n']);
    expect(JSON.parse(texts.get(1) ?? '')).toMatchObject({
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
    });
  });

  test('reads standard input to its end', async () => {
    const session = await openSpdy(exec('command=cat&stdin=true&stdout=true'), ['v4.channel.k8s.io']);
    await session.open(1, { streamtype: 'error' });
    await session.open(3, { streamtype: 'stdin' });
    await session.open(5, { streamtype: 'stdout' });
    session.write(3, 'one\n', false);
    session.write(3, 'two\n', true);
    const texts = await session.texts;
    expect(texts.get(5)).toBe('one\ntwo\n');
    expect(JSON.parse(texts.get(1) ?? '')).toEqual({ metadata: {}, status: 'Success' });
  });

  test('tells the outcome as a text in v2', async () => {
    const session = await openSpdy(exec('command=greet&stdout=true'), ['v2.channel.k8s.io']);
    await session.open(1, { streamtype: 'error' });
    await session.open(3, { streamtype: 'stdout' });
    expect((await session.texts).get(1)).toMatch(/^command terminated with non-zero exit code/);
  });

  test('shows what a container writes, when it is attached to', async () => {
    const session = await openSpdy(`${url}${PODS}/web/attach?stdout=true`, ['v4.channel.k8s.io']);
    await session.open(1, { streamtype: 'error' });
    await session.open(3, { streamtype: 'stdout' });
    setTimeout(() => void session.open(5, { streamtype: 'x'.repeat(200_000) }), 600);
    expect((await session.texts).get(3)).toMatch(/^(tick\n)+$/);
  });

  test('is refused in words', async () => {
    await expect(openSpdy(exec(GREET), [])).rejects.toThrow(
      '400 unable to upgrade: X-Stream-Protocol-Version',
    );
    await expect(openSpdy(exec(GREET), ['v9.channel.k8s.io'])).rejects.toThrow('403 unable to upgrade');
    await expect(openSpdy(exec('command=true'), ['v4.channel.k8s.io'])).rejects.toThrow(
      'you must specify at least 1 of stdin, stdout, stderr',
    );
  });
});

test('a command whose caller is gone finds the end of its input, and goes on', async () => {
  const command = ['sh', '-c', 'cat - > /tmp/sent; echo done >> /tmp/sent'];
  const query = [...command.map((word) => `command=${encodeURIComponent(word)}`), 'stdin=1', 'stdout=1'];
  const socket = new WebSocket(`${url.replace('http', 'ws')}${PODS}/web/exec?${query.join('&')}`, [
    'v4.channel.k8s.io',
  ]);
  await new Promise((resolve) => socket.on('open', resolve));
  socket.send(Buffer.from('\0all of it\n'));
  socket.close();
  const read = (): Promise<string> =>
    listen(`${PODS}/web/exec?command=cat&command=/tmp/sent&stdout=1`, ['v4.channel.k8s.io'], () => false);
  await until(async () => (await read()).includes('all of it\ndone\n'));
});

describe('port-forward', () => {
  const PROBLEM = /^error forwarding port 80 to pod [0-9a-f]+, uid : .* connect: connection refused $/;
  const forward = (name: string): string => `${PODS}/${name}/portforward`;
  const request = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
  const answer = (text: string, status = '200 OK'): string =>
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${text.length}\r\n\r\n${text}`;

  beforeAll(async () => {
    const behaviour = {
      listens: [{ port: 80, paths: { '/hello': 'world', '/a b': { status: 404, body: 'no' } } }],
    };
    const metadata = {
      name: 'page',
      annotations: { 'behaviour.kubesim.dev/main': JSON.stringify(behaviour) },
    };
    const spec = { nodeName: 'worker-1', containers: [{ name: 'main', image: 'app:1' }] };
    await post(PODS, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
    await until(async () => (await (await ask(`${PODS}/page`, '')).text()).includes('"phase":"Running"'));
  });

  test('says at once on its error channel that nobody listens, over a WebSocket', async () => {
    const text = await listen(`${forward('web')}?ports=80`, ['v4.channel.k8s.io'], () => false);
    expect(text.slice(0, 7)).toBe('\0P\0\u0001P\0\u0001');
    expect(text.slice(7)).toMatch(PROBLEM);
  });

  test('and over SPDY, for each connection anew', async () => {
    const session = await openSpdy(`${url}${forward('web')}`, ['portforward.k8s.io']);
    for (const id of [1, 5]) {
      await session.open(id, { streamtype: 'error', port: '80', requestid: String(id) });
      await session.open(id + 2, { streamtype: 'data', port: '80', requestid: String(id) });
    }
    await session.ping(1);
    void session.open(9, { streamtype: 'x'.repeat(200_000) });
    const texts = await session.texts;
    expect([texts.get(1), texts.get(5)]).toEqual([
      expect.stringMatching(PROBLEM),
      expect.stringMatching(PROBLEM),
    ]);
    expect(texts.get(3)).toBe('');
  });

  test('reaches what a container listens on, request after request and side by side', async () => {
    const session = await openSpdy(`${url}${forward('page')}`, ['portforward.k8s.io']);
    for (const id of [1, 5, 9]) {
      await session.open(id, { streamtype: 'error', port: '80', requestid: String(id) });
      await session.open(id + 2, { streamtype: 'data', port: '80', requestid: String(id) });
    }
    session.write(3, request('/hello').slice(0, 9), false);
    session.write(7, `POST /a%20b?c HTTP/1.1\r\ncontent-length: 2\r\n\r\nxx${request('/')}`, true);
    session.write(11, 'what?\r\n\r\n', false);
    session.write(3, request('/hello').slice(9), true);
    const texts = await session.end([3, 7, 11]);
    expect(texts.get(3)).toBe(answer('world'));
    expect(texts.get(7)).toBe(`${answer('no', '404 Not Found')}${answer('page')}`);
    expect(texts.get(11)).toContain('400 Bad Request');
    expect(texts.get(1) ?? '').toBe('');
  });

  test('leaves the client a moment to hang up first', async () => {
    const last = 'GET /hello HTTP/1.1\r\nConnection: close\r\n\r\n';
    const socket = new WebSocket(`${url.replace('http', 'ws')}${forward('page')}?ports=80`, [
      'v4.channel.k8s.io',
    ]);
    const closedByServer = vi.fn();
    socket.on('close', closedByServer);
    socket.on('open', () => socket.send(Buffer.from(`\0${last}`)));
    await new Promise<void>((resolve) =>
      socket.on('message', (bytes: Buffer) => bytes.toString().endsWith('world') && resolve()),
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(closedByServer).not.toHaveBeenCalled();
    await vi.waitFor(() => expect(closedByServer).toHaveBeenCalled(), { timeout: 5_000 });
  });
});

test('a pod whose command is known prints and ends', async () => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'hi' },
    spec: {
      nodeName: 'worker-1',
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: 'any', command: ['sh', '-c'], args: ['echo hi; exit 3'] }],
    },
  };
  expect((await post(PODS, pod)).status).toBe(201);
  let text = '';
  await until(async () => (text = await (await ask(`${PODS}/hi`, '')).text()).includes('"phase":"Failed"'));
  expect(text).toContain('"exitCode":3');
  expect(await (await ask(`${PODS}/hi/log`, '')).text()).toBe('hi\n');
});
