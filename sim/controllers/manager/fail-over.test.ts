import { describe, expect, it } from 'vitest';
import { createCluster, milliseconds, minutes, seconds, type ClusterOptions } from '../../index.ts';

type Cluster = ReturnType<typeof createCluster>;

const LEASE = { namespace: 'kube-system', name: 'kube-controller-manager' };
const LEADER = 'controller-manager/leader';

function twoManagers(options: ClusterOptions = {}): Cluster {
  const cluster = createCluster({ controllerManagers: 2, ...options });
  cluster.advance(seconds(10));
  return cluster;
}

const leaders = (cluster: Cluster): readonly string[] =>
  cluster.controllerManagers.filter(({ isLeading }) => isLeading).map(({ name }) => name);
const specOf = (cluster: Cluster) => cluster.client.leases.get(LEASE).spec;

/** How many seconds of the next so many nobody acted, and how many two did. */
function watchLeaders(cluster: Cluster, span: number): { readonly none: number; readonly two: number } {
  const seen = { none: 0, two: 0 };
  for (let tenth = 0; tenth < span * 10; tenth++) {
    cluster.advance(milliseconds(100));
    const { length } = leaders(cluster);
    if (length === 0) seen.none += 0.1;
    if (length === 2) seen.two += 0.1;
  }
  return seen;
}

describe('of two controller managers', () => {
  it('one leads, and the lease says which', () => {
    const cluster = twoManagers();
    const [leader] = leaders(cluster);
    expect(leaders(cluster)).toHaveLength(1);
    expect(cluster.faults.actor(LEADER).name).toBe(leader);
    expect(specOf(cluster)).toMatchObject({
      holderIdentity: expect.stringMatching(
        new RegExp(`^${leader?.replace('/', '-')}_[0-9a-f-]{36}$`),
      ) as string,
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
    });
    const before = specOf(cluster);
    cluster.advance(seconds(30));
    expect(specOf(cluster)?.acquireTime).toBe(before?.acquireTime);
    expect((specOf(cluster)?.renewTime ?? '') > (before?.renewTime ?? '')).toBe(true);
    const event = cluster.client.events.list({ namespace: 'kube-system' }).items[0];
    expect(event).toMatchObject({
      reason: 'LeaderElection',
      message: `${before?.holderIdentity} became leader`,
      involvedObject: { kind: 'Lease', name: 'kube-controller-manager' },
      source: { component: 'kube-controller-manager' },
    });
  });

  it('the other takes over when the lease of a crashed leader has run out, and never both act', () => {
    const cluster = twoManagers();
    const [leader = ''] = leaders(cluster);
    cluster.faults.crash(leader);
    const seen = watchLeaders(cluster, 30);
    expect(seen.two).toBe(0);
    expect(seen.none).toBeGreaterThan(14);
    expect(seen.none).toBeLessThan(22);
    expect(specOf(cluster)?.leaseTransitions).toBe(1);
    cluster.faults.restart(leader);
    expect(watchLeaders(cluster, 60).two).toBe(0);
    expect(leaders(cluster)).not.toContain(leader);
    cluster.client.nodes.create({ metadata: { name: 'late' } });
    cluster.settle();
    const { annotations } = cluster.client.nodes.get('late').metadata;
    expect(annotations?.['node.alpha.kubernetes.io/ttl']).toBe('0');
  });

  it('a leader that is cut off gives up before the other may take over', () => {
    const cluster = twoManagers();
    const [leader = ''] = leaders(cluster);
    const { incarnation } = cluster.faults.actor(leader).context;
    cluster.faults.partition(leader, { from: 'apiserver/0' });
    const seen = watchLeaders(cluster, 40);
    expect(seen.two).toBe(0);
    expect(seen.none).toBeGreaterThan(1);
    expect(leaders(cluster)).not.toContain(leader);
    // Its process has ended and was started anew, again and again later.
    expect(cluster.faults.actor(leader).context.incarnation).toBeGreaterThan(incarnation);
    cluster.faults.heal(leader, { from: 'apiserver/0' });
    cluster.settle();
    expect(leaders(cluster)).toHaveLength(1);
    expect(specOf(cluster)?.leaseTransitions).toBe(1);
  });

  it('a leader that stalls acts beside the other when it goes on, until it notices', () => {
    const cluster = twoManagers();
    const [leader = ''] = leaders(cluster);
    cluster.faults.pause(leader);
    cluster.advance(seconds(25));
    expect(leaders(cluster)).toHaveLength(2);
    cluster.faults.resume(leader);
    const seen = watchLeaders(cluster, 20);
    expect(seen.two).toBeGreaterThan(0.09);
    expect(leaders(cluster)).toHaveLength(1);
    expect(leaders(cluster)).not.toContain(leader);
  });

  it('both lead for a while when the clock of one runs much faster', () => {
    const cluster = twoManagers();
    const [leader = ''] = leaders(cluster);
    const other = cluster.controllerManagers.find(({ name }) => name !== leader)?.name ?? '';
    // To it 15 s pass while the leader counts 8.
    cluster.faults.driftClock(other, 900_000);
    cluster.faults.partition(leader, { from: 'apiserver/0' });
    const seen = watchLeaders(cluster, 30);
    expect(seen.two).toBeGreaterThan(0.3);
    expect(leaders(cluster)).toEqual([other]);
  });

  it('who loses the lease again and again is started with growing pauses, unless a fault decides', () => {
    const cluster = createCluster({ leaderElect: true });
    cluster.advance(seconds(5));
    const actor = cluster.faults.actor('controller-manager/0');
    cluster.faults.failWrites({ resource: 'leases', namespace: 'kube-system' });
    cluster.advance(seconds(15));
    expect(leaders(cluster)).toEqual([]);
    expect(actor.context.incarnation).toBe(2);
    cluster.faults.allowWrites({ resource: 'leases', namespace: 'kube-system' });
    cluster.advance(seconds(25));
    expect(leaders(cluster)).toHaveLength(1);
    cluster.faults.failWrites({ resource: 'leases', namespace: 'kube-system' });
    cluster.eventually(() => actor.state === 'crashed', { within: seconds(20) });
    // It would be started anew after ten seconds, but a fault keeps it down.
    cluster.faults.crash('controller-manager/0');
    cluster.advance(minutes(2));
    expect(actor.state).toBe('crashed');
    cluster.faults.restart('controller-manager/0');
    cluster.advance(seconds(5));
    expect(actor.state).toBe('running');
  });

  it.each([1, 2, 3])('one run is like the other (seed %i)', (seed) => {
    const digest = (): string => {
      const cluster = twoManagers({ seed, nodes: 2 });
      cluster.faults.crash(LEADER);
      cluster.advance(minutes(1));
      cluster.faults.restart('controller-manager/*');
      cluster.advance(minutes(1));
      return cluster.digest;
    };
    expect(digest()).toBe(digest());
  });
});
