/** Aggregated servers that are real HTTPS servers: they believe the one that asks by its certificate, as delegated authentication does. */
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Authority } from './certificates.ts';
import { serve, type Serving } from './serve.ts';

interface Asked {
  readonly path: string | undefined;
  readonly headers: readonly string[];
  readonly peer: unknown;
}

const asked: Asked[] = [];
let backend: Server;
let serving: Serving;
let url: string;

/** Names and values of headers that say who asks, in their order. */
const remoteHeaders = (raw: readonly string[]): readonly string[] =>
  raw.flatMap((name, index) =>
    index % 2 === 0 && /^x-remote/i.test(name) ? [`${name.toLowerCase()}: ${raw[index + 1]}`] : [],
  );

const EVENT = `${JSON.stringify({ type: 'ADDED', object: { kind: 'Foo', metadata: { name: 'a' } } })}\n`;
let readersGone = 0;

/** Two events apart, and then the end, or the end of the connection. */
function tellTides(response: ServerResponse, fails: boolean): void {
  response.on('close', () => (readersGone += 1));
  response.writeHead(200, { 'content-type': 'application/json', 'x-backend': 'yes' }).write(EVENT);
  setTimeout(() => {
    response.write(EVENT);
    setTimeout(() => (fails ? response.destroy() : response.end()), 20);
  }, 200);
}

beforeAll(async () => {
  const files = await (await Authority.create()).serverCertificate(['backend.default.svc']);
  backend = createServer({ ...files, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    const socket = request.socket as TLSSocket;
    const { subject } = socket.getPeerCertificate();
    if (request.url?.includes('watch=') === true) return tellTides(response, request.url.includes('fails='));
    asked.push({ path: request.url, headers: remoteHeaders(request.rawHeaders), peer: subject?.CN });
    const resources = [{ name: 'foos', namespaced: true, kind: 'Foo', singularName: '', verbs: ['list'] }];
    const body = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'x.io/v1', resources };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => void backend.listen(0, '127.0.0.1', resolve));
  const { port } = backend.address() as AddressInfo;
  serving = await serve({
    bindAddress: '127.0.0.1',
    httpPort: 0,
    securePort: 0,
    isProxyKnown: true,
    seed: 1,
    speed: 1,
    nodes: 0,
    webhookForwards: new Map([['default/backend', `https://127.0.0.1:${port}`]]),
    onDefect: (error) => {
      throw error;
    },
  });
  url = serving.urls.find((each) => each.startsWith('http:')) ?? '';
});

afterAll(async () => {
  await serving.stop();
  backend.closeAllConnections();
  backend.close();
});

async function send(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, object: (await answer.json()) as Record<string, unknown> };
}

test('it is asked on behalf of users, by a certificate of the authority that it is told of, whatever it shows itself', async () => {
  await send('POST', '/api/v1/namespaces/default/services', {
    metadata: { name: 'backend' },
    spec: { ports: [{ port: 443 }], selector: { app: 'nobody' } },
  });
  await send('POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
    metadata: { name: 'v1.x.io' },
    spec: {
      ...{ group: 'x.io', version: 'v1', groupPriorityMinimum: 100, versionPriority: 100 },
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name: 'backend' },
    },
  });
  const path = '/apis/x.io/v1/namespaces/default/foos';
  const impersonation = {
    'impersonate-user': 'jane',
    'impersonate-group': 'a,b',
    'impersonate-extra-example.com%2fScopes': 'view',
  };
  await vi.waitFor(async () => expect((await send('GET', path, undefined, impersonation)).status).toBe(200), {
    timeout: 20_000,
  });
  expect(asked.find((each) => each.path === '/apis/x.io/v1')).toEqual({
    path: '/apis/x.io/v1',
    headers: ['x-remote-user: system:kube-aggregator', 'x-remote-group: system:masters'],
    peer: 'front-proxy-client',
  });
  expect(asked.find((each) => each.path === path)).toEqual({
    path,
    headers: [
      'x-remote-user: jane',
      'x-remote-group: a,b',
      'x-remote-group: system:authenticated',
      'x-remote-extra-example.com%2fscopes: view',
    ],
    peer: 'front-proxy-client',
  });
});

