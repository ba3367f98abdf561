/** When addresses and node ports are chosen: before others admit a Service, as a real server was asked. */
import { expect, test } from 'vitest';
import { type Ask, askedServer } from '../../../../cli/golden/asked-server.ts';
import type { Service } from '../../../../api/types/core-v1.ts';
import type { Draft, HookContext } from '../../strategy.ts';
import { allocateAddresses, reallocateAddresses } from './service-addresses.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const GROUP = '/apis/admissionregistration.k8s.io/v1';

/** Tells in warnings what a policy sees: whether there are an address, a node port, a port of health checks, a policy. */
function watched(): Ask {
  const ask = askedServer();
  const told = [
    "(has(object.spec.clusterIP) && object.spec.clusterIPs == [object.spec.clusterIP] ? 'ip ' : '')",
    "(has(object.spec.ports) && object.spec.ports.all(p, has(p.nodePort)) ? 'port ' : '')",
    "(has(object.spec.healthCheckNodePort) ? 'health ' : '')",
    "(has(object.spec.internalTrafficPolicy) ? 'internal ' : '')",
  ].join(' + ');
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['services'] };
  const validations = [
    { expression: "object.metadata.name != 'refused'" },
    { expression: 'false', messageExpression: `'sees ' + ${told}` },
  ];
  ask('POST', `${GROUP}/validatingadmissionpolicies`, {
    metadata: { name: 'p' },
    spec: { matchConstraints: { resourceRules: [rule] }, validations },
  });
  ask('POST', `${GROUP}/validatingadmissionpolicybindings`, {
    metadata: { name: 'b' },
    spec: { policyName: 'p', validationActions: ['Warn'] },
  });
  ask.sleep(2_000);
  return ask;
}

const seen = (warnings: readonly string[]): string =>
  warnings.map((text) => text.replace(/.*: sees ?/, '').trim()).join();

const service = (name: string, spec: object) => ({
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
});
const LOCAL = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };

test.each([
  ['', {}, 'ip internal'],
  ['?dryRun=All', {}, 'ip internal'],
  ['', { type: 'NodePort' }, 'ip port internal'],
  ['?dryRun=All', { type: 'NodePort' }, 'ip port internal'],
  ['', LOCAL, 'ip port health internal'],
  ['?dryRun=All', LOCAL, 'ip port health internal'],
])('who admits a new Service%s of %j sees: %s %s', (query, spec, told) => {
  expect(seen(watched()('POST', SERVICES + query, service('a', spec)).warnings)).toBe(told);
});

test('who admits a change sees what the new type needs, and what the old one leaves behind', () => {
  const ask = watched();
  ask('POST', SERVICES, service('a', {}));
  const change = (spec: object) => {
    const { warnings, status } = ask('PATCH', `${SERVICES}/a`, { spec });
    return [status, seen(warnings)];
  };
  expect(change({ type: 'NodePort' })).toEqual([200, 'ip port internal']);
  expect(change({ type: 'ClusterIP' })).toEqual([200, 'ip internal']);
  expect(change(LOCAL)).toEqual([200, 'ip port health internal']);
  const bare = { type: 'ExternalName', externalName: 'x.y', clusterIP: null, clusterIPs: null };
  expect(change(bare)).toEqual([200, 'internal']);
  expect(ask('GET', `${SERVICES}/a`).body).not.toHaveProperty('spec.internalTrafficPolicy');
});

test('what a refused Service was given is free again', () => {
  const ask = askedServer();
  ask('POST', `${GROUP}/validatingadmissionpolicies`, {
    metadata: { name: 'p' },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['services'] }],
      },
      validations: [{ expression: "object.metadata.name != 'refused'" }],
    },
  });
  ask('POST', `${GROUP}/validatingadmissionpolicybindings`, {
    metadata: { name: 'b' },
    spec: { policyName: 'p', validationActions: ['Deny'] },
  });
  ask.sleep(2_000);
  const spec = { type: 'NodePort', clusterIP: '10.96.7.7', ports: [{ port: 80, nodePort: 30_777 }] };
  expect(ask('POST', SERVICES, service('refused', spec)).status).toBe(422);
  expect(ask('POST', SERVICES, service('a', spec)).status).toBe(201);
  expect(ask('POST', SERVICES, service('b', spec)).body.message).toContain('already allocated');
});

/** Those that are stored, and a chance that always answers the same. */
const among = (services: readonly Service[]): HookContext =>
  ({ isDryRun: false, lookupAll: () => services, uint32: () => 4 }) as unknown as HookContext;

const draftOf = (spec: object): Draft<Service> => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'late', namespace: 'default' },
  spec: { type: 'NodePort', ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }], ...spec },
});

test('what others took while somebody thought is chosen anew, and refused where the request names it', () => {
  const late = draftOf({});
  allocateAddresses(late, undefined, among([]));
  const [ip, port] = [late.spec?.clusterIP, late.spec?.ports?.[0]?.nodePort];
  const other = { ...late, metadata: { name: 'early', namespace: 'default' } } as Service;
  reallocateAddresses(late, undefined, among([]));
  expect([late.spec?.clusterIP, late.spec?.ports?.[0]?.nodePort]).toEqual([ip, port]);
  const present = among([structuredClone(other)]);
  reallocateAddresses(late, undefined, present);
  expect(late.spec?.clusterIP).not.toBe(ip);
  expect(late.spec?.clusterIPs).toEqual([late.spec?.clusterIP]);
  expect(late.spec?.ports?.[0]?.nodePort).not.toBe(port);
  const again = draftOf({});
  allocateAddresses(again, undefined, among([]));
  allocateAddresses(again, undefined, among([]));
  reallocateAddresses(again, undefined, present);
  expect([again.spec?.clusterIP, again.spec?.ports?.[0]?.nodePort]).toEqual([
    late.spec?.clusterIP,
    late.spec?.ports?.[0]?.nodePort,
  ]);
  const named = draftOf({ clusterIP: ip, clusterIPs: [ip] });
  allocateAddresses(named, undefined, among([]));
  expect(() => reallocateAddresses(named, undefined, present)).toThrow('already allocated');
});
