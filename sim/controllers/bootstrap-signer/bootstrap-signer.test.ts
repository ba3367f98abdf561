import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ConfigMap, Secret } from '../../api/types/core-v1.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { seconds } from '../../engine/time.ts';
import { signedConfig } from './signed-config.ts';

const MANAGER = 'controller-manager/0';
const INFO = { namespace: 'kube-public', name: 'cluster-info' };
const KUBECONFIG = 'apiVersion: v1\nkind: Config\n';

const datum = (text: string): string => Buffer.from(text).toString('base64');
const token = (id: string, facts: Readonly<Record<string, string>> = {}, name = id): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: `bootstrap-token-${name}`, namespace: 'kube-system' },
  type: 'bootstrap.kubernetes.io/token',
  data: Object.fromEntries(
    Object.entries({
      'token-id': id,
      'token-secret': 'a1b2c3d4e5f6a1b2',
      'usage-bootstrap-signing': 'true',
      ...facts,
    }).map(([key, text]) => [key, datum(text)]),
  ),
});
const config = (data: Readonly<Record<string, string>> = { kubeconfig: KUBECONFIG }): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: INFO,
  data,
});

function expectedSignature(id: string, content = KUBECONFIG): string {
  const header = Buffer.from(`{"alg":"HS256","kid":"${id}"}`).toString('base64url');
  const signed = `${header}.${Buffer.from(content).toString('base64url')}`;
  return `${header}..${createHmac('sha256', 'a1b2c3d4e5f6a1b2').update(signed).digest('base64url')}`;
}

describe('a signed configuration', () => {
  it('has a signature by each token that may sign, and none by others', () => {
    const tokens = [
      token('abcdef'),
      token('012345', { 'usage-bootstrap-signing': 'false' }),
      token('ghijkl', { 'token-secret': '' }),
      token('mnopqr', {}, 'stuvwx'),
      token('yzyzyz', { expiration: '2020-01-01T00:00:00Z' }),
    ];
    const old = config({ kubeconfig: KUBECONFIG, 'jws-kubeconfig-gone00': 'x', other: 'stays' });
    const signed = signedConfig(old, tokens, Date.parse('2025-01-01T00:00:00Z'));
    expect(signed?.data).toEqual({
      kubeconfig: KUBECONFIG,
      other: 'stays',
      'jws-kubeconfig-abcdef': expectedSignature('abcdef'),
    });
    expect(signed && signedConfig(signed, tokens, Date.parse('2025-01-01T00:00:00Z'))).toBeUndefined();
  });

  it('is not made of one without a kubeconfig', () => {
    expect(signedConfig(config({ a: 'b' }), [token('abcdef')], 0)).toBeUndefined();
  });
});

function begin(controllers: readonly string[] = ['*', 'bootstrapsigner']): Cluster {
  const cluster = createCluster({ controllers, authorizationMode: 'RBAC' });
  cluster.advance(seconds(5));
  cluster.client.configMaps.create(config());
  return cluster;
}
const signers = (cluster: Cluster): readonly string[] =>
  Object.keys(cluster.client.configMaps.get(INFO).data ?? {})
    .filter((key) => key.startsWith('jws-'))
    .map((key) => key.slice(-6));

describe('the bootstrap signer', () => {
  it('signs for tokens that come, and takes signatures of those that go away', () => {
    const cluster = begin();
    cluster.client.secrets.create(token('abcdef'));
    cluster.client.secrets.create(token('ghijkl'));
    cluster.advance(seconds(2));
    expect(signers(cluster)).toEqual(['abcdef', 'ghijkl']);
    cluster.client.secrets.delete({ namespace: 'kube-system', name: 'bootstrap-token-abcdef' });
    cluster.advance(seconds(2));
    expect(signers(cluster)).toEqual(['ghijkl']);
  });

  it('signs anew what was written over, and what changed while it was away', () => {
    const cluster = begin();
    cluster.client.secrets.create(token('abcdef'));
    cluster.advance(seconds(2));
    cluster.client.configMaps.patch(INFO, {
      type: 'merge',
      body: { data: { 'jws-kubeconfig-abcdef': 'x' } },
    });
    cluster.advance(seconds(2));
    expect(cluster.client.configMaps.get(INFO).data?.['jws-kubeconfig-abcdef']).toBe(
      expectedSignature('abcdef'),
    );
    cluster.faults.crash(MANAGER);
    cluster.client.configMaps.patch(INFO, { type: 'merge', body: { data: { kubeconfig: 'other' } } });
    cluster.faults.restart(MANAGER);
    cluster.advance(seconds(5));
    const now = cluster.client.configMaps.get(INFO).data?.['jws-kubeconfig-abcdef'];
    expect(now).toBe(expectedSignature('abcdef', 'other'));
  });

  it('does not try a refused write again before there is news', () => {
    const cluster = begin();
    const user = 'system:serviceaccount:kube-system:bootstrap-signer';
    cluster.faults.failWrites({ user });
    cluster.client.secrets.create(token('abcdef'));
    cluster.advance(seconds(2));
    cluster.faults.allowWrites({ user });
    cluster.advance(seconds(60));
    expect(signers(cluster)).toEqual([]);
    const label = { metadata: { labels: { touched: 'yes' } } };
    cluster.client.configMaps.patch(INFO, { type: 'merge', body: label });
    cluster.advance(seconds(2));
    expect(signers(cluster)).toEqual(['abcdef']);
  });

  it('runs only where it is named', () => {
    const cluster = begin(['*']);
    cluster.client.secrets.create(token('abcdef'));
    cluster.advance(seconds(5));
    expect(signers(cluster)).toEqual([]);
  });
});
