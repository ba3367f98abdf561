import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { serve, type Serving } from './serve.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const JSON_TYPE = { 'content-type': 'application/json' };

describe('a hostile client', () => {
  let serving: Serving;
  let url: string;
  const defects: string[] = [];
  beforeAll(async () => {
    serving = await serve({
      bindAddress: '127.0.0.1',
      httpPort: 0,
      securePort: 0,
      seed: 1,
      speed: 1,
      allowedHosts: ['cluster.test'],
      patience: { headersMs: 1_000, requestMs: 2_000 },
      onDefect: (error) => void defects.push(String(error).slice(0, 300)),
    });
    url = serving.urls.find((each) => each.startsWith('http:')) ?? '';
  });
  afterAll(() => serving.stop());
  beforeEach(async () => {
    defects.length = 0;
    await fetch(`${url}${CONFIG_MAPS}`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' } }),
    });
  });

  /** All that comes back until the connection ends, or nothing more comes. */
  const raw = async (...packets: readonly string[]): Promise<string> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (data) => (answer += data.toString('latin1')));
    socket.on('error', () => undefined);
    for (const packet of packets) {
      socket.write(packet, 'latin1');
      await sleep(20);
    }
    for (let waits = 0; answer === '' && !socket.destroyed && waits < 100; waits++) await sleep(50);
    for (let seen = -1; seen !== answer.length && !socket.destroyed; await sleep(250)) seen = answer.length;
    socket.destroy();
    return answer;
  };
  const statusesOf = (answer: string): readonly string[] =>
    [...answer.matchAll(/HTTP\/1\.1 ([0-9]{3})/g)].map(([, status = '']) => status);
  const exists = async (name: string): Promise<boolean> =>
    (await fetch(`${url}${CONFIG_MAPS}/${name}`)).status === 200;
  const withBody = (method: string, path: string, body: string): string =>
    `${method} ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

  test.each([
    'JUNK\r\n\r\n',
    'JUNK / HTTP/1.1\r\nhost: x\r\n\r\n',
    'DELETE',
    '\0\0\0\0',
    'GET / HTTP/9.9\r\n\r\n',
  ])('does not run a request again with what follows it (%j)', async (junk) => {
    const dryRun = '{"apiVersion":"v1","kind":"DeleteOptions","dryRun":["All"]}';
    const answer = await raw(withBody('DELETE', `${CONFIG_MAPS}/cm`, dryRun) + junk);
    expect(statusesOf(answer)[0]).toBe('200');
    const refusals = junk === 'DELETE' ? [] : [junk.includes('HTTP/9') ? '505' : '400'];
    expect(statusesOf(answer).slice(1)).toEqual(refusals);
    expect(await exists('cm')).toBe(true);
  });

  test('who never reads a watch is cut off, and its connection ends though it does not learn of it', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`GET ${CONFIG_MAPS}?watch=true HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    await new Promise((resolve) => void socket.once('data', resolve));
    socket.pause();
    const text = 'x'.repeat(20_000);
    for (let serial = 0; serial < 1_250; serial++) {
      await fetch(`${url}${CONFIG_MAPS}/cm`, {
        method: 'PUT',
        headers: JSON_TYPE,
        body: JSON.stringify({ metadata: { name: 'cm' }, data: { text, serial: String(serial) } }),
      });
    }
    await sleep(4_500);
    let answer = '';
    socket.on('data', (data) => (answer = (answer + data.toString('latin1')).slice(-100)));
    const closed = new Promise((resolve) => void socket.once('close', resolve));
    socket.resume();
    await closed;
    expect(answer).not.toMatch(/\r\n0\r\n\r\n$/);
    expect(defects).toEqual([]);
  }, 60_000);

  test('may name the whole URL, and is held to its host', async () => {
    const get = (target: string): Promise<string> => raw(`GET ${target} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    expect(statusesOf(await get(`http://localhost${CONFIG_MAPS}/cm`))).toEqual(['200']);
    expect(statusesOf(await get('http://localhost?x'))).toEqual(['200']);
    expect(statusesOf(await get(`http://evil.test${CONFIG_MAPS}/cm`))).toEqual(['403']);
    expect(await raw('OPTIONS * HTTP/1.1\r\nhost: localhost\r\n\r\n')).toMatch(
      /200 OK\r\ncontent-length: 0/i,
    );
  });

  test('gets the API answer to a method nobody knows', async () => {
    const answer = await raw(`BREW ${CONFIG_MAPS} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    expect(statusesOf(answer)).toEqual(['405']);
    expect(answer).toContain('"reason":"MethodNotAllowed"');
  });

  test('is answered in the order in which it asked, and later requests see earlier ones', async () => {
    const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"first"}}';
    const get = `GET ${CONFIG_MAPS}/first HTTP/1.1\r\nhost: localhost\r\n\r\n`;
    const remove = `DELETE ${CONFIG_MAPS}/first HTTP/1.1\r\nhost: localhost\r\n\r\n`;
    const answer = await raw(get + withBody('POST', CONFIG_MAPS, body) + get + remove + get);
    expect(statusesOf(answer)).toEqual(['404', '201', '200', '200', '404']);
  });

  test('may send a thousand requests ahead', async () => {
    const answer = await raw('GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(1_000));
    expect(statusesOf(answer)).toHaveLength(1_000);
  });

  test('may send headers and URLs of a megabyte, and not more', async () => {
    const half = 'a'.repeat(500_000);
    expect(
      statusesOf(await raw(`GET /readyz?${half} HTTP/1.1\r\nhost: localhost\r\nx: ${half}\r\n\r\n`)),
    ).toEqual(['200']);
    expect(
      statusesOf(await raw(`GET /readyz HTTP/1.1\r\nhost: localhost\r\nx: ${half}${half}${half}\r\n\r\n`)),
    ).toEqual(['431']);
  });

  test.each([
    'GET /readyz HTTP/1.1\r\nhost : x\r\n\r\n',
    'GET readyz HTTP/1.1\r\nhost: localhost\r\n\r\n',
    'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: -5\r\n\r\n',
    '\x16\x03\x01\x02\x00',
  ])('gets a 400 for what is no HTTP (%j)', async (request) => {
    expect(statusesOf(await raw(request))).toEqual(['400']);
  });

  test.each([
    [504, `${CONFIG_MAPS}?resourceVersion=9007199254740993`],
    [504, `${CONFIG_MAPS}/cm?resourceVersion=18446744073709551615`],
    [500, `${CONFIG_MAPS}?resourceVersion=9007199254740992&resourceVersionMatch=Exact`],
    [504, `${CONFIG_MAPS}?resourceVersion=18446744073709551615&limit=5`],
    [504, `${CONFIG_MAPS}?resourceVersion=9223372036854775807&resourceVersionMatch=NotOlderThan&limit=5`],
    [200, `${CONFIG_MAPS}?limit=9223372036854775807`],
    [200, `${CONFIG_MAPS}?watch=true&resourceVersion=9007199254740993&timeoutSeconds=1`],
    [200, `${CONFIG_MAPS}?watch=true&resourceVersion=18446744073709551615&timeoutSeconds=1`],
    [200, `${CONFIG_MAPS}?watch=true&timeoutSeconds=9223372036854775807`],
    [200, `${CONFIG_MAPS}?watch=true&timeoutSeconds=-5`],
  ])('ends nothing with large numbers (%i: %s)', async (status, path) => {
    const answer = await fetch(`${url}${path}`);
    expect(answer.status).toBe(status);
    const version = /resourceVersion=([0-9]+)/.exec(path)?.[1] ?? '';
    const text = await answer.text();
    if (status === 504) expect(text).toContain(`Too large resource version: ${version}, current: `);
    expect(await exists('cm')).toBe(true);
    expect(defects).toEqual([]);
  });

  test.each([
    { speed: 1e15 },
    { speed: -1 },
    { advance: 9_007_199_254_740_991 },
    { advance: '9223372036s' },
    { advance: -1 },
    { advance: {} },
  ])('cannot move the clock out of its range (%j)', async (body) => {
    const answer = await fetch(`${url}/kubesim/v1/clock`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(400);
    expect(await exists('cm')).toBe(true);
  });

  test('is not served under a name that is not the server’s', async () => {
    const asked = async (host: string): Promise<readonly string[]> =>
      statusesOf(await raw(`GET /api/v1/secrets HTTP/1.1\r\nhost: ${host}\r\n\r\n`));
    for (const host of [
      'localhost',
      'localhost:80',
      '127.0.0.1:1',
      '[::1]:6443',
      'a.localhost',
      '10.0.0.1',
      'cluster.test',
      'Cluster.Test:443',
    ])
      expect(await asked(host), host).toEqual(['200']);
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'cluster.test.evil.example:6443',
      'localhost@evil.example',
    ])
      expect(await asked(host), host).toEqual(['403']);
  });

  test('cannot change or steer anything from a page of elsewhere', async () => {
    const origin = 'https://evil.example';
    const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"from-page"}}';
    const post = (headers: Record<string, string>, path = CONFIG_MAPS) =>
      fetch(`${url}${path}`, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body });
    for (const foreign of [origin, 'null', 'http://localhost:1', `${url}.evil.example`])
      expect((await post({ origin: foreign })).status, foreign).toBe(403);
    expect(await exists('from-page')).toBe(false);
    expect((await post({ origin: url })).status).toBe(201);
    const control = (method: string, headers: Record<string, string>, sent?: string) =>
      fetch(`${url}/kubesim/v1/${method === 'GET' ? 'state' : 'reset'}`, {
        method,
        headers,
        ...(sent !== undefined && { body: sent }),
      });
    expect((await control('GET', { origin })).status).toBe(403);
    expect((await control('POST', { origin })).status).toBe(403);
    expect((await control('POST', { 'content-type': 'text/plain' }, '')).status).toBe(415);
    expect((await control('POST', { 'content-type': 'text/plain' }, '{}')).status).toBe(415);
    expect(
      (await control('POST', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=b')).status,
    ).toBe(415);
    expect(await exists('from-page')).toBe(true);
  });

  test('cannot open a WebSocket from a page of elsewhere', async () => {
    const opened = (origin: string): Promise<boolean> =>
      new Promise((resolve) => {
        const socket = new WebSocket(`${url.replace('http', 'ws')}${CONFIG_MAPS}?watch=true`, { origin });
        socket.on('open', () => {
          socket.terminate();
          resolve(true);
        });
        socket.on('error', () => resolve(false));
      });
    expect(await opened('https://evil.example')).toBe(false);
    expect(await opened(url)).toBe(true);
    expect(await opened('http://cluster.test')).toBe(true);
  });

  test('is answered though it sends a body that nobody wants', async () => {
    const secure = serving.urls.find((each) => each.startsWith('https:')) ?? '';
    const session = connectHttp2(secure, { rejectUnauthorized: false });
    const stream = session.request({ ':path': '/readyz', ':method': 'HEAD' }, { endStream: false });
    stream.end(Buffer.alloc(300_000));
    stream.resume();
    await new Promise((resolve) => stream.on('close', resolve));
    session.close();
    const answer = await raw(
      `GET /readyz HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n\r\nhello`.repeat(2),
    );
    expect(statusesOf(answer)).toEqual(['200', '200']);
  });

  test('costs nobody else anything with ten thousand streams that it resets at once', async () => {
    const secure = serving.urls.find((each) => each.startsWith('https:')) ?? '';
    const session = connectHttp2(secure, { rejectUnauthorized: false });
    session.on('error', () => undefined);
    for (let count = 0; count < 10_000 && !session.destroyed; count++) {
      const stream = session.request({ ':path': CONFIG_MAPS });
      stream.on('error', () => undefined);
      stream.close();
      if (count % 100 === 0) await sleep(0);
    }
    expect(await exists('cm')).toBe(true);
    session.destroy();
    expect(defects).toEqual([]);
  });
});

describe('a server without anonymous users', () => {
  test('asks everybody who they are, on the control path as well', async () => {
    const serving = await serve({
      bindAddress: '127.0.0.1',
      httpPort: 0,
      seed: 1,
      speed: 0,
      allowsAnonymous: false,
      onDefect: (error) => {
        throw error;
      },
    });
    const [url = ''] = serving.urls;
    for (const path of ['/api', '/readyz', CONFIG_MAPS, '/kubesim/v1/state', '/kubesim/v1/openapi'])
      expect((await fetch(`${url}${path}`)).status, path).toBe(401);
    await serving.stop();
  });
});
