import { beforeEach, expect, it } from 'vitest';
import { AUTHORITY, RSA_AUTHORITY } from '../../../api/certificates/certificates.fixture.ts';
import { VirtualServer } from '../../../cli/golden/virtual-server.ts';

const PATH = '/apis/certificates.k8s.io/v1alpha1/clustertrustbundles';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const apiGroup = 'rbac.authorization.k8s.io';

let server: VirtualServer;

function ask(user: string, method: string, path: string, body: object): number {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return server.request({
    method,
    path,
    headers: { authorization: `Bearer ${user}-token`, 'content-type': type },
    body: new TextEncoder().encode(JSON.stringify(body)),
  }).status;
}

function allow(name: string, users: readonly string[], rule: object): void {
  ask('admin', 'POST', `${RBAC}/clusterroles`, { metadata: { name }, rules: [rule] });
  ask('admin', 'POST', `${RBAC}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects: users.map((user) => ({ apiGroup, kind: 'User', name: user })),
  });
}

const create = (user: string, name: string, signerName: string): number =>
  ask(user, 'POST', PATH, { metadata: { name }, spec: { signerName, trustBundle: AUTHORITY } });

/** Both may write bundles; bob may attest for all signers of a domain. */
beforeEach(() => {
  server = new VirtualServer({ featureGates: 'AllAlpha=true', runtimeConfig: 'api/all=true' });
  const apiGroups = ['certificates.k8s.io'];
  allow('write', ['alice', 'bob'], { apiGroups, resources: ['clustertrustbundles'], verbs: ['*'] });
  allow('attest', ['bob'], {
    apiGroups,
    resources: ['signers'],
    resourceNames: ['example.com/*'],
    verbs: ['attest'],
  });
});

it('asks who binds a bundle to a signer for the right to attest', () => {
  expect(create('alice', 'unsigned', '')).toBe(201);
  expect(create('alice', 'example.com:s:a', 'example.com/s')).toBe(403);
  expect(create('bob', 'example.com:s:a', 'example.com/s')).toBe(201);
  expect(create('bob', 'other.com:s:a', 'other.com/s')).toBe(403);
});

it('asks again at each change but those for the collection of garbage', () => {
  const path = `${PATH}/example.com:s:a`;
  create('admin', 'example.com:s:a', 'example.com/s');
  const change = (user: string, body: object): number => ask(user, 'PATCH', path, body);
  expect(change('alice', { metadata: { labels: { a: 'b' } } })).toBe(403);
  expect(change('alice', { spec: { trustBundle: RSA_AUTHORITY } })).toBe(403);
  expect(change('alice', { metadata: { finalizers: ['example.com/a'] } })).toBe(200);
  expect(change('alice', {})).toBe(200);
  expect(change('bob', { spec: { trustBundle: RSA_AUTHORITY } })).toBe(200);
});
