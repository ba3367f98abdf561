/** Whose the fields of a server's first roles, flow schemas and levels are: who applies them meets the server. */
import { expect, it } from 'vitest';
import type { ManagedFieldsEntry } from '../../api/object.ts';
import { createCluster, findRelease, WireUser } from '../../index.ts';

const ROLE = '/apis/rbac.authorization.k8s.io/v1/clusterroles/system:basic-user';
const user = { name: 'admin', groups: ['system:masters'] };

function served(name = '1.31') {
  const release = findRelease(name);
  const cluster = createCluster({ controllers: [], scheduler: false, ...(release && { release }) });
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

it('is nobody where nobody is noted', () => {
  expect(served('1.17').ask('GET', ROLE).body.metadata.managedFields).toBeUndefined();
});
