/** Whose the fields of a server's first objects are: who applies them meets the server. */
import { expect, it } from 'vitest';
import type { ManagedFieldsEntry } from '../../api/object.ts';
import { assembleCluster } from '../../cluster/create-cluster.ts';
import { Simulation } from '../../engine/simulation.ts';
import { MemoryStorage } from '../../storage/memory-storage.ts';
import type { StoredObject } from '../stores/stored-object.ts';
import { type Cluster, createCluster, findRelease, seconds, WireUser } from '../../index.ts';

const ROLE = '/apis/rbac.authorization.k8s.io/v1/clusterroles/system:basic-user';
const user = { name: 'admin', groups: ['system:masters'] };

function served(name = '1.31') {
  const release = findRelease(name);
  return askable(createCluster({ controllers: [], scheduler: false, ...(release && { release }) }));
}

function askable(cluster: Cluster) {
  const wire = new WireUser(cluster);
  const ask = (method: 'GET' | 'PATCH', path: string, body?: object, type = '') => {
    const query = method === 'PATCH' ? { fieldManager: 'mine' } : {};
    const headers = { accept: 'application/json', 'content-type': type };
    const answer = wire.request({ method, path, user, query, headers, ...(body && { body }) });
    return { status: answer?.status, body: JSON.parse(String(answer?.body)) as Answered };
  };
  return { cluster, ask };
}

interface Answered {
  readonly message?: string;
  readonly metadata: { readonly managedFields?: readonly ManagedFieldsEntry[] };
}

const managersOf = ({ metadata: { managedFields = [] } }: Answered) =>
  managedFields.map(
    ({ manager, operation, subresource = '' }) => `${operation} ${manager ?? ''} ${subresource}`,
  );

it('is the server itself, of what controllers add up only the rule', () => {
  const { ask } = served();
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', rules: [] };
  const applied = ask('PATCH', ROLE, { ...role, metadata: { name: 'system:basic-user' } }, APPLY);
  expect(applied.status).toBe(409);
  expect(applied.body.message).toContain(
    'conflict with "kube-apiserver" using rbac.authorization.k8s.io/v1: .rules',
  );
  const summed = ask('GET', ROLE.replace('system:basic-user', 'view')).body.metadata.managedFields;
  expect(Object.keys(summed?.[0]?.fieldsV1 ?? {})).toEqual(['f:aggregationRule', 'f:metadata']);
});

const APPLY = 'application/apply-patch+yaml';

it('is who makes flow schemas and levels, and who says of schemas what they lack', () => {
  const { ask } = served();
  const path = '/apis/flowcontrol.apiserver.k8s.io/v1';
  expect(managersOf(ask('GET', `${path}/flowschemas/probes`).body)).toEqual([
    'Apply api-priority-and-fairness-config-consumer-v1 status',
    'Update api-priority-and-fairness-config-producer-v1 ',
  ]);
  expect(managersOf(ask('GET', `${path}/prioritylevelconfigurations/exempt`).body)).toEqual([
    'Update api-priority-and-fairness-config-producer-v1 ',
  ]);
});

it('is the server again for what it gives back when it starts', () => {
  const { cluster, ask } = served();
  ask('PATCH', ROLE, { rules: [] }, 'application/merge-patch+json');
  expect(managersOf(ask('GET', ROLE).body)).toEqual(['Update kube-apiserver ', 'Update mine ']);
  const [server = ''] = cluster.apiServers.map(({ name }) => name);
  cluster.faults.crash(server);
  cluster.faults.restart(server);
  cluster.settle();
  expect(managersOf(ask('GET', ROLE).body)).toEqual(['Update kube-apiserver ']);
});

/** As a real server of 1.31 answers. */
const OWN: readonly (readonly [path: string, fields: object])[] = [
  [
    '/api/v1/namespaces/kube-node-lease',
    { 'f:metadata': { 'f:labels': { '.': {}, 'f:kubernetes.io/metadata.name': {} } } },
  ],
  [
    '/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical',
    { 'f:description': {}, 'f:preemptionPolicy': {}, 'f:value': {} },
  ],
  [
    '/api/v1/namespaces/default/services/kubernetes',
    {
      'f:metadata': { 'f:labels': { '.': {}, 'f:component': {}, 'f:provider': {} } },
      'f:spec': {
        'f:clusterIP': {},
        'f:internalTrafficPolicy': {},
        'f:ipFamilyPolicy': {},
        'f:ports': {
          '.': {},
          'k:{"port":443,"protocol":"TCP"}': {
            '.': {},
            'f:name': {},
            'f:port': {},
            'f:protocol': {},
            'f:targetPort': {},
          },
        },
        'f:sessionAffinity': {},
        'f:type': {},
      },
    },
  ],
  [
    '/api/v1/namespaces/default/endpoints/kubernetes',
    {
      'f:metadata': { 'f:labels': { '.': {}, 'f:endpointslice.kubernetes.io/skip-mirror': {} } },
      'f:subsets': {},
    },
  ],
  [
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes',
    {
      'f:addressType': {},
      'f:endpoints': {},
      'f:metadata': { 'f:labels': { '.': {}, 'f:kubernetes.io/service-name': {} } },
      'f:ports': {},
    },
  ],
];
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/apiserver-0';

it.each(OWN)('is the server, of %s', (path, fieldsV1) => {
  const { managedFields } = served().ask('GET', path).body.metadata;
  expect(managedFields).toMatchObject([{ manager: 'kube-apiserver', operation: 'Update', fieldsV1 }]);
  expect(managedFields?.[0]?.fieldsV1).toEqual(fieldsV1);
});

it('is the server, of its lease, since it was renewed', () => {
  const simulation = new Simulation({ seed: 1, epochMs: 0, isGuarded: false });
  const storage = new MemoryStorage<StoredObject>();
  const options = { identity: 'apiserver-0', storage, controllers: [], scheduler: false };
  const { cluster, ask } = askable(assembleCluster(simulation, options));
  cluster.advance(seconds(1));
  const timeOf = (): string | undefined => ask('GET', LEASE).body.metadata.managedFields?.[0]?.time;
  const first = timeOf();
  cluster.advance(seconds(31));
  expect(Date.parse(timeOf() ?? '') - Date.parse(first ?? '')).toBe(30_000);
  expect(managersOf(ask('GET', LEASE).body)).toEqual(['Update kube-apiserver ']);
});

it('is the server beside whoever has changed what it keeps', () => {
  const { cluster, ask } = served();
  const path = '/api/v1/namespaces/default/endpoints/kubernetes';
  ask('PATCH', path, { subsets: [], metadata: { labels: { own: 'yes' } } }, 'application/merge-patch+json');
  expect(managersOf(ask('GET', path).body)).toEqual(['Update kube-apiserver ', 'Update mine ']);
  cluster.advance(seconds(11));
  const { managedFields } = ask('GET', path).body.metadata;
  expect(managedFields?.map(({ fieldsV1 }) => fieldsV1)).toEqual([
    { 'f:metadata': { 'f:labels': { 'f:own': {} } } },
    OWN[3]?.[1],
  ]);
});

it('is nobody where nobody is noted', () => {
  for (const [path] of OWN.slice(0, 3))
    expect(served('1.17').ask('GET', path).body.metadata.managedFields).toBeUndefined();
  expect(served('1.17').ask('GET', ROLE).body.metadata.managedFields).toBeUndefined();
});