test('what it says bit by bit is passed on as it comes, with its headers, to its end', async () => {
  const answer = await fetch(`${url}/apis/x.io/v1/foos?watch=1`);
  expect(answer.headers.get('x-backend')).toBe('yes');
  const pieces: string[] = [];
  for await (const piece of answer.body ?? []) pieces.push(new TextDecoder().decode(piece));
  expect(pieces).toEqual([EVENT, EVENT]);
});

test('what breaks off there breaks off here', async () => {
  const answer = await fetch(`${url}/apis/x.io/v1/foos?watch=1&fails=1`);
  await expect(answer.text()).rejects.toThrow('terminated');
});

test('who goes away is gone for it too', async () => {
  const before = readersGone;
  const abort = new AbortController();
  await fetch(`${url}/apis/x.io/v1/foos?watch=1`, { signal: abort.signal });
  abort.abort();
  await vi.waitFor(() => expect(readersGone).toBe(before + 1), { timeout: 150, interval: 10 });
});

test('whom to believe is told in a ConfigMap that is kept as it is to be', async () => {
  const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
  const read = async () => (await send('GET', path)).object['data'] as Record<string, string>;
  const first = await read();
  expect(first).toMatchObject({
    'client-ca-file': expect.stringMatching(/^-----BEGIN CERTIFICATE-----\n[^]*-----END CERTIFICATE-----\n$/),
    'requestheader-client-ca-file': expect.stringContaining('-----BEGIN CERTIFICATE-----\n'),
    'requestheader-allowed-names': '["front-proxy-client"]',
    'requestheader-username-headers': '["X-Remote-User"]',
  });
  expect(first['requestheader-client-ca-file']).not.toBe(first['client-ca-file']);
  await send('DELETE', path);
  await vi.waitFor(async () => expect(await read()).toEqual(first));
  await send(
    'PATCH',
    path,
    { data: { own: 'x', 'requestheader-allowed-names': '["other"]' } },
    { 'content-type': 'application/merge-patch+json' },
  );
  await vi.waitFor(async () => expect(await read()).toEqual({ ...first, own: 'x' }));
});

test('metrics tell which cannot be reached, and how often each was lost', async () => {
  const lines = async (): Promise<readonly string[]> =>
    (await (await fetch(`${url}/metrics`)).text())
      .split('\n')
      .filter((line) => line.startsWith('aggregator_unavailable') && line.includes('"v1.x.io"'));
  const callBy = (name: string) =>
    send(
      'PATCH',
      '/apis/apiregistration.k8s.io/v1/apiservices/v1.x.io',
      { spec: { service: { namespace: 'default', name } } },
      { 'content-type': 'application/merge-patch+json' },
    );
  const gauge = (value: number): string => `aggregator_unavailable_apiservice{name="v1.x.io"} ${value}`;
  const lost = (times: number): string =>
    `aggregator_unavailable_apiservice_total{name="v1.x.io",reason="ServiceNotFound"} ${times}`;
  await vi.waitFor(async () => expect(await lines()).toEqual([gauge(0)]));
  for (const times of [1, 2]) {
    await callBy('nobody');
    await vi.waitFor(async () => expect(await lines()).toEqual([gauge(1), lost(times)]));
    await callBy('backend');
    await vi.waitFor(async () => expect(await lines()).toEqual([gauge(0), lost(times)]));
  }
});

test('a metric tells how often the document of all groups was made', async () => {
  const count = async (): Promise<number> => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^aggregator_discovery_aggregation_count_total (\d+)$/m.exec(text)?.[1]);
  };
  const accept = 'application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io';
  const look = async (root: string): Promise<void> => {
    await (await fetch(`${url}${root}`, { headers: { accept } })).text();
  };
  await look('/apis');
  const before = await count();
  expect(before).toBeGreaterThan(0);
  for (const root of ['/apis', '/api']) await look(root);
  expect(await count()).toBe(before);
});
