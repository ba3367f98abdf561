import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadScenario } from '../../scenarios/language/load-scenario.ts';
import { executeRun } from '../../scenarios/runner/execute-run.ts';
import { createClusterWorld } from '../../scenarios/world/cluster-world.ts';
import { serve, type Serving } from './serve.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const CONTROL = '/kubesim/v1';

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

const ask = async (method: string, path: string, body?: object, userAgent = 'test'): Promise<Response> =>
  fetch(`${serving.urls[0] ?? ''}${path}`, {
    method,
    headers: { 'user-agent': userAgent, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
const told = async (method: string, path: string, body?: object): Promise<unknown> =>
  (await ask(method, `${CONTROL}/${path}`, body)).json();
const make = (name: string, userAgent?: string): Promise<Response> =>
  ask('POST', CONFIG_MAPS, { metadata: { name } }, userAgent);
const moment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60));

/** What a client has heard so far, as `TYPE name`; `over` at its end. */
async function watching(userAgent: string): Promise<string[]> {
  const answer = await ask('GET', `${CONFIG_MAPS}?watch=true`, undefined, userAgent);
  const heard: string[] = [];
  const lines = answer.body?.pipeThrough(new TextDecoderStream());
  void (async () => {
    for await (const text of lines ?? [])
      for (const line of text.split('\n').filter((each) => each !== '')) {
        const { type, object } = JSON.parse(line) as {
          type: string;
          object: { metadata: { name?: string } };
        };
        if (object.metadata.name !== 'kube-root-ca.crt') heard.push(`${type} ${object.metadata.name ?? ''}`);
      }
    heard.push('over');
  })();
  await moment();
  return heard;
}

beforeEach(async () => {
  await told('POST', 'reset');
});

describe('watches of one client', () => {
  test('are held until they are released, in order, while others hear everything', async () => {
    await told('PUT', 'watches', { rules: [{ kind: 'hold', userAgent: 'operator/*', name: 'b' }] });
    const [operator, other] = [await watching('operator/1'), await watching('other/1')];
    for (const name of ['a', 'b', 'c']) await make(name);
    await moment();
    expect(operator).toEqual(['ADDED a']);
    expect(other).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    await told('PUT', 'watches', { rules: [] });
    await moment();
    expect(operator).toEqual(other);
  });

  test('come late by virtual time', async () => {
    await told('PUT', 'watches', { rules: [{ kind: 'delay', userAgent: 'operator/1', delayMs: 10_000 }] });
    const operator = await watching('operator/1');
    await make('a');
    await told('POST', 'clock', { advance: '9s' });
    await moment();
    expect(operator).toEqual([]);
    await told('POST', 'clock', { advance: '2s' });
    await moment();
    expect(operator).toEqual(['ADDED a']);
  });

  test('leave something out, once', async () => {
    const rule = { kind: 'drop', userAgent: 'operator/1', type: 'ADDED', after: 1, count: 1 };
    await told('PUT', 'watches', { rules: [rule] });
    const operator = await watching('operator/1');
    for (const name of ['a', 'b', 'c']) await make(name);
    await moment();
    expect(operator).toEqual(['ADDED a', 'ADDED c']);
  });

  test('end, or count as expired', async () => {
    const [operator, other] = [await watching('operator/1'), await watching('other/1')];
    expect(await told('POST', 'watches/end', { userAgent: 'operator/*', expired: true })).toEqual({
      ended: 1,
    });
    await moment();
    expect(operator).toEqual(['ERROR ', 'over']);
    expect(other).toEqual([]);
  });

  test.each([
    [{ kind: 'forget' }, 'rules[0].kind: expected one of hold, delay, drop'],
    [{ kind: 'delay' }, 'rules[0].delayMs: expected, as the kind is delay'],
    [{ kind: 'hold', agent: 'a' }, 'rules[0]: there is no agent'],
  ])('have no rule like %j', async (rule, message) => {
    const answer = await ask('PUT', `${CONTROL}/watches`, { rules: [rule] });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ message: expect.stringContaining(message) as unknown });
  });
});

describe('requests of one client', () => {
  test('fail by its user agent, and no others', async () => {
    await told('PUT', 'faults', {
      requests: [{ kind: 'fail', status: 409, verb: 'create', userAgent: 'operator/*', nth: 2 }],
    });
    const statuses: number[] = [];
    for (const name of ['a', 'b', 'c']) statuses.push((await make(name, 'operator/1')).status);
    statuses.push((await make('d', 'other/1')).status);
    expect(statuses).toEqual([201, 409, 201, 201]);
    await told('PUT', 'faults', {});
  });

  test('are kept with what they came to, as is what was heard', async () => {
    await watching('operator/1');
    await told('PUT', 'faults', {
      requests: [{ kind: 'loseAnswer', resets: true, userAgent: 'operator/1' }],
    });
    await make('a', 'operator/1').catch(() => undefined);
    await told('PUT', 'faults', {});
    await moment();
    expect(await told('GET', 'clients')).toMatchObject({
      items: [{ user: 'system:anonymous', userAgent: 'operator/1' }],
    });
    const { items } = (await told('GET', 'record?userAgent=operator/*')) as { items: readonly object[] };
    expect(items).toContainEqual(
      expect.objectContaining({
        kind: 'request',
        method: 'GET',
        status: 200,
        path: `${CONFIG_MAPS}?watch=true`,
      }),
    );
    expect(items).toContainEqual(expect.objectContaining({ kind: 'event', type: 'ADDED', name: 'a' }));
    const lost = items.find((each) => Reflect.get(each, 'method') === 'POST');
    expect(lost).not.toHaveProperty('status');
    expect(lost).toHaveProperty('body', '{"metadata":{"name":"a"}}');
  });
});

describe('what clients have asked', () => {
  test('is a scenario that asks it again, and comes to the same', async () => {
    await make('a', 'operator/1');
    await told('POST', 'clock', { advance: '3s' });
    await ask('PUT', `${CONFIG_MAPS}/a`, { metadata: { name: 'a', uid: 'other' }, data: {} }, 'operator/1');
    const known = (await (await ask('GET', `${CONFIG_MAPS}/a`, undefined, 'operator/1')).json()) as object;
    await ask('PUT', `${CONFIG_MAPS}/a`, { ...known, data: { k: 'v' } }, 'operator/1');
    await make('b', 'other/1');
    const document = (await told('GET', 'scenario?userAgent=operator/*')) as { spec: { steps: object[] } };
    expect(document.spec.steps).toHaveLength(5);
    expect(document.spec.steps[1]).toEqual({ advance: '3000000us' });
    const loaded = loadScenario('frozen.yaml', JSON.stringify(document));
    if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.problems));
    const run = await executeRun(loaded.loaded, { seed: 1, makeWorld: createClusterWorld });
    expect(run.failure).toBeUndefined();
    expect(run.verdict).toBe('passed');
  });
});
