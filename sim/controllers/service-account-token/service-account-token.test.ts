import { expect, it } from 'vitest';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { type Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { seconds } from '../../engine/time.ts';

const { secrets, serviceAccounts } = BUILTIN_HANDLES;
const MANAGER = 'controller-manager/0';
const USER = 'system:kube-controller-manager';

function withSecret(): Cluster {
  const cluster = createCluster();
  cluster.advance(seconds(1));
  cluster.client.resource(serviceAccounts).create({ metadata: { name: 'robot' } });
  cluster.faults.failWrites({ user: USER, resource: 'secrets' });
  cluster.client.resource(secrets).create({
    metadata: { name: 't', annotations: { 'kubernetes.io/service-account.name': 'robot' } },
    type: 'kubernetes.io/service-account-token',
  });
  cluster.advance(seconds(1));
  return cluster;
}

const tokenIn = (cluster: Cluster): string =>
  atob(cluster.client.resource(secrets).get('t').data?.['token'] ?? '');

const userOf = (cluster: Cluster, token: string): string | undefined =>
  cluster.apiServers[0]?.server?.userOfToken(token)?.name;

it('a token comes once writes are taken again, counts as long as the secret holds it, and goes with the account', () => {
  const cluster = withSecret();
  expect(tokenIn(cluster)).toBe('');
  cluster.faults.allowWrites({ user: USER, resource: 'secrets' });
  cluster.advance(seconds(5));
  const token = tokenIn(cluster);
  expect(userOf(cluster, token)).toBe('system:serviceaccount:default:robot');
  expect(userOf(cluster, `${token}x`)).toBeUndefined();
  cluster.client.resource(serviceAccounts).delete('robot');
  cluster.advance(seconds(2));
  expect(userOf(cluster, token)).toBeUndefined();
  expect(() => cluster.client.resource(secrets).get('t')).toThrow('not found');
});

it('a manager that was away finds secrets without a token, and those of accounts that have gone', () => {
  const cluster = withSecret();
  cluster.faults.allowWrites({ user: USER, resource: 'secrets' });
  cluster.faults.crash(MANAGER);
  cluster.faults.restart(MANAGER);
  cluster.advance(seconds(5));
  expect(userOf(cluster, tokenIn(cluster))).toBe('system:serviceaccount:default:robot');
  cluster.faults.crash(MANAGER);
  cluster.client.resource(serviceAccounts).delete('robot');
  cluster.advance(seconds(5));
  cluster.faults.restart(MANAGER);
  cluster.advance(seconds(10));
  expect(() => cluster.client.resource(secrets).get('t')).toThrow('not found');
});
