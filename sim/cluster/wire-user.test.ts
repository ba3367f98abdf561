import { expect, test } from 'vitest';
import { createCluster, seconds, WireUser } from '../index.ts';

const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const PATH = '/api/v1/namespaces/default/configmaps';

function setUp() {
  const cluster = createCluster({ nodes: 0, controllers: [], scheduler: false });
  const wire = new WireUser(cluster);
  const create = (name: string): number | undefined =>
    wire.request({ method: 'POST', path: PATH, user, body: { metadata: { name } } })?.status;
  return { cluster, create };
}

test('a user whose server fell silent has a new connection as soon as nothing came for a while', () => {
  const { cluster, create } = setUp();
  expect(create('before')).toBe(201);
  cluster.faults.crash('apiserver/0', { isSilent: true });
  expect(create('meanwhile')).toBeUndefined();
  cluster.faults.restart('apiserver/0');
  cluster.advance(seconds(5));
  expect(create('afterwards')).toBe(201);
});

test.each([
  [44, undefined],
  [46, 201],
])('a user who asked nothing for %d s of a server that fell silent and began anew: %s', (span, status) => {
  const { cluster, create } = setUp();
  expect(create('before')).toBe(201);
  cluster.faults.crash('apiserver/0', { isSilent: true });
  cluster.faults.restart('apiserver/0');
  cluster.advance(seconds(span));
  expect(create('afterwards')).toBe(status);
  expect(create('again')).toBe(201);
});
