import { describe, expect, it } from 'vitest';
import type { TokenReview } from '../../api/types/authentication-k8s-io-v1.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { hours, minutes, seconds } from '../../engine/time.ts';
import { type ApiRequest, type ApiResponse, QueryParameters } from '../request/request.ts';

const LAST_USED = 'kubernetes.io/legacy-token-last-used';
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';
const TRACKING = {
  namespace: 'kube-system',
  name: 'kube-apiserver-legacy-service-account-token-tracking',
};

function begin({ isListed = false } = {}): Cluster {
  const cluster = createCluster({ authorizationMode: 'RBAC' });
  cluster.advance(seconds(5));
  cluster.client.serviceAccounts.create({
    metadata: { name: 'builder' },
    ...(isListed && { secrets: [{ name: 'old' }] }),
  });
  cluster.client.secrets.create({
    metadata: { name: 'old', annotations: { 'kubernetes.io/service-account.name': 'builder' } },
    type: 'kubernetes.io/service-account-token',
  });
  cluster.advance(seconds(5));
  return cluster;
}
const secret = (cluster: Cluster) => cluster.client.secrets.get('old');
const tokenOf = (cluster: Cluster): string => atob(secret(cluster).data?.['token'] ?? '');
const labelOf = (cluster: Cluster, name: string): string | undefined =>
  secret(cluster).metadata.labels?.[name];
const mark = (cluster: Cluster, since: string | null) =>
  cluster.client.secrets.patch('old', {
    type: 'merge',
    body: { metadata: { labels: { [INVALID_SINCE]: since } } },
  });

const NO_BODY = { kind: 'bytes', bytes: new Uint8Array() } as const;

function ask(cluster: Cluster, request: Partial<ApiRequest> = {}): ApiResponse {
  const server = cluster.apiServers[0]?.server;
  if (!server) throw new Error('there is a server');
  return cluster.finish(
    server.handle({
      method: 'GET',
      path: '/api',
      query: QueryParameters.parse(''),
      headers: { authorization: `Bearer ${tokenOf(cluster)}` },
      body: NO_BODY,
      wire: true,
      ...request,
    }),
  );
}
/** What a review says is wrong with the token. */
function problemIn(cluster: Cluster): unknown {
  const { body } = ask(cluster, {
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    user: { name: 'admin', groups: ['system:masters'] },
    headers: { 'content-type': 'application/json' },
    body: { kind: 'object', object: { spec: { token: tokenOf(cluster) } } },
    wire: false,
  });
  return body.kind === 'object' ? (body.object as TokenReview).status?.error : body;
}

describe('a token out of a secret', () => {
  it('has the day of its last use noted, once', () => {
    const cluster = begin();
    expect(labelOf(cluster, LAST_USED)).toBeUndefined();
    const day = cluster.client.configMaps.get(TRACKING).data?.['since'];
    expect(ask(cluster).status).toBe(200);
    cluster.advance(seconds(1));
    expect(labelOf(cluster, LAST_USED)).toBe(day);
    const { resourceVersion } = secret(cluster).metadata;
    ask(cluster);
    cluster.advance(seconds(1));
    expect(secret(cluster).metadata.resourceVersion).toBe(resourceVersion);
    cluster.faults.jumpClock('apiserver/0', hours(24));
    ask(cluster);
    cluster.advance(seconds(1));
    expect(labelOf(cluster, LAST_USED)).not.toBe(day);
  });

  it.each([
    [
      true,
      [
        'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.',
      ],
    ],
    [false, []],
  ])('that its account names (%s) is warned of', (isListed, warnings) => {
    const { headers } = ask(begin({ isListed }));
    const said = headers.filter(([name]) => name.toLowerCase() === 'warning').map(([, value]) => value);
    expect(said).toEqual(warnings.map((text) => `299 - "${text}"`));
  });

  it('is refused while it is marked as unused, its use noted, and taken again when the mark is gone', () => {
    const cluster = begin();
    mark(cluster, '2024-01-01');
    expect(ask(cluster).status).toBe(401);
    cluster.advance(seconds(1));
    expect(labelOf(cluster, LAST_USED)).toBeDefined();
    expect(problemIn(cluster)).toContain(
      'the token in secret default/old for service account default/builder has been marked invalid',
    );
    mark(cluster, '');
    expect(ask(cluster).status).toBe(200);
    mark(cluster, null);
    expect(ask(cluster).status).toBe(200);
  });

  it('is noted at its next use when the first could not be', () => {
    const cluster = begin();
    cluster.faults.failWrites({ user: 'system:apiserver' });
    expect(ask(cluster).status).toBe(200);
    cluster.advance(seconds(1));
    cluster.faults.allowWrites({ user: 'system:apiserver' });
    ask(cluster);
    cluster.advance(seconds(1));
    expect(labelOf(cluster, LAST_USED)).toBeDefined();
  });
});

describe('since when uses are noted', () => {
  it('stays through restarts, and is told anew when it is no day', () => {
    const cluster = begin();
    const first = cluster.client.configMaps.get(TRACKING);
    cluster.faults.crash('apiserver/0');
    cluster.faults.jumpClock('apiserver/0', hours(24));
    cluster.faults.restart('apiserver/0');
    cluster.advance(seconds(5));
    expect(cluster.client.configMaps.get(TRACKING)).toEqual(first);
    cluster.client.configMaps.patch(TRACKING, { type: 'merge', body: { data: { since: 'always' } } });
    cluster.advance(seconds(1));
    const since = cluster.client.configMaps.get(TRACKING).data?.['since'];
    expect(since).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(since).not.toBe(first.data?.['since']);
  });

  it('is made anew when somebody deletes it, not twice in half an hour', () => {
    const cluster = begin();
    const names = () =>
      cluster.client.configMaps.list({ namespace: 'kube-system' }).items.map(({ metadata }) => metadata.name);
    cluster.client.configMaps.delete(TRACKING);
    cluster.advance(minutes(29));
    expect(names()).not.toContain(TRACKING.name);
    cluster.advance(minutes(2));
    expect(names()).toContain(TRACKING.name);
  });
});
