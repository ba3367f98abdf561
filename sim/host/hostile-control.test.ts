/** The control path and what it controls under bad input, and where what a rule is about is there no more, or twice. */
import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CONTROL_OPENAPI } from './control/control-openapi.ts';
import { within } from './served-clusters.ts';
import { serve, type Serving } from './serve.ts';
import { World } from './world.ts';
import { MemoryStorage } from '../storage/memory-storage.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const MEGABYTE = 1024 * 1024;

let serving: Serving;
const defects: unknown[] = [];
beforeAll(async () => {
  serving = await serve({
    bindAddress: '127.0.0.1',
    httpPort: 0,
    seed: 1,
    speed: 0,
    nodes: 1,
    onDefect: (error) => void defects.push(error),
  });
});
afterAll(() => serving.stop());
beforeEach(() => control('POST', 'reset'));

interface Told {
  readonly status: number;
  readonly body: unknown;
}

const send = async (
  method: string,
  path: string,
  text?: string,
  type = 'application/json',
): Promise<Told> => {
  const answer = await fetch(`${serving.urls[0] ?? ''}${path}`, {
    method,
    headers: { 'user-agent': 'test', ...(text !== undefined && { 'content-type': type }) },
    ...(text !== undefined && { body: text }),
  });
  const said = await answer.text();
  return { status: answer.status, body: said.startsWith('{') ? JSON.parse(said) : said };
};
const control = (method: string, name: string, body?: object, cluster = ''): Promise<Told> =>
  send(method, `${cluster}/kubesim/v1/${name}`, body && JSON.stringify(body));
const make = (name: string, cluster = ''): Promise<Told> =>
  send('POST', `${cluster}${CONFIG_MAPS}`, JSON.stringify({ metadata: { name } }));
const namesIn = async (cluster = ''): Promise<readonly string[]> => {
  const { body } = await send('GET', `${cluster}${CONFIG_MAPS}`);
  const { items } = body as { items: readonly { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt');
};
const moment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60));

const OPERATIONS = Object.entries(CONTROL_OPENAPI.paths as Readonly<Record<string, object>>).flatMap(
  ([path, methods]) => Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
);

describe('every operation of the control path', () => {
  test.each(OPERATIONS.filter(([method]) => method === 'POST' || method === 'PUT'))(
    '%s %s refuses what makes no sense, and says why',
    async (method, path) => {
      for (const text of ['{', '\u0000', '{"a":1}}']) {
        const told = await send(method, path, text);
        expect(told).toEqual({ status: 400, body: { message: 'the body is not JSON' } });
      }
      const typed = await send(method, path, '{}', 'text/plain');
      expect(typed).toEqual({ status: 415, body: { message: 'the body has to be application/json' } });
      for (const text of ['[]', '1', '"a"', 'true']) {
        const told = await send(method, path, text);
        expect([told.status, told.body]).toEqual([
          400,
          { message: expect.stringMatching(/expected/) as string },
        ]);
      }
      const long = await send(method, path, JSON.stringify({ name: 'x'.repeat(10 * MEGABYTE) }));
      expect(long).toEqual({ status: 413, body: { message: 'the body is too long' } });
      expect(defects).toEqual([]);
    },
  );

  test.each(OPERATIONS)('%s %s is one of a cluster that there is', async (method, path) => {
    for (const cluster of ['none', '..', '%2e%2e', 'a%2Fb', '__proto__', 'constructor', '']) {
      const { status } = await raw(method, `/clusters/${cluster}${path}`);
      expect([cluster, status]).toEqual([cluster, 404]);
    }
    expect(defects).toEqual([]);
  });

  test('is none by another name', async () => {
    for (const path of ['', 'nothing', '__proto__', 'watches/', '../api', 'files/../clock', 'end'])
      expect([path, (await raw('GET', `/kubesim/v1/${path}`)).status]).toEqual([path, 404]);
    expect((await raw('PATCH', '/kubesim/v1/clock')).status).toBe(405);
  });
});

