import { describe, expect, it } from 'vitest';
import { askAgent } from '../../cluster/agent-user.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { ClusterOptions } from '../../cluster/cluster-options.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { WireUser } from '../../cluster/wire-user.ts';
import { minutes, seconds } from '../../engine/time.ts';
import type { AgentAnswer } from './agent-port.ts';
import { subresourceOf } from './agent-access.ts';

const ADMINISTRATOR = { name: 'kubernetes-admin', groups: ['system:masters'] };
const ROBOT = 'system:serviceaccount:default:default';

function worldOf(options: ClusterOptions = {}): Cluster {
  const world = createCluster({ nodes: 1, authorizationMode: 'RBAC', ...options });
  world.settle();
  return world;
}

/** A token of the service account `default`. */
function tokenIn(world: Cluster): string {
  const answer = new WireUser(world).request({
    method: 'POST',
    path: '/api/v1/namespaces/default/serviceaccounts/default/token',
    headers: { 'content-type': 'application/json' },
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: [] } },
    user: ADMINISTRATOR,
  });
  const { status } = JSON.parse(String(answer?.body)) as { status: { token: string } };
  return status.token;
}

function grant(world: Cluster, resources: readonly string[], verbs = ['get']): void {
  world.client.clusterRoles.create({
    metadata: { name: 'reader' },
    rules: [{ apiGroups: [''], resources, verbs }],
  });
  world.client.clusterRoleBindings.create({
    metadata: { name: 'reader' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
    subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }],
  });
}

const get = (world: Cluster, path: string, token?: string): AgentAnswer | undefined =>
  askAgent(world, 'worker-1', {
    method: 'GET',
    path,
    ...(token === undefined ? { user: 'anonymous' } : { token }),
  });
const reviews = (world: Cluster): number =>
  world.trace.records(Infinity).filter(({ subject }) => subject.endsWith('reviews')).length;

describe('an agent', () => {
  it('knows nobody without credentials, nor with a token of nobody', () => {
    const world = worldOf();
    expect(get(world, '/healthz')).toEqual({ status: 401, body: 'Unauthorized' });
    expect(get(world, '/healthz', 'made-up')).toEqual({ status: 401, body: 'Unauthorized' });
  });

  it('asks the API server whose a token is, and what its owner may do to its node', () => {
    const world = worldOf();
    const token = tokenIn(world);
    grant(world, ['nodes/stats']);
    expect(get(world, '/stats/summary', token)?.status).toBe(200);
    expect(get(world, '/metrics', token)).toEqual({
      status: 403,
      body: `Forbidden (user=${ROBOT}, verb=get, resource=nodes, subresource=metrics)`,
    });
    expect(get(world, '/pods', token)?.body).toContain('subresource=proxy)');
  });

  it('asks before it tells what there is, but not for paths that nothing is registered for', () => {
    const world = worldOf();
    const token = tokenIn(world);
    expect(get(world, '/checkpoint/default/web/main', token)?.status).toBe(403);
    expect(get(world, '/pods/web', token)?.status).toBe(403);
    expect(get(world, '/nothing', token)).toEqual({ status: 404, body: '404 page not found\n' });
    expect(get(world, '/')?.status).toBe(404);
  });

  it('remembers who and what for a while', () => {
    const world = worldOf({ trace: { keeps: 100_000 } });
    const token = tokenIn(world);
    grant(world, ['nodes/stats']);
    get(world, '/stats/summary', token);
    const asked = reviews(world);
    expect(asked).toBe(2);
    world.advance(minutes(1));
    get(world, '/stats/summary', token);
    expect(reviews(world)).toBe(asked);
    world.advance(minutes(2));
    get(world, '/stats/summary', token);
    expect(reviews(world)).toBe(asked + 1);
    world.advance(minutes(3));
    get(world, '/stats/summary', token);
    expect(reviews(world)).toBe(asked + 3);
  });

  it('forgets a refusal sooner than a permission', () => {
    const world = worldOf();
    const token = tokenIn(world);
    expect(get(world, '/stats/summary', token)?.status).toBe(403);
    grant(world, ['nodes/stats']);
    world.advance(seconds(10));
    expect(get(world, '/stats/summary', token)?.status).toBe(403);
    world.advance(seconds(25));
    expect(get(world, '/stats/summary', token)?.status).toBe(200);
    world.client.clusterRoleBindings.delete('reader');
    world.advance(minutes(2));
    expect(get(world, '/stats/summary', token)?.status).toBe(200);
    world.advance(minutes(4));
    expect(get(world, '/stats/summary', token)?.status).toBe(403);
  });

  it('that is cut off serves whom it remembers, and then nobody', () => {
    const world = worldOf();
    const token = tokenIn(world);
    grant(world, ['nodes/stats']);
    get(world, '/stats/summary', token);
    world.faults.partition('worker-1', { from: 'apiserver/0' });
    expect(get(world, '/stats/summary', token)?.status).toBe(200);
    expect(get(world, '/stats/summary', 'another')?.status).toBe(401);
    world.advance(minutes(3));
    expect(get(world, '/stats/summary', token)?.status).toBe(401);
    const admin = (): AgentAnswer | undefined =>
      askAgent(world, 'worker-1', { method: 'GET', path: '/pods', user: ADMINISTRATOR });
    expect(admin()).toEqual({
      status: 500,
      body: 'Authorization error (user=kubernetes-admin, verb=get, resource=nodes, subresource=proxy)',
    });
    world.faults.heal('worker-1', { from: 'apiserver/0' });
    expect(admin()?.status).toBe(200);
  });

  it('takes the anonymous user when it is told to, and asks what that one may do', () => {
    const world = worldOf({ agents: { allowsAnonymous: true } });
    expect(get(world, '/healthz')).toEqual({
      status: 403,
      body: 'Forbidden (user=system:anonymous, verb=get, resource=nodes, subresource=proxy)',
    });
    expect(get(world, '/healthz', 'made-up')?.status).toBe(401);
    const open = worldOf({ agents: { allowsAnonymous: true, authorizationMode: 'AlwaysAllow' } });
    expect(get(open, '/healthz')).toEqual({ status: 200, body: 'ok' });
  });

  it('in mode AlwaysAllow lets everybody do everything whom it knows', () => {
    const world = worldOf({ agents: { authorizationMode: 'AlwaysAllow' } });
    const token = tokenIn(world);
    expect(get(world, '/pods', token)?.status).toBe(200);
    expect(get(world, '/pods')?.status).toBe(401);
  });

  it('answers the API server, which it has to ask about it', () => {
    const world = worldOf();
    const answer = new WireUser(world).request({
      method: 'GET',
      path: '/api/v1/nodes/worker-1/proxy/healthz',
      user: ADMINISTRATOR,
    });
    expect(answer).toMatchObject({ status: 200, body: 'ok' });
  });
});

it.each([
  ['/stats/summary', 'stats'],
  ['/metrics', 'metrics'],
  ['/metrics/cadvisor', 'metrics'],
  ['/logs/messages', 'log'],
  ['/checkpoint/a/b/c', 'checkpoint'],
  ['/containerLogs/a/b/c', 'proxy'],
  ['/exec/a/b/c', 'proxy'],
  ['/healthz', 'proxy'],
  ['/metricsx', 'proxy'],
])('%s is nodes/%s', (path, subresource) => {
  expect(subresourceOf(path)).toBe(subresource);
});
