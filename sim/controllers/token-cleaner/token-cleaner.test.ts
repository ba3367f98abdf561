import { describe, expect, it } from 'vitest';
import { encodeBase64 } from '../../api/codec/base64.ts';
import { formatTime } from '../../api/time-format.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';

const MANAGER = 'controller-manager/0';

function begin(): Cluster {
  const cluster = createCluster({ controllers: ['*', 'tokencleaner'] });
  cluster.advance(seconds(5));
  return cluster;
}

function token(cluster: Cluster, expiration: string | number | undefined, facts: object = {}): void {
  const nowMs = cluster.userClient.context.wallMs();
  const text = typeof expiration === 'number' ? formatTime(nowMs + expiration * 1000) : expiration;
  cluster.client.secrets.create({
    metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
    type: 'bootstrap.kubernetes.io/token',
    ...(text !== undefined && { data: { expiration: encodeBase64(new TextEncoder().encode(text)) } }),
    ...facts,
  });
}

const isThere = (cluster: Cluster): boolean =>
  cluster.client.secrets
    .list({ namespace: 'kube-system' })
    .items.some(({ metadata }) => metadata.name === 'bootstrap-token-abcdef');

describe('the token cleaner', () => {
  it('deletes a token when it expires', () => {
    const cluster = begin();
    token(cluster, 60);
    cluster.advance(seconds(58));
    expect(isThere(cluster)).toBe(true);
    cluster.advance(seconds(3));
    expect(isThere(cluster)).toBe(false);
  });

  it('deletes one whose time nobody can read', () => {
    const cluster = begin();
    token(cluster, 'soon');
    cluster.advance(seconds(1));
    expect(isThere(cluster)).toBe(false);
  });

  it.each([
    ['tokens that last for ever', undefined, {}],
    ['other secrets', 1, { type: 'Opaque' }],
  ])('keeps %s', (_, expiration, facts) => {
    const cluster = begin();
    token(cluster, expiration, facts);
    cluster.advance(minutes(2));
    expect(isThere(cluster)).toBe(true);
  });

  it('waits for a time that was put off', () => {
    const cluster = begin();
    token(cluster, 30);
    const later = formatTime(cluster.userClient.context.wallMs() + 90_000);
    cluster.client.secrets.patch(
      { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
      { type: 'merge', body: { stringData: { expiration: later } } },
    );
    cluster.advance(seconds(60));
    expect(isThere(cluster)).toBe(true);
    cluster.advance(seconds(40));
    expect(isThere(cluster)).toBe(false);
  });

  it('deletes what expired while it was away', () => {
    const cluster = begin();
    token(cluster, 10);
    cluster.faults.crash(MANAGER);
    cluster.advance(minutes(1));
    expect(isThere(cluster)).toBe(true);
    cluster.faults.restart(MANAGER);
    cluster.advance(minutes(1));
    expect(isThere(cluster)).toBe(false);
  });
  it('does not try again what was refused before there is news', () => {
    const cluster = begin();
    token(cluster, 5);
    const user = 'system:serviceaccount:kube-system:token-cleaner';
    cluster.faults.failWrites({ user });
    cluster.advance(seconds(10));
    cluster.faults.allowWrites({ user });
    cluster.advance(minutes(30));
    expect(isThere(cluster)).toBe(true);
    cluster.client.secrets.patch(
      { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
      { type: 'merge', body: { metadata: { labels: { touched: 'yes' } } } },
    );
    cluster.advance(seconds(1));
    expect(isThere(cluster)).toBe(false);
  });
});
