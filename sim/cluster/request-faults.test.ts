import { describe, expect, test } from 'vitest';
import { isConflict, NoAnswer, seconds, WireUser } from '../core.ts';
import { createCluster } from '../core.ts';
import type { Cluster } from './cluster.ts';
import type { RefusalStatus } from './request-faults.ts';

const made = (options = {}): Cluster => createCluster({ controllers: [], ...options });
const codeOf = (act: () => unknown): number => {
  try {
    act();
    return 200;
  } catch (error) {
    if (error instanceof NoAnswer) return 0;
    return (error as { code?: number }).code ?? -1;
  }
};
const ADMIN = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
/** Without the retries of a client. */
const statusOf = (cluster: Cluster, method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown): number =>
  new WireUser(cluster).request({ method, path, user: ADMIN, ...(body !== undefined && { body }) })?.status ??
  0;
const MAPS = '/api/v1/namespaces/default/configmaps';
const create = (cluster: Cluster, name: string): number =>
  statusOf(cluster, 'POST', MAPS, { metadata: { name } });
const get = (cluster: Cluster, name: string): number => statusOf(cluster, 'GET', `${MAPS}/${name}`);

describe('requests that fail', () => {
  test('are the nth of their kind, once, and anew when asked for anew', () => {
    const cluster = made();
    const fault = { verb: 'create', resource: 'configmaps', nth: 2, status: 503 } as const;
    cluster.faults.failRequests(fault);
    expect([create(cluster, 'a'), get(cluster, 'a'), create(cluster, 'b'), create(cluster, 'b')]).toEqual([
      201, 200, 503, 201,
    ]);
    expect(cluster.faults.allowRequests({ verb: 'create', resource: 'configmaps' })).toBe(true);
    expect(cluster.faults.allowRequests({ verb: 'create', resource: 'configmaps' })).toBe(false);
    cluster.faults.failRequests(fault);
    expect([create(cluster, 'c'), create(cluster, 'd'), create(cluster, 'd')]).toEqual([201, 503, 201]);
  });

  test('are the first of each object, whoever comes when, and of each kind of request', () => {
    const cluster = made();
    cluster.faults.failRequests({ verb: ['get', 'create'], count: 1, each: 'object' });
    expect([create(cluster, 'a'), create(cluster, 'a'), create(cluster, 'b')]).toEqual([500, 201, 201]);
    expect(['a', 'a', 'b', 'b', 'a'].map((name) => get(cluster, name))).toEqual([500, 200, 500, 200, 200]);
    cluster.faults.allowRequests({ verb: ['get', 'create'] });
    cluster.faults.failRequests({ verb: ['get', 'create'], after: 1, count: 1, each: 'kind' });
    expect(['a', 'b', 'a'].map((name) => get(cluster, name))).toEqual([200, 500, 200]);
    expect([create(cluster, 'c'), create(cluster, 'd'), create(cluster, 'd')]).toEqual([201, 500, 201]);
  });

  test('are so many after so many, reads too', () => {
    const cluster = made();
    create(cluster, 'a');
    cluster.faults.failRequests({ verb: ['get', 'list'], after: 1, count: 2 });
    expect([0, 1, 2, 3].map(() => get(cluster, 'a'))).toEqual([200, 500, 500, 200]);
  });

  test('are those of a name, a subresource, a user, an actor and a server', () => {
    const cluster = made({ apiServers: 2, nodes: 1 });
    create(cluster, 'a');
    create(cluster, 'b');
    const { faults } = cluster;
    const during = (selection: Parameters<typeof faults.failRequests>[0], ask: () => number): number => {
      faults.failRequests(selection);
      const status = ask();
      expect(faults.allowRequests(selection)).toBe(true);
      expect(ask()).toBe(200);
      return status;
    };
    expect(during({ name: 'a' }, () => get(cluster, 'a'))).toBe(500);
    expect(during({ name: 'b' }, () => get(cluster, 'a'))).toBe(200);
    const status = '/api/v1/nodes/worker-1/status';
    expect(during({ subresource: 'status' }, () => statusOf(cluster, 'GET', status))).toBe(500);
    expect(during({ subresource: '' }, () => statusOf(cluster, 'GET', status))).toBe(200);
    expect(during({ user: 'kubernetes-admin' }, () => get(cluster, 'a'))).toBe(500);
    expect(during({ user: 'somebody' }, () => get(cluster, 'a'))).toBe(200);
    expect(during({ user: 'kubernetes-*' }, () => get(cluster, 'a'))).toBe(500);
    expect(during({ user: 'system:*' }, () => get(cluster, 'a'))).toBe(200);
    expect(during({ actor: 'user/test' }, () => get(cluster, 'a'))).toBe(500);
    expect(during({ actor: 'node/*' }, () => get(cluster, 'a'))).toBe(200);
    expect(during({ server: 'apiserver/0' }, () => get(cluster, 'a'))).toBe(500);
    expect(during({ server: 'apiserver/1' }, () => get(cluster, 'a'))).toBe(200);
  });

  test('strike by chance as the seed will have it', () => {
    const pattern = (seed: number): string => {
      const cluster = made({ seed });
      create(cluster, 'a');
      cluster.faults.failRequests({ verb: 'get', percent: 50 });
      return Array.from({ length: 24 }, () => (get(cluster, 'a') === 200 ? '.' : 'x')).join('');
    };
    expect(pattern(1)).toBe(pattern(1));
    expect(pattern(1)).not.toBe(pattern(2));
    expect(pattern(1)).toMatch(/x.*\./);
  });

  test.each([400, 401, 403, 404, 409, 410, 422, 429, 500, 502, 503, 504] as const)(
    'have status %i, which clients understand',
    (status: RefusalStatus) => {
      const cluster = made();
      create(cluster, 'a');
      cluster.faults.failRequests({ verb: 'update', status, retryAfterSeconds: 0 });
      const object = cluster.client.configMaps.get('a');
      expect(codeOf(() => cluster.client.configMaps.update(object))).toBe(status);
    },
  );

  test('a conflict is one for clients', () => {
    const cluster = made();
    create(cluster, 'a');
    cluster.faults.failRequests({ verb: 'update', status: 409, count: 1 });
    const object = cluster.client.configMaps.get('a');
    let error: unknown;
    try {
      cluster.client.configMaps.update(object);
    } catch (caught) {
      error = caught;
    }
    expect(isConflict(error)).toBe(true);
    cluster.client.configMaps.update(object);
  });

  test('may be watches', () => {
    const cluster = made();
    cluster.faults.failRequests({ verb: 'watch', resource: 'configmaps', status: 403, count: 1 });
    expect(codeOf(() => cluster.client.configMaps.watch())).toBe(403);
    expect(codeOf(() => cluster.client.configMaps.watch())).toBe(200);
  });

  test.each([
    [{ nth: 0 }, /nth: 0 is no count/],
    [{ nth: 1, count: 2 }, /nth is one request/],
    [{ percent: 101 }, /percent: 101/],
    [{ actor: 'node/worker-9' }, /there is no actor "node\/worker-9"/],
    [{ server: 'apiserver/4' }, /there is no actor "apiserver\/4"/],
  ])('cannot be %o', (fault, message) => {
    expect(() => made().faults.failRequests(fault)).toThrow(message);
  });
});

