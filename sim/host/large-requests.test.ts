import { afterEach, expect, it } from 'vitest';
import type { ApiObject, JsonObject } from '../api/object.ts';
import { QueryParameters } from '../apiserver/request/request.ts';
import type { StoredObject } from '../apiserver/stores/stored-object.ts';
import { MemoryStorage } from '../storage/memory-storage.ts';
import { World } from './world.ts';

const worlds: World[] = [];

afterEach(() => {
  for (const world of worlds.splice(0)) world.end();
});

const rethrown = (error: unknown): never => {
  throw error;
};

const PATH = '/api/v1/namespaces/default/configmaps';
const DATA = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key-${index}`, 'some value']));

interface Answer {
  readonly status: number;
  readonly object: ApiObject & { readonly message?: string; readonly data?: JsonObject };
}

type Send = (method: string, path: string, body: object, type?: string) => Promise<Answer>;

/** `answers` grows as answers come. */
function served(): { readonly send: Send; readonly answers: string[] } {
  const world = new World({ seed: 1, speed: 0, onDefect: rethrown }, new MemoryStorage<StoredObject>());
  worlds.push(world);
  const answers: string[] = [];
  const send: Send = (method, path, body, type = 'application/json') =>
    new Promise((resolve, reject) => {
      const bytes = new TextEncoder().encode(JSON.stringify(body));
      const [route = '', query = ''] = path.split('?');
      const request = {
        method,
        path: route,
        query: QueryParameters.parse(query),
        headers: { 'content-type': type },
        body: { kind: 'bytes', bytes } as const,
        wire: false,
      };
      world.handle(
        request,
        (response) => {
          answers.push(`${method} ${bytes.length > 100_000 ? 'large' : 'small'} ${response.status}`);
          if (response.body.kind !== 'object') reject(new Error(response.body.kind));
          else resolve({ status: response.status, object: response.body.object as Answer['object'] });
        },
        () => reject(new Error('broken off')),
      );
    });
  return { send, answers };
}

const configMap = (name: string, data: object): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

it.each([
  ['application/merge-patch+json', { data: DATA }],
  ['application/strategic-merge-patch+json', { data: DATA }],
  ['application/json-patch+json', [{ op: 'replace', path: '/data', value: DATA }]],
  ['application/apply-patch+yaml?fieldManager=me&force=true', configMap('one', DATA)],
])('others are served between the steps of a large %s, and what they change is kept', async (type, body) => {
  const { send, answers } = served();
  await send('POST', PATH, configMap('one', { a: 'b' }));
  const [contentType = '', query = ''] = type.split('?');
  const large = send('PATCH', `${PATH}/one?${query}`, body, contentType);
  const label = { metadata: { labels: { of: 'others' } } };
  await send('PATCH', `${PATH}/one`, label, 'application/merge-patch+json');
  const { status, object } = await large;
  expect(answers).toEqual(['POST small 201', 'PATCH small 200', 'PATCH large 200']);
  expect(status).toBe(200);
  expect(object.metadata.labels).toEqual({ of: 'others' });
  expect(object.data).toMatchObject({ 'key-9999': 'some value' });
});

it('is overtaken once at the most', async () => {
  const { send, answers } = served();
  await send('POST', PATH, configMap('one', { a: 'b' }));
  let isDone = false;
  const large = send('PUT', `${PATH}/one`, configMap('one', DATA)).finally(() => (isDone = true));
  for (let round = 0; !isDone && round < 50; round++) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    await send('PATCH', `${PATH}/one`, { data: { round: `${round}` } }, 'application/merge-patch+json');
  }
  expect((await large).status).toBe(200);
  expect(answers.length).toBeLessThan(12);
});

it.each([
  ['POST', '', {}, 'POST large 409', 'configmaps "one" already exists'],
  ['PUT', '/one', { resourceVersion: 'first' }, 'PUT large 409', 'the object has been modified'],
  ['PUT', '/one', { uid: 'first' }, 'PUT large 409', 'Precondition failed: UID in precondition'],
])(
  '%s%s of a large object with %j is told what others did meanwhile',
  async (method, path, metadata, last, why) => {
    const { send, answers } = served();
    const isCreation = method === 'POST';
    const first = isCreation ? undefined : (await send('POST', PATH, configMap('one', {}))).object.metadata;
    const named = Object.fromEntries(
      Object.keys(metadata).map((name) => [name, first?.[name as 'uid' | 'resourceVersion']]),
    );
    const large = send(method, PATH + path, {
      ...configMap('one', DATA),
      metadata: { name: 'one', ...named },
    });
    if (!isCreation) await send('DELETE', `${PATH}/one`, {});
    await send('POST', PATH, configMap('one', { other: 'x' }));
    const { status, object } = await large;
    expect(status).toBe(409);
    expect(object.message).toContain(why);
    expect(answers.at(-1)).toBe(last);
  },
);

it('lets others have a turn while little is said about much', async () => {
  const { send, answers } = served();
  await send('POST', PATH, configMap('one', DATA));
  const change = send('PATCH', `${PATH}/one`, { data: { key: 'x' } }, 'application/merge-patch+json');
  const other = send('POST', PATH, configMap('two', { a: 'b' }));
  await Promise.all([change, other]);
  expect(answers).toEqual(['POST large 201', 'POST small 201', 'PATCH small 200']);
});
