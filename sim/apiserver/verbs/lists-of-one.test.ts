import { expect, test } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const EVERYWHERE = '/api/v1/configmaps';
const NAMED = 'fieldSelector=metadata.name=a';
const THERE = `${NAMED},metadata.namespace=default`;

/** Config maps `a` in two namespaces. */
function server() {
  const ask = askedServer();
  ask('POST', '/api/v1/namespaces', { metadata: { name: 'other' } });
  ask('POST', CONFIG_MAPS, { metadata: { name: 'a' } });
  ask('POST', '/api/v1/namespaces/other/configmaps', { metadata: { name: 'a' } });
  return ask;
}

test.each([
  [CONFIG_MAPS, NAMED],
  [CONFIG_MAPS, THERE],
  [EVERYWHERE, THERE],
  ['/api/v1/namespaces', 'fieldSelector=metadata.name=default'],
])(
  'of %s with %s one key is read: it is whole and no older than the version, whatever its limit',
  (path, query) => {
    const ask = server();
    const { status, body } = ask('GET', `${path}?${query}&limit=1&resourceVersion=1`);
    expect([status, body['items']]).toEqual([200, [expect.anything()]]);
    expect(body.metadata).not.toHaveProperty('continue');
    expect(ask('GET', `${path}?${query}&limit=1&resourceVersion=999999`).status).toBe(504);
    const exact = 'resourceVersion=1&resourceVersionMatch=Exact';
    expect(ask('GET', `${path}?${query}&limit=1&${exact}`).body['items']).toEqual([]);
  },
);

test('a list of one that continues another is cut into pages like any list', () => {
  const ask = server();
  for (const name of ['b', 'c']) ask('POST', CONFIG_MAPS, { metadata: { name } });
  const first = ask('GET', `${CONFIG_MAPS}?limit=1`).body.metadata as { readonly continue?: string };
  const rest = (name: string) =>
    ask(
      'GET',
      `${CONFIG_MAPS}?limit=1&fieldSelector=metadata.name=${name}&continue=${first.continue ?? 'none'}`,
    ).body;
  expect([rest('b')['items'], rest('c')['items'], rest('a')['items']]).toEqual([
    [expect.anything()],
    [expect.anything()],
    [],
  ]);
  expect(rest('b').metadata).toHaveProperty('continue');
  expect(rest('c').metadata).not.toHaveProperty('continue');
});

test('of a name in every namespace there are pages, of the version that is named', () => {
  const ask = server();
  expect(ask('GET', `${EVERYWHERE}?${NAMED}&limit=1`).body.metadata).toHaveProperty('continue');
  expect(ask('GET', `${EVERYWHERE}?${NAMED}&limit=1&resourceVersion=1`).body['items']).toEqual([]);
  expect(ask('GET', `${EVERYWHERE}?${NAMED}&limit=1&resourceVersion=999999`).status).toBe(500);
});