describe('an answer that is lost', () => {
  test('leaves done what was asked, and the second time it comes', () => {
    const cluster = made();
    cluster.faults.loseAnswers({ verb: 'create', count: 1 });
    const from = cluster.now;
    expect(create(cluster, 'a')).toBe(0);
    expect(cluster.now - from).toBeGreaterThan(seconds(30));
    expect([get(cluster, 'a'), create(cluster, 'b')]).toEqual([200, 201]);
  });

  test('with a connection that breaks comes to light at once', () => {
    const cluster = made();
    cluster.faults.loseAnswers({ verb: 'create', count: 1, resets: true });
    const from = cluster.now;
    expect(create(cluster, 'a')).toBe(0);
    expect(cluster.now - from).toBeLessThan(seconds(1));
    expect(get(cluster, 'a')).toBe(200);
  });
});

const renewal = (cluster: Cluster, node = 'worker-1'): string =>
  cluster.client.leases.get({ namespace: 'kube-node-lease', name: node }).spec?.renewTime ?? '';

describe('a crash at a request', () => {
  const fault = { actor: 'node/worker-1', verb: 'update', resource: 'leases' } as const;
  const crashed = (verb: 'crashBefore' | 'crashAfter', nth: number): Cluster => {
    const cluster = createCluster({ nodes: 1 });
    cluster.faults[verb]({ ...fault, nth });
    cluster.eventually(() => cluster.faults.actor('worker-1').state === 'crashed');
    return cluster;
  };

  test('comes before the request is done, or after', () => {
    const [before, after] = [crashed('crashBefore', 2), crashed('crashAfter', 2)];
    expect(renewal(after) > renewal(before)).toBe(true);
  });

  test('happens once: after a restart the same request is made', () => {
    const cluster = crashed('crashAfter', 1);
    const then = renewal(cluster);
    cluster.faults.restart('worker-1');
    cluster.advance(seconds(30));
    expect(cluster.faults.actor('worker-1').state).toBe('running');
    expect(renewal(cluster) > then).toBe(true);
  });

  test('may be that of the server', () => {
    const cluster = createCluster({ nodes: 1, apiServers: 2 });
    cluster.faults.crashAfter({ ...fault, crashes: 'apiserver/0' });
    cluster.advance(seconds(40));
    expect(cluster.faults.actor('apiserver/0').state).toBe('crashed');
    cluster.faults.restart('apiserver/0');
    cluster.advance(seconds(10));
    expect(get(cluster, 'none')).toBe(404);
  });

  test('is remade in a fork', () => {
    const cluster = crashed('crashAfter', 2);
    expect(cluster.fork({ seed: 3 }).digest).toBe(cluster.digest);
  });
});

