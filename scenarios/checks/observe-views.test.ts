import { expect, test } from 'vitest';
import { createClusterWorld } from '../world/cluster-world.ts';
import type { WorldRequest } from '../world/world.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const SECOND = 1_000_000;

/** A world of two servers in which a client reads two objects from the second, which hears of no change any more. */
async function readLate(deed: WorldRequest) {
  const world = createClusterWorld({
    cluster: { apiServers: 2, nodes: { count: 0 }, controllers: [], scheduler: false },
    seed: 1,
    keepsViews: true,
  });
  const create = (name: string): WorldRequest => ({
    method: 'POST',
    path: PATH,
    body: { metadata: { name } },
  });
  for (const name of ['a', 'b']) await world.request(create(name));
  await world.advance(SECOND);
  await world.fault({ lagWatchCache: { server: 'apiserver/1', by: 3_600 * SECOND } });
  const made = world.revision;
  await world.request({ method: 'DELETE', path: `${PATH}/a` });
  await world.request(create('a'));
  await world.advance(2 * SECOND);
  await world.request({ method: 'GET', path: PATH, query: { resourceVersion: '0' }, server: 'apiserver/1' });
  await world.request(deed);
  await world.advance(SECOND);
  world.close();
  return { deeds: world.deedsOnOldViews ?? [], made };
}

test('who deletes another than it has read is told with what it had read, and from whom', async () => {
  const { deeds, made } = await readLate({ method: 'DELETE', path: `${PATH}/a` });
  expect(deeds).toHaveLength(1);
  expect(deeds[0]).toMatchObject({
    client: 'user/test',
    did: 'deleted ConfigMap default/a',
    name: 'a',
    created: made + 2,
    views: [
      {
        title: 'ConfigMap default/a',
        revision: made - 1,
        server: 'apiserver/1',
        stood: `another, created at ${made + 2}`,
      },
    ],
  });
  const [{ lag = 0 } = {}] = deeds[0]?.views ?? [];
  expect(lag).toBeGreaterThan(1.9 * SECOND);
  expect(lag).toBeLessThan(2.2 * SECOND);
});

test('what is made is made now; what is old beside it is told', async () => {
  const { deeds, made } = await readLate({ method: 'POST', path: PATH, body: { metadata: { name: 'c' } } });
  expect(deeds).toMatchObject([{ did: 'created ConfigMap default/c', views: [{ revision: made - 1 }] }]);
  expect(deeds[0]).not.toHaveProperty('created');
});

test('who is refused changed nothing', async () => {
  const body = { metadata: { name: 'a', resourceVersion: '1' } };
  expect((await readLate({ method: 'PUT', path: `${PATH}/a`, body })).deeds).toEqual([]);
});
