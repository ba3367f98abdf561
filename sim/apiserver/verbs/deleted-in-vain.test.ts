/**
 * A dry run of a deletion with which all finalizers of an object would go shows an object of nothing, as a real 1.31 server
 * does: what would go is not read again.
 */
import { expect, test } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

const ask = askedServer({});
ask('POST', '/api/v1/namespaces', { metadata: { name: 'default' } });
ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
  metadata: { name: 'as.x.example' },
  spec: {
    group: 'x.example',
    scope: 'Namespaced',
    names: { plural: 'as', kind: 'A' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});
ask.sleep(5_000);

const CORE = '/api/v1/namespaces/default';
const BARE = { creationTimestamp: null };
const ROLE = { kind: 'ClusterRole', apiVersion: 'rbac.authorization.k8s.io/v1', rules: null, metadata: BARE };
const SERVICE = { kind: 'Service', apiVersion: 'v1', metadata: BARE, spec: {}, status: { loadBalancer: {} } };
const BACKGROUND = { propagationPolicy: 'Background' };

test.each([
  [`${CORE}/configmaps`, {}, BACKGROUND, { kind: 'ConfigMap', apiVersion: 'v1', metadata: BARE }],
  [
    `${CORE}/configmaps`,
    {},
    { orphanDependents: false },
    { kind: 'ConfigMap', apiVersion: 'v1', metadata: BARE },
  ],
  [`${CORE}/services`, { spec: { ports: [{ port: 80 }] } }, BACKGROUND, SERVICE],
  ['/apis/rbac.authorization.k8s.io/v1/clusterroles', {}, BACKGROUND, ROLE],
])('in %s %j with %j', (path, more, options, shown) => {
  for (const finalizers of [['orphan'], ['foregroundDeletion']]) {
    const metadata = { name: `x-${finalizers.join()}`.toLowerCase(), finalizers };
    expect(ask('POST', path, { metadata, ...more }).status).toBe(201);
    const { status, body } = ask('DELETE', `${path}/${metadata.name}`, { ...options, dryRun: ['All'] });
    expect([status, body]).toEqual([200, shown]);
    expect(ask('GET', `${path}/${metadata.name}`).status).toBe(200);
    ask('DELETE', `${path}/${metadata.name}`, options);
    expect(ask('GET', `${path}/${metadata.name}`).status).toBe(404);
  }
});

test('of a custom resource says its kind alone', () => {
  const path = '/apis/x.example/v1/namespaces/default/as';
  const kind = { apiVersion: 'x.example/v1', kind: 'A' };
  expect(ask('POST', path, { ...kind, metadata: { name: 'x', finalizers: ['orphan'] } }).status).toBe(201);
  const { status, body } = ask('DELETE', `${path}/x`, { ...BACKGROUND, dryRun: ['All'] });
  expect([status, body]).toEqual([200, kind]);
});

test.each([
  [[], BACKGROUND, 'Status'],
  [['orphan', 'a.b/c'], BACKGROUND, 'ConfigMap'],
  [['orphan'], {}, 'ConfigMap'],
])('is not shown so where its finalizers are %j, with %j: %s', (finalizers, options, kind) => {
  const path = `${CORE}/configmaps`;
  ask('POST', path, { metadata: { name: 'y', finalizers } });
  const { body } = ask('DELETE', `${path}/y`, { ...options, dryRun: ['All'] });
  expect(body).toMatchObject({ kind, ...(kind === 'ConfigMap' && { metadata: { name: 'y' } }) });
  ask('PATCH', `${path}/y`, { metadata: { finalizers: null } });
  ask('DELETE', `${path}/y`);
});
