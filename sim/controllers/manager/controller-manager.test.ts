import { describe, expect, it } from 'vitest';
import { createCluster, milliseconds, minutes, seconds, type ClusterOptions } from '../../index.ts';

type Cluster = ReturnType<typeof createCluster>;

const MANAGER = 'controller-manager/0';
const LEASE = { namespace: 'kube-system', name: 'kube-controller-manager' };

const annotationOf = (cluster: Cluster, node: string): string | undefined =>
  cluster.client.nodes.get(node).metadata.annotations?.['node.alpha.kubernetes.io/ttl'];
const addNode = (cluster: Cluster, name: string): void =>
  void cluster.client.nodes.create({ metadata: { name } });
const hasAccount = (cluster: Cluster, namespace: string): boolean =>
  cluster.client.serviceAccounts.list({ namespace }).items.length > 0;

describe('a controller manager', () => {
  it('follows each kind once, whoever of its controllers asks', () => {
    const controllers = [
      'node-lifecycle-controller',
      'pod-garbage-collector-controller',
      'serviceaccount-controller',
      'taint-eviction-controller',
      'ttl-controller',
    ];
    const cluster = createCluster({ nodes: 1, controllers, settled: false });
    const watched: string[] = [];
    const server = cluster.faults.actor('apiserver/0');
    server.overhear({
      received: (message, { remote: from }) => {
        const { kind, call } = message as {
          readonly kind?: string;
          readonly call?: { readonly path: string };
        };
        if (kind === 'open' && from === MANAGER) watched.push(call?.path ?? '');
      },
    });
    cluster.advance(seconds(20));
    expect(watched).toHaveLength(new Set(watched).size);
    expect(watched).toEqual(
      expect.arrayContaining([
        '/api/v1/namespaces',
        '/api/v1/nodes',
        '/api/v1/pods',
        '/api/v1/serviceaccounts',
      ]),
    );
  });

  it('lets each controller write as its own user over one connection', () => {
    const cluster = createCluster({ nodes: 1, settled: false });
    const users = new Set<string>();
    const server = cluster.faults.actor('apiserver/0');
    server.overhear({
      received: (message, { remote: from }) => {
        const { body } = message as { readonly body?: { readonly user?: { readonly name: string } } };
        if (from === MANAGER && body?.user) users.add(body.user.name);
      },
    });
    cluster.settle();
    expect(users).toContain('system:serviceaccount:kube-system:node-controller');
    expect(users).toContain('system:serviceaccount:kube-system:service-account-controller');
    expect(users).toContain('system:kube-controller-manager');
  });

  it('that crashes amid its writes finishes them in its next life', () => {
    const cluster = createCluster();
    cluster.advance(seconds(5));
    const names = Array.from({ length: 30 }, (_, index) => `space-${index}`);
    for (const name of names) cluster.client.namespaces.create({ metadata: { name } });
    cluster.faults.crash(MANAGER);
    const before = names.filter((name) => hasAccount(cluster, name)).length;
    expect(before).toBeLessThan(names.length);
    cluster.faults.restart(MANAGER);
    cluster.settle();
    expect(names.every((name) => hasAccount(cluster, name))).toBe(true);
  });

  it('that restarts within the same instant begins with nothing', () => {
    const cluster = createCluster({ nodes: 1 });
    cluster.settle();
    cluster.faults.crash(MANAGER);
    cluster.faults.restart(MANAGER);
    cluster.faults.crash(MANAGER);
    cluster.faults.restart(MANAGER);
    expect(cluster.controllerManagers[0]?.isLeading).toBe(false);
    addNode(cluster, 'late');
    cluster.settle();
    expect(annotationOf(cluster, 'late')).toBe('0');
    expect(cluster.faults.actor(MANAGER).context.incarnation).toBe(3);
  });

  it('is not there when it has nothing to do', () => {
    const cluster = createCluster({ controllers: [] });
    expect(cluster.simulation.findActor(MANAGER)).toBeUndefined();
    expect(() => createCluster({ controllers: ['foo'] })).toThrow('"foo" is not in the list');
  });

  it('runs without a lease when it is alone, unless it is asked to', () => {
    const alone = createCluster();
    alone.advance(seconds(5));
    expect(alone.controllerManagers.map(({ isLeading }) => isLeading)).toEqual([true]);
    expect(() => alone.client.leases.get(LEASE)).toThrow('not found');
    const asked = createCluster({ leaderElect: true });
    asked.advance(seconds(5));
    expect(asked.client.leases.get(LEASE).spec?.holderIdentity).toMatch(
      /^controller-manager-0_[0-9a-f-]{36}$/,
    );
  });
});

