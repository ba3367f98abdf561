import { describe, expect, test } from 'vitest';
import {
  BUILTIN_HANDLES,
  createCluster,
  type GuestFunction,
  isServerError,
  isTimeout,
  keyOfObject,
  retryAfter,
  seconds,
} from '../index.ts';

/** Labels every ConfigMap that it hears of, while it leads. */
const labeller: GuestFunction = async ({ name, client, informer, workQueue, elector }) => {
  const queue = workQueue();
  const maps = informer(BUILTIN_HANDLES.configMaps, {
    namespace: 'default',
    added: (map) => queue.add(keyOfObject(map)),
  });
  await maps.whenSynced();
  const election = elector({ name: 'labeller' });
  await election.acquire();
  for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
    const map = maps.get(key);
    try {
      if (map)
        await client.configMaps.patch(map.metadata.name ?? '', {
          type: 'merge',
          body: { metadata: { labels: { by: name } } },
        });
      queue.forget(key);
    } catch {
      queue.addRateLimited(key);
    }
    queue.done(key);
  }
};

describe('a guest made of the tools of controllers', () => {
  test('does its work through refusals, and leaves it to another one when it has crashed', async () => {
    const cluster = createCluster();
    cluster.guest('one', labeller);
    await cluster.guests.advance(seconds(5));
    cluster.guest('two', labeller);
    cluster.faults.failRequests({ actor: 'guest/one', verb: 'patch', count: 3 });
    await cluster.guests.client.configMaps.create({ metadata: { name: 'a' } });
    const by = async (name: string): Promise<string | undefined> =>
      (await cluster.guests.client.configMaps.get(name)).metadata.labels?.['by'];
    expect(await cluster.guests.eventually(async () => await by('a'))).toBe('one');
    cluster.faults.crash('guest/one');
    await cluster.guests.client.configMaps.create({ metadata: { name: 'b' } });
    expect(await cluster.guests.eventually(async () => await by('b'))).toBe('two');
  });

  test('asks for anything', async () => {
    const cluster = createCluster();
    const seen: unknown[] = [];
    cluster.guest('one', async ({ request }) => {
      const { status, body } = await request('GET', '/readyz');
      seen.push(status, body);
    });
    await cluster.guests.advance(seconds(5));
    expect(seen).toEqual([200, 'ok']);
  });

  test('is told the last value that was not yet right, or the last failure', async () => {
    const cluster = createCluster();
    const within = seconds(1);
    await expect(cluster.guests.eventually(() => false, { within })).rejects.toThrow(
      'not within 1.000000s: the last value was false',
    );
    const failing = cluster.guests.eventually(() => cluster.guests.client.configMaps.get('none'), { within });
    await expect(failing).rejects.toThrow(/not within 1.000000s: configmaps "none" not found/);
    expect(() => createCluster().eventually(() => undefined, { within })).toThrow(
      /the last value was undefined/,
    );
  });
});

test('failures say what they are, and where the call was made', () => {
  const cluster = createCluster();
  cluster.faults.failRequests({ resource: 'configmaps', status: 503, retryAfterSeconds: 7 });
  let error: unknown;
  try {
    cluster.client.configMaps.update({ metadata: { name: 'a' } });
  } catch (caught) {
    error = caught;
  }
  expect([isServerError(error), isTimeout(error), retryAfter(error)]).toEqual([true, false, 7]);
  expect((error as Error).stack).toMatch(/guest-tools\.test\.ts/);
});
