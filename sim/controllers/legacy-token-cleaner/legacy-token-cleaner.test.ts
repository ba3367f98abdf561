import { describe, expect, it } from 'vitest';
import type { Secret, ServiceAccount } from '../../api/types/core-v1.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { hours, minutes, seconds } from '../../engine/time.ts';
import { isTrackedLongEnough, legacyTokenStep } from './legacy-token-plan.ts';

const NOW = Date.parse('2025-06-10T12:00:00Z');
const LAST_USED = 'kubernetes.io/legacy-token-last-used';
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';
const account: ServiceAccount = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'builder' },
  secrets: [{ name: 'builder-token' }],
};
const token = (labels: Readonly<Record<string, string>> = {}, facts: Partial<Secret> = {}): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'builder-token',
    namespace: 'default',
    creationTimestamp: '2020-01-01T00:00:00Z',
    labels,
  },
  type: 'kubernetes.io/service-account-token',
  ...facts,
});
const around = { nowMs: NOW, account, isMounted: () => false };

describe('a token that was made of itself', () => {
  it.each([
    ['is marked when nobody has ever used it', token(), { kind: 'mark', since: '2025-06-10' }],
    [
      'is marked a year after its last use',
      token({ [LAST_USED]: '2024-06-09' }),
      { kind: 'mark', since: '2025-06-10' },
    ],
    ['is kept on the last day of that year', token({ [LAST_USED]: '2024-06-10' }), { kind: 'keep' }],
    ['is kept when nobody can read when it was used', token({ [LAST_USED]: '2024-02-30' }), { kind: 'keep' }],
    [
      'is marked anew where nobody can read the mark',
      token({ [INVALID_SINCE]: 'yes' }),
      { kind: 'mark', since: '2025-06-10' },
    ],
    ['goes a year after its mark', token({ [INVALID_SINCE]: '2024-06-09' }), { kind: 'delete' }],
    ['stays until then', token({ [INVALID_SINCE]: '2024-06-10' }), { kind: 'keep' }],
    ['is left alone when it is of another type', token({}, { type: 'Opaque' }), { kind: 'keep' }],
  ])('%s', (_, secret, expected) => {
    expect(legacyTokenStep(secret, around)).toEqual(expected);
  });

  it('is kept while a pod uses it, or its account does not name it', () => {
    expect(legacyTokenStep(token(), { ...around, isMounted: () => true }).kind).toBe('keep');
    expect(legacyTokenStep(token(), { ...around, account: { ...account, secrets: [] } }).kind).toBe('keep');
    expect(legacyTokenStep(token(), { ...around, account: undefined }).kind).toBe('keep');
  });
});

it.each([
  ['2024-06-09', true],
  ['2024-06-10', false],
  ['2024-13-01', false],
  [undefined, false],
])('uses that are noted since %s have been noted long enough: %s', (since, expected) => {
  expect(isTrackedLongEnough(since, NOW)).toBe(expected);
});

function begin(): Cluster {
  const cluster = createCluster({ authorizationMode: 'RBAC' });
  cluster.advance(seconds(5));
  cluster.client.serviceAccounts.create({ metadata: { name: 'builder' }, secrets: [{ name: 'old' }] });
  cluster.client.secrets.create({
    metadata: { name: 'old', annotations: { 'kubernetes.io/service-account.name': 'builder' } },
    type: 'kubernetes.io/service-account-token',
  });
  return cluster;
}
const markOf = (cluster: Cluster): string | undefined =>
  cluster.client.secrets.get('old').metadata.labels?.[INVALID_SINCE];
const YEAR = hours(366 * 24);

describe('the cleaner of old tokens', () => {
  it('leaves alone what somebody has used in that year', () => {
    const marks = [true, false].map((isUsed) => {
      const cluster = begin();
      cluster.advance(seconds(5));
      cluster.faults.jumpClock('apiserver/0', YEAR);
      const token = atob(cluster.client.secrets.get('old').data?.['token'] ?? '');
      if (isUsed) cluster.apiServers[0]?.server?.useOfAccountToken(token);
      cluster.faults.crash('controller-manager/0');
      cluster.faults.jumpClock('controller-manager/0', YEAR);
      cluster.faults.restart('controller-manager/0');
      cluster.advance(minutes(2));
      return markOf(cluster) !== undefined;
    });
    expect(marks).toEqual([false, true]);
  });

  it('marks after a year and deletes after two, through restarts and refused writes', () => {
    const cluster = begin();
    const user = 'system:serviceaccount:kube-system:legacy-service-account-token-cleaner';
    cluster.faults.crash('controller-manager/0');
    cluster.faults.jumpClock('controller-manager/0', YEAR);
    cluster.faults.failWrites({ user });
    cluster.faults.restart('controller-manager/0');
    cluster.advance(minutes(2));
    expect(markOf(cluster)).toBeUndefined();
    cluster.faults.allowWrites({ user });
    cluster.advance(hours(24));
    expect(markOf(cluster)).toBeDefined();
  });
});