describe('watches that are ended', () => {
  test.each([false, true])('are opened anew and miss nothing, expired: %s', (expired) => {
    const cluster = createCluster({ nodes: 1 });
    cluster.faults.endWatches({ actor: 'controller-manager/0', expired });
    cluster.faults.crash('worker-1');
    cluster.eventually(
      () =>
        cluster.client.nodes
          .get('worker-1')
          .spec?.taints?.some(({ key }) => key === 'node.kubernetes.io/unreachable'),
      { within: seconds(60) },
    );
  });

  test('by their resource alone', () => {
    const cluster = made();
    const [maps, secrets] = [cluster.client.configMaps.watch(), cluster.client.secrets.watch()];
    cluster.faults.endWatches({ resource: 'configmaps', expired: true });
    cluster.advance(seconds(1));
    expect([maps.isEnded, secrets.isEnded]).toEqual([true, false]);
    expect(maps.events.at(-1)).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  });
});

describe('an API server with other settings', () => {
  test('has them after its restart, and until the next', () => {
    const cluster = made({ apiServers: 2 });
    const served = (): number => statusOf(cluster, 'GET', '/apis/storage.k8s.io/v1alpha1');
    expect(served()).toBe(404);
    cluster.faults.crash('apiserver/0');
    cluster.faults.restart('apiserver/0', { runtimeConfig: 'storage.k8s.io/v1alpha1=true' });
    cluster.advance(seconds(1));
    expect(served()).toBe(200);
    cluster.faults.crash('apiserver/0');
    cluster.faults.restart('apiserver/0');
    cluster.advance(seconds(1));
    expect(served()).toBe(200);
    cluster.faults.crash('apiserver/0');
    cluster.faults.restart('apiserver/0', { runtimeConfig: '' });
    cluster.advance(seconds(1));
    expect(served()).toBe(404);
  });

  test('is an API server', () => {
    const cluster = createCluster({ nodes: 1 });
    cluster.faults.crash('worker-1');
    expect(() => cluster.faults.restart('worker-1', { runtimeConfig: '' })).toThrow(/no API server/);
  });
});
