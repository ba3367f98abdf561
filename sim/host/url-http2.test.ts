/** Calls to real URLs over HTTP/2, as who answers can spoil them; what is said of it was asked of a real server. */
import {
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { HttpOutcome, OutgoingCall } from '../api/http-call.ts';
import { Authority } from './certificates.ts';
import { realUrlCalls } from './url-calls.ts';
import { Connections } from './url-dial.ts';
import type { SessionPatience } from './url-session.ts';
import { Sessions } from './url-sessions.ts';

type Answer = (stream: ServerHttp2Stream, times: number) => unknown;

let authority: Authority;
let server: Http2SecureServer;
let url: string;
let sessions: ServerHttp2Session[];
let versions: string[];
let answer: Answer;
const closing: (() => void)[] = [];

const whole: Answer = (stream) => {
  stream.respond({ ':status': 200, 'content-type': 'application/json' });
  stream.end('{}');
};

/** The beginning of an answer. */
function half(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 200 });
  stream.write('{"a":');
}

beforeAll(async () => {
  authority = await Authority.create();
});

beforeEach(async () => {
  const files = await authority.serverCertificate(['127.0.0.1']);
  server = createSecureServer({ ...files, allowHTTP1: true, settings: { maxConcurrentStreams: 2 } });
  [sessions, versions, answer] = [[], [], whole];
  let times = 0;
  server.on('session', (session) => {
    sessions.push(session);
    session.on('error', () => undefined);
  });
  server.on('stream', (stream) => {
    stream.on('error', () => undefined).resume();
    stream.on('end', () => answer(stream, ++times));
  });
  server.on('request', (request) => versions.push(request.httpVersion));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(() => {
  for (const close of closing.splice(0)) close();
  for (const session of sessions) session.destroy();
  server.close();
});

/** Somebody who calls, with connections of its own. */
function caller(
  patience?: SessionPatience,
): (timeoutMs?: number, call?: OutgoingCall) => Promise<HttpOutcome> {
  const calls = realUrlCalls((work) => work(), undefined, new Connections(patience));
  const usual: OutgoingCall = {
    method: 'POST',
    path: '/hook?x=1',
    body: { kind: 'bytes', bytes: new Uint8Array([123, 125]) },
  };
  return (timeoutMs = 2_000, call = usual) =>
    new Promise((resolve) => {
      const endpoint = { kind: 'url', url, certificateAuthority: authority.certificate } as const;
      calls.call(endpoint, call, timeoutMs, resolve);
    });
}

const told = (message: string, phase?: 'body') => ({ kind: 'unreachable', message, ...(phase && { phase }) });

it('is agreed on where the other one can, and one connection carries as many calls as he takes at once', async () => {
  const call = caller();
  expect(await call()).toMatchObject({ kind: 'answer', answer: { status: 200 } });
  await Promise.all([call(), call()]);
  expect(sessions.length).toBe(1);
  answer = (stream, times) => setTimeout(() => whole(stream, times), 100);
  const outcomes = await Promise.all([call(), call(), call(), call()]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(Array(4).fill('answer'));
  expect(sessions.length).toBeGreaterThan(1);
  expect(new Set(versions)).toEqual(new Set(['2.0']));
});

it('gives headers and bodies as they were sent, both ways', async () => {
  let seen: Record<string, unknown> = {};
  server.on('request', ({ headers }) => (seen = headers));
  answer = (stream) => {
    stream.respond({ ':status': 429, 'retry-after': '1', 'x-two': ['a', 'b'] });
    stream.end('no');
  };
  const body = { kind: 'bytes', bytes: new Uint8Array(100_000) } as const;
  const headers = { 'x-remote-group': ['a', 'b,c'], accept: 'application/json' };
  const outcome = await caller()(2_000, { method: 'PUT', path: '/a%20b?c=d', headers, body });
  expect(seen).toMatchObject({
    ':method': 'PUT',
    ':path': '/a%20b?c=d',
    'content-length': '100000',
    'x-remote-group': 'a, b,c',
  });
  expect(outcome).toMatchObject({
    answer: { status: 429, headers: { 'retry-after': '1', 'x-two': 'a, b' } },
  });
  if (outcome.kind === 'answer') expect(outcome.answer.headers).not.toHaveProperty(':status');
});

it('is not spoken with who knows HTTP/1.1 alone, whose connection is kept too', async () => {
  const { createServer: createPlain } = await import('node:https');
  const sockets = new Set<unknown>();
  const files = await authority.serverCertificate(['127.0.0.1']);
  const older = createPlain(files, (request, response) => {
    sockets.add(request.socket);
    versions.push(request.httpVersion);
    response.end('{}');
  });
  await new Promise<void>((resolve) => void older.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    older.closeAllConnections();
    older.close();
  });
  url = `https://127.0.0.1:${(older.address() as AddressInfo).port}`;
  const call = caller();
  for (let index = 0; index < 3; index += 1) expect((await call()).kind).toBe('answer');
  expect(versions).toEqual(['1.1', '1.1', '1.1']);
  expect(sockets.size).toBe(1);
});

it('a call that was reset is not made again, but one that was refused unseen is', async () => {
  const call = caller();
  answer = (stream) => stream.close(2);
  expect(await call()).toEqual(told('stream error: stream ID 1; INTERNAL_ERROR; received from peer'));
  answer = (stream) => stream.close(0x63);
  expect(await call()).toEqual(
    told('stream error: stream ID 3; unknown error code 0x63; received from peer'),
  );
  answer = (stream, times) => (times === 3 ? stream.close(7) : whole(stream, times));
  expect((await call()).kind).toBe('answer');
  answer = (stream) => {
    half(stream);
    setTimeout(() => stream.destroy(new Error('gone')), 20);
  };
  expect(await call()).toEqual(told('stream error: stream ID 9; INTERNAL_ERROR; received from peer', 'body'));
  expect(sessions.length).toBe(1);
});

it('who breaks the protocol is asked over other connections until time is over', async () => {
  answer = (stream) => stream.close(1);
  expect(await caller()(1_500)).toEqual({ kind: 'timeout' });
  expect(sessions.length).toBeGreaterThan(2);
});

it('who breaks off each connection before he looks at a call is not dialled again and again', async () => {
  let dials = 0;
  server.on('secureConnection', (socket: Socket) => {
    dials += 1;
    setTimeout(() => socket.destroy(), 5);
  });
  answer = () => undefined;
  await caller()(1_500);
  expect(dials).toBeLessThan(10);
});

it('who goes away from each connection, saying that he has seen nothing, is given time', async () => {
  server.on('session', (session) => session.goaway(0, 0));
  expect(await caller()(1_500)).toEqual({ kind: 'timeout' });
  expect(sessions.length).toBeLessThan(10);
});

it('who is gone from each connection before he is asked is given time as well', async () => {
  const room = vi.spyOn(Sessions.prototype, 'ask').mockReturnValue(false);
  expect(await caller()(1_500)).toEqual({ kind: 'timeout' });
  expect(sessions.length).toBeLessThan(10);
  room.mockRestore();
  expect((await caller()()).kind).toBe('answer');
});

it('who says that he goes is left, with the answers that he still gives', async () => {
  const call = caller();
  answer = (stream, times) => {
    stream.session?.goaway(0, stream.id ?? 0);
    setTimeout(() => whole(stream, times), 50);
  };
  expect((await call()).kind).toBe('answer');
  answer = (stream) => {
    stream.session?.goaway(0, stream.id ?? 0, Buffer.from('dbg'));
    setTimeout(() => stream.session?.destroy(), 50);
  };
  const gone =
    'http2: server sent GOAWAY and closed the connection; LastStreamID=1, ErrCode=NO_ERROR, debug="dbg"';
  expect(await call()).toEqual(told(gone));
  answer = (stream) => {
    half(stream);
    setTimeout(() => stream.session?.destroy(), 50);
  };
  expect(await call()).toEqual(told(gone.replace('dbg', ''), 'body'));
  answer = whole;
  expect((await call()).kind).toBe('answer');
  expect(sessions.length).toBe(4);
});

it('a connection that breaks without a word, and one that falls silent, are told of and left', async () => {
  const sockets: Socket[] = [];
  const { port } = new URL(url);
  let isSilent = false;
  const between = createServer((near) => {
    const far = connect(Number(port), '127.0.0.1');
    sockets.push(near);
    far.on('data', (bytes) => isSilent || near.write(bytes));
    near.on('data', (bytes) => far.write(bytes));
    for (const each of [near, far]) each.on('error', () => undefined);
    near.on('close', () => far.destroy());
  });
  await new Promise<void>((resolve) => void between.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    between.close();
  });
  url = `https://127.0.0.1:${(between.address() as AddressInfo).port}`;
  const call = caller({ silenceMs: 200, pingMs: 100, idleMs: 90_000 });
  answer = () => sockets[0]?.end();
  expect(await call()).toEqual(told('unexpected EOF'));
  answer = () => (isSilent = true);
  expect(await call()).toEqual(told('http2: client connection lost'));
  [isSilent, answer] = [false, whole];
  expect((await call()).kind).toBe('answer');
  expect(sockets.length).toBe(3);
});

it('who never answers is told that nobody waits, and the connection serves on', async () => {
  const call = caller();
  const codes: (number | undefined)[] = [];
  answer = (stream) => stream.on('close', () => codes.push(stream.rstCode));
  expect(await call(100)).toEqual({ kind: 'timeout' });
  answer = half;
  expect(await call(100)).toEqual(told('context deadline exceeded', 'body'));
  answer = whole;
  expect((await call()).kind).toBe('answer');
  expect(codes).toEqual([8]);
  expect(sessions.length).toBe(1);
});

it('an idle connection is closed', async () => {
  const call = caller({ silenceMs: 1_000, pingMs: 1_000, idleMs: 50 });
  await call();
  await new Promise<void>((resolve) => void sessions[0]?.once('close', resolve));
  expect((await call()).kind).toBe('answer');
  expect(sessions.length).toBe(2);
});
