import { expect, test } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';
import { createCluster, seconds, WireUser } from '../../index.ts';

const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const LABEL = 'kube-aggregator.kubernetes.io/automanaged';

const version = (name: string, storage = false, served = true) => ({
  name,
  served,
  storage,
  schema: { openAPIV3Schema: { type: 'object' } },
});

const definition = (plural: string, kind: string, versions: readonly object[], group = 'own.io') => ({
  metadata: { name: `${plural}.${group}` },
  spec: { group, scope: 'Cluster', names: { plural, kind }, versions },
});

const spec = (name: string, group = 'own.io') => ({
  group,
  version: name,
  groupPriorityMinimum: 1000,
  versionPriority: 100,
});

type Ask = ReturnType<typeof askedServer>;

const uidOf = (ask: Ask, name: string): unknown =>
  (ask('GET', `${SERVICES}/${name}`).body as { metadata?: { uid?: string } }).metadata?.uid;

/** Names and versions of what `/apis` lists. */
const groupsOf = (ask: Ask): readonly string[] =>
  (
    ask('GET', '/apis').body as unknown as { groups: { name: string; versions: { version: string }[] }[] }
  ).groups.map(({ name, versions }) => `${name} ${versions.map((each) => each.version).join(',')}`);

function asked(...definitions: readonly object[]): Ask {
  const ask = askedServer();
  for (const body of definitions) expect(ask('POST', DEFINITIONS, body).status).toBe(201);
  ask.sleep(1000);
  return ask;
}

test('each version that a definition serves has an APIService, until none serves it any more', () => {
  const ask = asked(
    definition('foos', 'Foo', [version('v1', true), version('v2'), version('v3', false, false)]),
  );
  expect(ask('GET', `${SERVICES}/v1.own.io`).body).toMatchObject({
    metadata: {
      labels: { [LABEL]: 'true' },
      managedFields: [
        {
          manager: 'kube-apiserver',
          operation: 'Update',
          fieldsV1: {
            'f:metadata': { 'f:labels': { '.': {}, [`f:${LABEL}`]: {} } },
            'f:spec': {
              'f:group': {},
              'f:groupPriorityMinimum': {},
              'f:version': {},
              'f:versionPriority': {},
            },
          },
        },
      ],
    },
    spec: spec('v1'),
    status: {
      conditions: [{ status: 'True', reason: 'Local', message: 'Local APIServices are always available' }],
    },
  });
  expect(ask('GET', `${SERVICES}/v2.own.io`).body).toMatchObject({ spec: spec('v2') });
  expect(ask('GET', `${SERVICES}/v3.own.io`).status).toBe(404);
  // Its names are taken, and yet it is registered.
  ask('POST', DEFINITIONS, definition('bars', 'Foo', [version('v1', true), version('v7')]));
  ask.sleep(1000);
  expect(ask('GET', `${SERVICES}/v7.own.io`).body).toMatchObject({ spec: spec('v7') });
  ask('DELETE', `${DEFINITIONS}/foos.own.io`);
  ask.sleep(1000);
  expect(ask('GET', `${SERVICES}/v1.own.io`).status).toBe(200);
  expect(ask('GET', `${SERVICES}/v2.own.io`).status).toBe(404);
  ask('DELETE', `${DEFINITIONS}/bars.own.io`);
  ask.sleep(1000);
  expect(ask('GET', `${SERVICES}/v1.own.io`).status).toBe(404);
});

test('one that is deleted comes back anew, one that is changed as it was, one without the label is left alone', () => {
  const ask = asked(definition('foos', 'Foo', [version('v1', true), version('v2'), version('v3')]));
  const first = uidOf(ask, 'v1.own.io');
  ask('DELETE', `${SERVICES}/v1.own.io`);
  ask('PATCH', `${SERVICES}/v2.own.io`, {
    metadata: { labels: { a: 'b' } },
    spec: { versionPriority: 5, service: { name: 'a', namespace: 'default' }, insecureSkipTLSVerify: true },
  });
  ask('PATCH', `${SERVICES}/v3.own.io`, {
    metadata: { labels: { [LABEL]: null } },
    spec: { versionPriority: 7 },
  });
  ask.sleep(1000);
  expect(uidOf(ask, 'v1.own.io')).not.toBe(first);
  expect(ask('GET', `${SERVICES}/v1.own.io`).status).toBe(200);
  const changed = ask('GET', `${SERVICES}/v2.own.io`).body;
  expect(changed).toMatchObject({ metadata: { labels: { a: 'b', [LABEL]: 'true' } }, spec: spec('v2') });
  expect(changed?.['spec']).toEqual(spec('v2'));
  expect(ask('GET', `${SERVICES}/v3.own.io`).body).toMatchObject({ spec: { versionPriority: 7 } });
  ask('DELETE', `${DEFINITIONS}/foos.own.io`);
  ask.sleep(1000);
  expect(ask('GET', `${SERVICES}/v2.own.io`).status).toBe(404);
  expect(ask('GET', `${SERVICES}/v3.own.io`).status).toBe(200);
});

