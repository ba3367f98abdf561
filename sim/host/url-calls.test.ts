import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { bodyObject, type HttpOutcome, objectBody } from '../api/http-call.ts';
import type { StoredObject } from '../apiserver/stores/stored-object.ts';
import { MemoryStorage } from '../storage/memory-storage.ts';
import { Authority } from './certificates.ts';
import { World } from './world.ts';

const rethrown = (error: unknown): never => {
  throw error;
};

const servers: Server[] = [];
const worlds: World[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  for (const world of worlds.splice(0)) world.end();
});

async function listening(answer: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(answer ?? (() => undefined));
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** As an API server of a world whose clock stands still would call. */
function called(
  url: string,
  timeoutMs = 5_000,
  trust: { readonly certificateAuthority?: string } = {},
): Promise<HttpOutcome> {
  const world = new World({ seed: 1, speed: 0, onDefect: rethrown }, new MemoryStorage<StoredObject>());
  worlds.push(world);
  const { surroundings } = world.server;
  const call = { method: 'POST', path: '/hook?x=1', headers: { 'x-a': 'b' }, body: objectBody({ n: 1 }) };
  return new Promise((resolve) => {
    world.driver.act(() =>
      world.cluster.apiServers[0]?.actor.spawn('call', function* () {
        resolve(yield* surroundings.call({ kind: 'url', url, ...trust }, call, timeoutMs));
      }),
    );
  });
}

it('a served world reaches a real URL, and is told the answer as an event from outside', async () => {
  const url = await listening((request, response) => {
    request.setEncoding('utf8').on('data', (body) => {
      response.setHeader('content-type', 'application/json').statusCode = 201;
      response.end(
        JSON.stringify({ method: request.method, url: request.url, a: request.headers['x-a'], body }),
      );
    });
  });
  const outcome = await called(url);
  if (outcome.kind !== 'answer') throw new Error(outcome.kind);
  expect(outcome.answer).toMatchObject({ status: 201, headers: { 'content-type': 'application/json' } });
  expect(bodyObject(outcome.answer.body)).toEqual({
    method: 'POST',
    url: '/hook?x=1',
    a: 'b',
    body: '{"n":1}',
  });
});

it('nobody there is a refusal, a connection that breaks is a reset, and silence ends with the timeout', async () => {
  const url = await listening(() => undefined);
  const breaking = await listening((request) => void request.socket.destroy());
  expect(await called(breaking)).toEqual({ kind: 'reset' });
  expect(await called(url, 50)).toEqual({ kind: 'timeout' });
  const { port } = new URL(url);
  servers[0]?.closeAllConnections();
  await new Promise((resolve) => servers[0]?.close(resolve));
  expect(await called(`http://127.0.0.1:${port}`)).toEqual({ kind: 'refused', address: `127.0.0.1:${port}` });
});

it('an address that is none is out of reach, and says why', async () => {
  expect(await called('ftp://127.0.0.1')).toEqual({
    kind: 'unreachable',
    message: 'ftp://127.0.0.1: expected http or https',
  });
});

it('trusts the authority that is named, or the very certificate, and nobody else', async () => {
  const authority = await Authority.create();
  const files = await authority.serverCertificate(['127.0.0.1']);
  const server = createSecureServer(files, (_request, response) => response.end('{}'));
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kinds: string[] = [];
  for (const certificateAuthority of [
    authority.certificate,
    files.cert,
    (await Authority.create()).certificate,
  ])
    kinds.push((await called(url, 5_000, { certificateAuthority })).kind);
  expect(kinds).toEqual(['answer', 'answer', 'unreachable']);
});

it('what goes wrong where an answer leads to is told of that place', async () => {
  const gone = await listening(undefined);
  const closed = servers.pop();
  await new Promise((resolve) => closed?.close(resolve));
  const away = await listening((_request, response) => {
    response.writeHead(302, { location: `${gone}/other` }).end();
  });
  expect(await called(away)).toEqual({
    kind: 'unreachable',
    message: `dial tcp ${gone.slice('http://'.length)}: connect: connection refused`,
    at: `${gone}/other`,
  });
  const round = await listening((_request, response) => {
    response.writeHead(307, { location: '/again' }).end();
  });
  expect(await called(round)).toEqual({
    kind: 'unreachable',
    message: 'stopped after 10 redirects',
    at: '/again',
  });
});