/** As it is written: `fetch` would tidy the path up. */
const raw = (method: string, path: string): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const asked = request(serving.urls[0] ?? '', { method, path }, (answer) => {
      let text = '';
      answer.on('data', (piece: Buffer) => (text += piece.toString()));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    asked.on('error', reject);
    asked.end();
  });

/** What a client has heard until it went away. */
function watching(userAgent: string): { readonly heard: string[]; readonly leave: () => void } {
  const gone = new AbortController();
  const heard: string[] = [];
  void (async () => {
    const answer = await fetch(`${serving.urls[0] ?? ''}${CONFIG_MAPS}?watch=true`, {
      headers: { 'user-agent': userAgent },
      signal: gone.signal,
    });
    for await (const piece of answer.body ?? []) heard.push(Buffer.from(piece as Uint8Array).toString());
  })().catch(() => undefined);
  return { heard, leave: () => gone.abort() };
}

describe('rules for a client that is gone', () => {
  test.each([{ kind: 'hold' }, { kind: 'delay', delayMs: 5_000 }])(
    'are released to nobody, and hold nobody else up: %j',
    async (rule) => {
      await control('PUT', 'watches', { rules: [{ ...rule, userAgent: 'operator/1' }] });
      const first = watching('operator/1');
      await moment();
      await make('a');
      await moment();
      first.leave();
      await moment();
      await make('b');
      const again = watching('operator/1');
      await moment();
      await control('PUT', 'watches', { rules: [] });
      await control('POST', 'clock', { advance: '10s' });
      await make('c');
      await moment();
      expect(first.heard.join('')).not.toContain('"name":"a"');
      const told = again.heard.join('');
      expect(['a', 'b', 'c'].map((name) => told.includes(`"name":"${name}"`))).toEqual([true, true, true]);
      expect((await control('POST', 'watches/end', { userAgent: 'operator/*' })).body).toEqual({ ended: 1 });
      again.leave();
      expect(defects).toEqual([]);
    },
  );
});

describe('two rules about one request', () => {
  test('both count it, and the first that strikes says what becomes of it', async () => {
    await control('PUT', 'faults', {
      requests: [
        { kind: 'fail', status: 503, verb: 'create', count: 1 },
        { kind: 'fail', status: 409, resource: 'configmaps', verb: 'create', count: 2 },
      ],
    });
    const statuses = [];
    for (const name of ['a', 'b', 'c']) statuses.push((await make(name)).status);
    expect(statuses).toEqual([503, 409, 201]);
  });

  test('that are the same are refused, and leave those that stand', async () => {
    await control('PUT', 'faults', { requests: [{ kind: 'fail', status: 503, verb: 'create' }] });
    const twice = { kind: 'fail', status: 429, verb: 'create', resource: 'configmaps' };
    expect(await control('PUT', 'faults', { requests: [twice, twice] })).toEqual({
      status: 400,
      body: { message: 'requests[1]: another one chooses the same requests' },
    });
    expect((await make('a')).status).toBe(503);
    expect((await control('PUT', 'faults', {})).body).toMatchObject({ requests: [] });
    expect((await make('a')).status).toBe(201);
  });
});

describe('a snapshot', () => {
  test('may go while clusters live on it, and be taken of one of them, and again', async () => {
    await make('first');
    await control('POST', 'snapshots', { name: 's' });
    await control('POST', 'clusters', { name: 'one', snapshot: 's' });
    await control('DELETE', 'snapshots?name=s');
    await make('second', '/clusters/one');
    expect(await namesIn('/clusters/one')).toEqual(['first', 'second']);
    await control('POST', 'snapshots', { name: 's' }, '/clusters/one');
    await control('POST', 'clusters', { name: 'two', snapshot: 's' });
    await make('third', '/clusters/two');
    await control('POST', 'snapshots', { name: 's' }, '/clusters/two');
    await control('POST', 'reset', { snapshot: 's' }, '/clusters/one');
    expect([await namesIn('/clusters/one'), await namesIn('/clusters/two'), await namesIn()]).toEqual([
      ['first', 'second', 'third'],
      ['first', 'second', 'third'],
      ['first'],
    ]);
    await control('DELETE', 'snapshots?name=s');
    expect(await control('DELETE', 'snapshots?name=s')).toEqual({
      status: 400,
      body: { message: 'name: there is no snapshot "s"' },
    });
    expect(await control('POST', 'reset', { snapshot: 's' })).toEqual({
      status: 400,
      body: { message: 'snapshot: there is no "s"' },
    });
    expect(await namesIn()).toEqual(['first']);
    for (const name of ['one', 'two']) await control('DELETE', `clusters?name=${name}`);
  });
});

