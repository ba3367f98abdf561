/** Requests to change the protocol that aggregated servers answer: a WebSocket, a refusal, and what is neither. */
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { Authority } from './certificates.ts';
import { serve, type Serving } from './serve.ts';

let backend: Http2SecureServer;
let serving: Serving;
let url: string;
const asked: IncomingMessage[] = [];
const sockets = new Set<Socket>();
const protocols = new Set<unknown>();

const PATH = '/apis/x.io/v1/namespaces/default/foos';

function answer(request: IncomingMessage, socket: Duplex, head: Buffer): void {
  asked.push(request);
  protocols.add((request.socket as Socket & { readonly alpnProtocol?: unknown }).alpnProtocol);
  const text: Readonly<Record<string, string>> = {
    refused: 'HTTP/1.1 403 Forbidden\r\nContent-Length: 3\r\nX-Backend: yes\r\n\r\nno\n',
    plain: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}',
    moved: 'HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n',
    garbage: 'hello\r\n\r\n',
    nothing: '',
  };
  const name = /[^/?]*(?=\?|$)/.exec(request.url?.split('/').at(-1) ?? '')?.[0] ?? '';
  const said = text[name];
  if (said !== undefined) socket.end(said);
  else if (name === 'spdy') {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
    socket.write(head);
    socket.on('data', (bytes) => socket.write(bytes));
  } else
    new WebSocketServer({ noServer: true }).handleUpgrade(request, socket, head, (webSocket) =>
      webSocket.on('message', (data: Buffer) => webSocket.send(`you said ${data.toString()}`)),
    );
}

beforeAll(async () => {
  const files = await (await Authority.create()).serverCertificate(['backend.default.svc']);
  backend = createSecureServer({ ...files, allowHTTP1: true }, (_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end('{"kind":"APIResourceList","resources":[]}');
  });
  backend.on('upgrade', answer);
  backend.on('secureConnection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => void backend.listen(0, '127.0.0.1', resolve));
  const { port } = backend.address() as AddressInfo;
  serving = await serve({
    bindAddress: '127.0.0.1',
    httpPort: 0,
    seed: 1,
    speed: 1,
    nodes: 0,
    webhookForwards: new Map([['default/backend', `https://127.0.0.1:${port}`]]),
    onDefect: (error) => {
      throw error;
    },
  });
  [url = ''] = serving.urls;
  const send = (path: string, body: object): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await send('/api/v1/namespaces/default/services', {
    metadata: { name: 'backend' },
    spec: { ports: [{ port: 443 }], selector: { app: 'nobody' } },
  });
  await send('/apis/apiregistration.k8s.io/v1/apiservices', {
    metadata: { name: 'v1.x.io' },
    spec: {
      ...{ group: 'x.io', version: 'v1', groupPriorityMinimum: 100, versionPriority: 100 },
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name: 'backend' },
    },
  });
  await vi.waitFor(async () => expect((await fetch(`${url}${PATH}`)).status).toBe(200), { timeout: 20_000 });
});

afterAll(async () => {
  await serving.stop();
  for (const socket of sockets) socket.destroy();
  backend.close();
});

/** What comes back to a request as it stands, until the other one ends it, or says enough. */
function raw(path: string, { upgrade = 'websocket', body = '', until = '' } = {}): Promise<string> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\nX-Own: 1\r\nX-Remote-User: root\r\n\r\n${body}`,
      ),
    );
    socket.setEncoding('utf8').on('data', (piece) => {
      text += piece;
      if (until !== '' && text.includes(until)) socket.destroy();
    });
    socket.on('close', () => resolve(text)).on('error', reject);
  });
}

test('a WebSocket goes through to who answers, both ways, over HTTP/1.1, on behalf of who asks', async () => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${PATH}/a/exec?command=ls`);
  const said: string[] = [];
  socket.on('message', (data: Buffer) => said.push(data.toString()));
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send('one');
  socket.send('two');
  await vi.waitFor(() => expect(said).toEqual(['you said one', 'you said two']));
  const request = asked.at(-1);
  expect(request?.url).toBe(`${PATH}/a/exec?command=ls`);
  expect(request?.headers).toMatchObject({
    'x-remote-user': 'system:anonymous',
    'x-forwarded-for': expect.stringContaining('127.0.0.1'),
    'audit-id': expect.any(String),
    upgrade: 'websocket',
  });
  expect(protocols).toEqual(new Set(['http/1.1']));
  const gone = new Promise((resolve) => socket.once('close', resolve));
  asked.at(-1)?.socket.destroy();
  await gone;
});

test('so does any other protocol, with what was said before the answer', async () => {
  const text = await raw(`${PATH}/spdy`, { upgrade: 'SPDY/3.1', body: 'early', until: 'early' });
  expect(text).toBe(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\nearly',
  );
  expect(asked.at(-1)?.headers['x-own']).toBe('1');
  expect(asked.at(-1)?.headers['x-remote-user']).toBe('system:anonymous');
});

test('a refusal is told as it was said, and what is neither is an error of who answers', async () => {
  expect(await raw(`${PATH}/refused`)).toBe(
    'HTTP/1.1 403 Forbidden\r\nContent-Length: 3\r\nX-Backend: yes\r\n\r\nno\n',
  );
  const told: Readonly<Record<string, string>> = {
    plain: 'invalid upgrade response: status code 200\n',
    moved: 'invalid upgrade response: status code 302\n',
    garbage: 'malformed HTTP response "hello"\n',
    nothing: 'unexpected EOF\n',
  };
  for (const [name, message] of Object.entries(told)) {
    const text = await raw(`${PATH}/${name}`);
    expect(text, name).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
    expect(text.slice(text.indexOf('\r\n\r\n') + 4), name).toBe(message);
  }
});
