/** A watch ends, as a real 1.31 server ends it, about a second after its definition says something else or is made anew. */
import { expect, it } from 'vitest';
import { createCluster, milliseconds, seconds, WireUser } from '../../index.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { Method } from '../../client/protocol.ts';
import type { Process } from '../../engine/process.ts';

const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const DEFINITION = `${DEFINITIONS}/gears.example.com`;
const GEARS = '/apis/example.com/v1/gears';

const definition = (shortNames: readonly string[] = []) => ({
  metadata: { name: 'gears.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'gears', kind: 'Gear', shortNames },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});

function defined() {
  const cluster: Cluster = createCluster({ controllers: [], scheduler: false });
  const wire = new WireUser(cluster);
  const type = 'application/merge-patch+json';
  const ask = (method: Method, path: string, body?: object): number | undefined =>
    wire.request({ method, path, user, ...(body && { body, headers: { 'content-type': type } }) })?.status;
  const post = (path: string, body: object): number | undefined =>
    wire.request({ method: 'POST', path, user, body })?.status;
  const make = (name: string) =>
    post(GEARS, { apiVersion: 'example.com/v1', kind: 'Gear', metadata: { name } });
  const watch = () => wire.watch({ method: 'GET', path: GEARS, query: { watch: '1' }, user });
  post(DEFINITIONS, definition());
  cluster.advance(seconds(1));
  return { cluster, ask, post, make, watch };
}

function watched() {
  const { watch: open, ...world } = defined();
  const watch = open().log;
  const told = (): readonly string[] => (watch?.events ?? []).map(({ type: each }) => each);
  return { ...world, told, isEnded: () => watch?.isEnded };
}

it('a watch hears for a second of what its definition makes otherwise, and ends', () => {
  const { cluster, ask, make, told, isEnded } = watched();
  expect(ask('PATCH', DEFINITION, { spec: { names: { shortNames: ['g'] } } })).toBe(200);
  cluster.advance(milliseconds(500));
  expect(make('a')).toBe(201);
  cluster.advance(milliseconds(100));
  expect([told(), isEnded()]).toEqual([['ADDED'], false]);
  cluster.advance(seconds(1));
  expect(isEnded()).toBe(true);
});

it('a watch goes on where its definition says the same under other labels', () => {
  const { cluster, ask, make, told, isEnded } = watched();
  expect(ask('PATCH', DEFINITION, { metadata: { labels: { a: 'b' } } })).toBe(200);
  cluster.advance(seconds(5));
  expect(make('a')).toBe(201);
  cluster.advance(seconds(1));
  expect([told(), isEnded()]).toEqual([['ADDED'], false]);
});

it('a watch does not go on with a definition that is back at once', () => {
  const { cluster, ask, post, make, told, isEnded } = watched();
  expect([make('a'), ask('DELETE', DEFINITION)]).toEqual([201, 200]);
  cluster.advance(milliseconds(20));
  expect(post(DEFINITIONS, definition())).toBe(201);
  cluster.advance(seconds(2));
  expect(make('b')).toBe(201);
  cluster.advance(seconds(1));
  expect([told(), isEnded()]).toEqual([['ADDED', 'DELETED'], true]);
});

const { customResourceDefinitions } = BUILTIN_HANDLES;
const NAME = 'gears.example.com';

/** It waits until its server has heard of what was written before, which takes two seconds: what it waits at may end sooner. */
it.each([
  ['changed', 0.1],
  ['changed', 1.5],
  ['taken away', 0.1],
  ['taken away', 1.5],
] as const)('a watch that waits while its definition is %s, after %s s, has an end', (what, after) => {
  const { cluster, make, watch } = defined();
  const { context } = cluster.user;
  cluster.lagWatchCaches(seconds(2));
  expect(make('a')).toBe(201);
  const meddle = function* (): Process<void> {
    yield* context.sleep(milliseconds(after * 1_000));
    const body = { spec: { names: { shortNames: ['g'] } } };
    if (what === 'changed')
      yield* cluster.userClient.patch(customResourceDefinitions, NAME, { type: 'merge', body });
    else yield* cluster.userClient.delete(customResourceDefinitions, NAME);
  };
  context.spawn('meddle', meddle());
  const began = cluster.now;
  const { answer, log } = watch();
  expect(cluster.now - began, 'time that it waits').toBeGreaterThan(seconds(1.8));
  cluster.advance(seconds(8));
  expect([answer?.status, log?.isEnded]).toEqual([200, true]);
});