describe('what is misspelt', () => {
  test.each([
    ['POST', 'clock', { advanse: '5s', speed: 0 }, 'there is no advanse; there are advance, speed'],
    ['POST', 'reset', { sed: 3 }, 'there is no sed; there are seed, snapshot'],
    ['POST', 'snapshots', { name: 's', of: 'x' }, 'there is no of; there are name'],
    ['POST', 'clusters', { name: 'c', sed: 1 }, 'there is no sed; there are name, seed, snapshot'],
    ['POST', 'storage/leader', { take: '1s' }, 'there is no take; there are takes'],
    [
      'POST',
      'watches/end',
      { agent: 'x' },
      'there is no agent; there are user, userAgent, resource, expired',
    ],
    ['PUT', 'watches', { rule: [] }, 'there is no rule; there are rules'],
    [
      'POST',
      'restart',
      { actors: 'x' },
      'there is no actors; there are actor, release, featureGates, runtimeConfig',
    ],
    [
      'POST',
      'restore',
      { file: 'x' },
      'there is no file; there are archive, from, onto, namespace, pod, container',
    ],
    [
      'PUT',
      'faults',
      { failingChecks: ['etc'] },
      'failingChecks: there is no check etc; /readyz?verbose names all of them',
    ],
  ])('is refused by %s %s', async (method, name, body, message) => {
    expect(await control(method, name, body)).toEqual({ status: 400, body: { message } });
    expect((await control('GET', 'clusters')).body).toEqual({ items: [] });
  });

  test('is no fault that nobody suffers from', async () => {
    await control('PUT', 'faults', { partitioned: ['worker-1'] });
    const { status, body } = await control('PUT', 'faults', { partitoned: ['worker-1'] });
    expect([status, body]).toEqual([
      400,
      { message: expect.stringMatching(/^there is no partitoned; there are failingChecks, .*partitioned/u) },
    ]);
    expect((await control('GET', 'faults')).body).toMatchObject({ partitioned: ['node/worker-1'] });
    const { body: faults } = await control('GET', 'faults');
    expect((await control('PUT', 'faults', faults as object)).body).toEqual(faults);
  });
});

describe('a reset', () => {
  test('amid faults, held watches and time that goes by leaves none of them', async () => {
    await control('PUT', 'watches', { rules: [{ kind: 'hold' }] });
    const { heard, leave } = watching('operator/1');
    await moment();
    await make('held');
    await control('PUT', 'faults', {
      crashed: ['node/node-1'],
      requests: [{ kind: 'fail', status: 503, verb: 'create' }],
    });
    const travelling = control('POST', 'clock', { advance: '8760h' });
    await control('POST', 'reset');
    expect((await travelling).status).toBe(200);
    await moment();
    expect(heard.join('')).not.toContain('held');
    leave();
    expect((await control('GET', 'watches')).body).toEqual({ rules: [] });
    expect((await control('GET', 'faults')).body).toMatchObject({ crashed: [], requests: [] });
    expect(await namesIn()).toEqual([]);
    expect((await make('anew')).status).toBe(201);
    expect(defects).toEqual([]);
  });
});

test('a stream of another cluster that breaks off is one that breaks off', () => {
  const stream = { subscribe: () => undefined, read: () => undefined, close: () => undefined };
  const world = new World({ seed: 1, speed: 0, onDefect: () => undefined }, new MemoryStorage());
  const broken = { ...stream, ended: true, isBroken: true };
  const { body } = within(world, { status: 200, headers: [], body: { kind: 'stream', stream: broken } });
  expect(body.kind === 'stream' && body.stream.isBroken).toBe(true);
  world.end();
});