describe('a controller alone', () => {
  it('is paused while its manager and the others go on, and catches up', () => {
    const cluster = createCluster();
    cluster.settle();
    cluster.faults.pause('controller/ttl');
    addNode(cluster, 'late');
    cluster.client.namespaces.create({ metadata: { name: 'space' } });
    cluster.advance(minutes(2));
    expect(annotationOf(cluster, 'late')).toBeUndefined();
    expect(hasAccount(cluster, 'space')).toBe(true);
    expect(cluster.faults.actor(MANAGER).state).toBe('running');
    cluster.faults.resume('controller/ttl-controller');
    cluster.advance(seconds(1));
    expect(annotationOf(cluster, 'late')).toBe('0');
  });

  it('stays paused through a restart of its manager', () => {
    const cluster = createCluster();
    cluster.settle();
    cluster.faults.pause('controller/ttl');
    expect(cluster.faults.pausedControllers).toEqual(['controller/ttl-controller']);
    cluster.faults.crash('controller/ttl');
    expect(cluster.faults.actor(MANAGER).state).toBe('crashed');
    cluster.faults.restart('controller/ttl');
    addNode(cluster, 'late');
    cluster.advance(minutes(2));
    expect(annotationOf(cluster, 'late')).toBeUndefined();
    cluster.faults.resume('controller/ttl');
    cluster.advance(seconds(1));
    expect(annotationOf(cluster, 'late')).toBe('0');
  });

  it('is paused amid a call, and takes the answer when it goes on', () => {
    const cluster = createCluster();
    cluster.settle();
    addNode(cluster, 'late');
    // The event needs a moment to the manager, and the patch one back.
    cluster.faults.pause('controller/ttl');
    cluster.advance(seconds(90));
    cluster.faults.resume('controller/ttl');
    cluster.advance(seconds(1));
    expect(annotationOf(cluster, 'late')).toBe('0');
  });

  it('that hears late does not hold up others, and hears all in order once it lags no more', () => {
    const cluster = createCluster();
    cluster.settle();
    cluster.faults.lag('controller/ttl', seconds(20));
    addNode(cluster, 'late');
    cluster.client.namespaces.create({ metadata: { name: 'space' } });
    cluster.advance(seconds(19));
    expect(annotationOf(cluster, 'late')).toBeUndefined();
    expect(hasAccount(cluster, 'space')).toBe(true);
    cluster.advance(seconds(2));
    expect(annotationOf(cluster, 'late')).toBe('0');
    addNode(cluster, 'later');
    cluster.advance(seconds(1));
    cluster.faults.lag('controller/ttl', milliseconds(0));
    cluster.advance(seconds(1));
    expect(annotationOf(cluster, 'later')).toBe('0');
  });

  it('that hears late acts on a stale view', () => {
    const evicted = (lag: number): boolean => {
      const cluster = createCluster({ nodes: 1 });
      cluster.settle();
      cluster.client.pods.create({
        metadata: { name: 'web' },
        spec: {
          nodeName: 'worker-1',
          containers: [{ name: 'main', image: 'app:1' }],
          tolerations: [{ key: 'gone', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 10 }],
        },
      });
      cluster.settle();
      const taint = (taints: object | null): void =>
        void cluster.client.nodes.patch('worker-1', { type: 'merge', body: { spec: { taints } } });
      taint([{ key: 'gone', effect: 'NoExecute' }]);
      cluster.advance(seconds(1));
      cluster.faults.lag('controller/taint-eviction', seconds(lag));
      cluster.advance(seconds(8));
      // Taken away in time; but the controller hears of it too late.
      taint(null);
      cluster.advance(minutes(2));
      return cluster.client.pods.list().items.length === 0;
    };
    expect([evicted(0), evicted(5)]).toEqual([false, true]);
    const cluster = createCluster({ nodes: 1 });
    expect(() => cluster.faults.lag('node/worker-1', seconds(1))).toThrow('there is no controller');
  });
});

describe('controllers in faults', () => {
  const options: ClusterOptions = { controllerManagers: 2 };

  it('are called by several names, and have the fate of their managers', () => {
    const { faults } = createCluster(options);
    const namesOf = (name: string): readonly string[] => faults.actors(name).map((actor) => actor.name);
    const both = ['controller-manager/0', 'controller-manager/1'];
    for (const name of [
      'controller/ttl',
      'controller/ttl-controller',
      'controller/*',
      'controller-manager/*',
    ])
      expect(namesOf(name)).toEqual(both);
    expect(namesOf('controller-manager/1/ttl')).toEqual(['controller-manager/1']);
    expect(() => namesOf('controller/foo')).toThrow('there is no actor "controller/foo"');
    faults.crash('controller/ttl');
    expect(both.map((name) => faults.actor(name).state)).toEqual(['crashed', 'crashed']);
  });
});
