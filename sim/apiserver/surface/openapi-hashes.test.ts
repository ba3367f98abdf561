/** Clients keep documents by the hash that the index names: headers as a real server of 1.31 answers them. */
import { expect, it } from 'vitest';
import { createCluster, WireUser } from '../../index.ts';

const user = { name: 'admin', groups: ['system:masters'] };
const NAME = '/openapi/v3/apis/batch/v1';
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

function asking() {
  const wire = new WireUser(createCluster({ controllers: [], scheduler: false }));
  return (
    path: string,
    query: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const answer = wire.request({
      method: 'GET',
      path,
      user,
      query,
      headers: { accept: 'application/json', ...headers },
    });
    return { status: answer?.status, headers: Object.fromEntries(answer?.headers ?? []), body: answer?.body };
  };
}

const hashIn = (index: unknown): string =>
  new RegExp(`${NAME}\\?hash=([0-9A-F]+)`).exec(String(index))?.[1] ?? '';

it('a document that is asked for by the hash of the index may be kept for a year', () => {
  const ask = asking();
  const hash = hashIn(ask('/openapi/v3', {}).body);
  const { status, headers } = ask(NAME, { hash });
  expect([status, headers['cache-control'], headers['etag']]).toEqual([
    200,
    'public, immutable',
    `"${hash}"`,
  ]);
  expect(headers['expires']).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d UTC$/);
  const again = ask(NAME, { hash }, { 'if-none-match': `"${hash}"` });
  expect([again.status, again.headers['cache-control']]).toEqual([304, 'public, immutable']);
});

it('another hash leads to the one of the index, and without one nothing is kept', () => {
  const ask = asking();
  const hash = hashIn(ask('/openapi/v3', {}).body);
  const moved = ask(NAME, { hash: 'old' });
  expect([moved.status, moved.headers['location']]).toEqual([301, `${NAME}?hash=${hash}`]);
  expect(ask(NAME, {}).headers).toMatchObject({ etag: `"${hash}"`, 'cache-control': 'no-cache, private' });
  expect(ask(NAME, { hash: 'old' }, { accept: 'text/plain' }).status).toBe(406);
});

it('aggregated discovery may be kept for everybody', () => {
  const ask = asking();
  const { headers } = ask('/apis', {}, { accept: AGGREGATED });
  expect(headers).toMatchObject({ 'cache-control': 'public', vary: 'Accept' });
  const again = ask('/apis', {}, { accept: AGGREGATED, 'if-none-match': headers['etag'] ?? '' });
  expect([again.status, again.headers['cache-control'], again.headers['vary']]).toEqual([
    304,
    'public',
    'Accept',
  ]);
});