test('one with the label and no definition goes, and one of other labels stays as it is', () => {
  const own = (group: string, label?: string) => ({
    metadata: { name: `v1.${group}`, ...(label && { labels: { [LABEL]: label } }) },
    spec: { group, version: 'v1', groupPriorityMinimum: 5, versionPriority: 6 },
  });
  const ask = askedServer();
  for (const body of [own('a.io', 'true'), own('b.io', 'onstart'), own('c.io', 'foo'), own('d.io')])
    expect(ask('POST', SERVICES, body).status).toBe(201);
  ask.sleep(1000);
  for (const group of ['a.io', 'b.io', 'c.io', 'd.io'])
    ask('POST', DEFINITIONS, definition('foos', 'Foo', [version('v1', true)], group));
  ask.sleep(1000);
  expect(ask('GET', `${SERVICES}/v1.a.io`).body).toMatchObject({ spec: spec('v1', 'a.io') });
  for (const group of ['b.io', 'c.io', 'd.io'])
    expect(ask('GET', `${SERVICES}/v1.${group}`).body).toMatchObject({ spec: { versionPriority: 6 } });
});

test('who has no service is available, whatever anybody says', () => {
  const ask = asked(definition('foos', 'Foo', [version('v1', true)]));
  ask('PATCH', `${SERVICES}/v1.own.io/status`, { status: { conditions: [] } });
  ask.sleep(1000);
  expect(ask('GET', `${SERVICES}/v1.own.io`).body).toMatchObject({
    metadata: {
      managedFields: [{ operation: 'Update' }, { manager: 'kube-apiserver', subresource: 'status' }],
    },
    status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
  });
});

test('the list of groups follows the APIServices, also those of built-in versions, which come back at a start alone', () => {
  const ask = asked(definition('foos', 'Foo', [version('v1', true), version('v1beta1')]));
  expect(groupsOf(ask).at(-1)).toBe('own.io v1,v1beta1');
  ask('DELETE', `${SERVICES}/v1.apps`);
  ask('PATCH', `${SERVICES}/v1.batch`, { spec: { groupPriorityMinimum: 900 } });
  ask('PATCH', `${SERVICES}/v1.autoscaling`, { spec: { versionPriority: 900 } });
  ask('PATCH', `${SERVICES}/v1beta1.own.io`, {
    metadata: { labels: null },
    spec: { groupPriorityMinimum: 18_700, versionPriority: 300 },
  });
  ask.sleep(1000);
  const groups = groupsOf(ask);
  expect(groups.slice(0, 2)).toEqual(['apiregistration.k8s.io v1', 'own.io v1beta1,v1']);
  expect(groups.at(-1)).toBe('batch v1');
  expect(groups).toContain('autoscaling v1,v2');
  expect(groups).not.toContain('apps v1');
  expect(ask('GET', '/apis/apps').body).toMatchObject({ kind: 'APIGroup', versions: [{ version: 'v1' }] });
  expect(ask('GET', '/apis/apps/v1/deployments').status).toBe(200);
});

test('the APIService of the last definition goes, though no server was there when the definition went', () => {
  const cluster = createCluster({ controllers: [] });
  const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
  const body = definition('foos', 'Foo', [version('v1', true)]);
  new WireUser(cluster).request({ method: 'POST', path: DEFINITIONS, user, body });
  cluster.advance(seconds(1));
  const registered = (): boolean =>
    cluster.storage.get('/registry/apiregistration.k8s.io/apiservices/v1.own.io') !== undefined;
  cluster.faults.crash('apiserver/0');
  expect(registered()).toBe(true);
  const key = '/registry/apiextensions.k8s.io/customresourcedefinitions/foos.own.io';
  cluster.storage.transact({ compare: [], success: [{ kind: 'delete', key }] });
  cluster.faults.restart('apiserver/0');
  cluster.advance(seconds(5));
  expect(registered()).toBe(false);
});
