/** Rules of changes and of dry runs, as a real 1.31 server has them. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type Ask, askedServer } from '../../../cli/golden/asked-server.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const SERVICES = `${NAMESPACE}/services`;
const CLAIMS = `${NAMESPACE}/persistentvolumeclaims`;
const CLAIM = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

let ask: Ask;
beforeAll(() => {
  ask = askedServer();
});

describe('a service', () => {
  test('gets node ports behind the highest that a dry run named so far', () => {
    const ports = [
      { name: 'a', port: 80 },
      { name: 'b', port: 81, nodePort: 30_001 },
      { name: 'c', port: 82 },
    ];
    const nodePorts = (from: number): unknown =>
      (
        ask('POST', `${SERVICES}?dryRun=All`, {
          metadata: { name: 's' },
          spec: { type: 'NodePort', ports: ports.slice(from) },
        }).body as { spec?: { ports?: { nodePort?: number }[] } }
      ).spec?.ports?.map(({ nodePort }) => nodePort);
    expect(nodePorts(0)).toEqual([32_769, 30_001, 32_770]);
    expect(nodePorts(1)).toEqual([30_001, 30_002]);
  });

  test('without a selector that gets one keeps its policy, not its families', () => {
    ask('POST', SERVICES, { metadata: { name: 'headless' }, spec: { clusterIP: 'None' } });
    const spec = { clusterIP: 'None', ports: [{ port: 80 }], selector: { a: 'b' } };
    const put = (more: object): string | undefined =>
      ask('PUT', `${SERVICES}/headless?dryRun=All`, {
        metadata: { name: 'headless' },
        spec: { ...spec, ...more },
      }).body.message;
    expect(put({})).toBe(
      'Service "headless" is invalid: spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    );
    expect(put({ ipFamilyPolicy: 'PreferDualStack' })).toBeUndefined();
  });
});

test('a claim may name any group for its source only if it named one before', () => {
  const source = { kind: 'A', name: 'b' };
  ask('POST', CLAIMS, { metadata: { name: 'plain' }, spec: CLAIM });
  ask('POST', CLAIMS, {
    metadata: { name: 'filled' },
    spec: { ...CLAIM, dataSourceRef: { ...source, apiGroup: 'a.b' } },
  });
  const put = (name: string): string | undefined =>
    ask('PUT', `${CLAIMS}/${name}?dryRun=All`, {
      metadata: { name },
      spec: { ...CLAIM, dataSourceRef: { ...source, apiGroup: '-1%' } },
    }).body.message;
  expect(put('plain')).toContain('spec.dataSourceRef.apiGroup: Invalid value: "-1%"');
  expect(put('filled')).not.toContain('apiGroup: Invalid');
});

test('a quota may repeat its scopes, and get no other', () => {
  const quotas = `${NAMESPACE}/resourcequotas`;
  ask('POST', quotas, { metadata: { name: 'q' }, spec: { scopes: ['Terminating'] } });
  const patch = (scopes: readonly string[]): number =>
    ask('PATCH', `${quotas}/q?dryRun=All`, { spec: { scopes } }).status;
  expect(patch(['Terminating', 'Terminating'])).toBe(200);
  expect(patch(['BestEffort'])).toBe(422);
});

test('a driver of a node may go, but not become another', () => {
  const nodes = '/apis/storage.k8s.io/v1/csinodes';
  const drivers = [{ name: 'a.b', nodeID: 'i' }];
  ask('POST', nodes, { metadata: { name: 'n' }, spec: { drivers } });
  const patch = (now: readonly object[]): number =>
    ask('PATCH', `${nodes}/n?dryRun=All`, { spec: { drivers: now } }).status;
  expect(patch([])).toBe(200);
  expect(patch([{ ...drivers[0], topologyKeys: ['zone'] }])).toBe(422);
});

test('a volume may get a secret for growing, and nothing else of its source', () => {
  const volumes = '/api/v1/persistentvolumes';
  const csi = { driver: 'a.b', volumeHandle: 'h' };
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], csi };
  ask('POST', volumes, { metadata: { name: 'v' }, spec });
  const patch = (more: object): number =>
    ask('PATCH', `${volumes}/v?dryRun=All`, { spec: { csi: { ...csi, ...more } } }).status;
  expect(patch({ controllerExpandSecretRef: { name: 'a', namespace: 'b' } })).toBe(200);
  expect(patch({ nodeExpandSecretRef: { name: 'a', namespace: 'b' } })).toBe(422);
});

test('an object that is not there is read before its uid is looked at', () => {
  const apply = (more: object): string | undefined =>
    ask(
      'PATCH',
      `${NAMESPACE}/secrets/none?fieldManager=m`,
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'none', uid: 'u' }, ...more },
      'application/apply-patch+yaml',
    ).body.message;
  expect(apply({ data: { a: '!' } })).toContain('illegal base64 data');
  expect(apply({})).toContain('uid mismatch');
});

test('a patch that takes the version away may not name another kind', () => {
  ask('POST', `${NAMESPACE}/secrets`, { metadata: { name: 's' } });
  const patch = (kind: string): string | undefined =>
    ask('PATCH', `${NAMESPACE}/secrets/s`, { kind, apiVersion: null }).body.message;
  expect(patch('Pod')).toContain('converting (core.Pod) to (core.Secret): unknown conversion');
  expect(patch('v1')).toContain('no kind "v1" is registered for the internal version of group ""');
});
