import { describe, expect, it } from 'vitest';
import { createCluster } from '../../cluster/create-cluster.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { clientOf } from '../../cluster/troubled-client.fixture.ts';
import { milliseconds, minutes, seconds } from '../../engine/time.ts';
import { leaseLoop } from './lease-loop.ts';

const KEY = { namespace: 'kube-node-lease', name: 'worker-1' };
const leaseOf = (cluster: Cluster) => cluster.client.leases.get(KEY);
const oneNode = () => createCluster({ nodes: 1, controllers: [], trace: { keeps: 'all' } });

/** Nobody else calls from the node. */
function onlyTheLoop(): Cluster {
  const cluster = createCluster({ controllers: [], trace: { keeps: 'all' } });
  const actor = cluster.simulation.actor('node/worker-1');
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'worker-1', uid: 'u' };
  actor.spawn('lease', () =>
    leaseLoop({
      client: clientOf({ cluster, actor }),
      ...KEY,
      holder: 'worker-1',
      durationSeconds: 40,
      *owner() {
        yield* actor.context.sleep(milliseconds(1));
        return owner;
      },
    }),
  );
  return cluster;
}

/** Pauses in milliseconds between the attempts at a call that were refused from `since` on. */
function pausesSince(cluster: Cluster, since: number): number[] {
  const refused = cluster.trace
    .records()
    .filter(
      ({ kind, actor, subject, at }) =>
        kind === 'refuse' && actor === 'node/worker-1' && subject.includes(':api#') && at >= since,
    )
    .map(({ at }) => at / 1000);
  return refused.slice(1).map((at, index) => Math.round(at - (refused[index] ?? 0)));
}

describe('the lease of a node', () => {
  it('names its node as holder and owner', () => {
    const cluster = oneNode();
    cluster.advance(seconds(1));
    const lease = leaseOf(cluster);
    const node = cluster.client.nodes.get('worker-1');
    expect(lease.spec).toMatchObject({ holderIdentity: 'worker-1', leaseDurationSeconds: 40 });
    expect(lease.metadata.ownerReferences).toEqual([
      { apiVersion: 'v1', kind: 'Node', name: 'worker-1', uid: node.metadata.uid },
    ]);
  });

  it('is renewed every 10 s, and at the most 0.4 s later', () => {
    const cluster = oneNode();
    const log = cluster.client.leases.watch({ namespace: 'kube-node-lease' });
    cluster.advance(minutes(5));
    const times = log.events.map(({ object }) =>
      Date.parse('spec' in object ? (object.spec?.renewTime ?? '') : ''),
    );
    expect(times.length).toBeGreaterThan(27);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    // Messages on their way aside.
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(9_990);
    for (const gap of gaps) expect(gap).toBeLessThanOrEqual(10_420);
  });

  it('is asked for again after 0.2, 0.4, 0.8 … 7 s while the API server is down, and renewed when it is back', () => {
    const cluster = onlyTheLoop();
    cluster.advance(seconds(15));
    cluster.faults.crash('apiserver/0');
    const before = cluster.now;
    cluster.advance(seconds(60));
    // Five updates and the first read at once, then a growing pause before each read.
    const expected = [0, 0, 0, 0, 0, 200, 400, 800, 1600, 3200, 6400, 7000];
    const pauses = pausesSince(cluster, before);
    expect(pauses.length).toBeGreaterThan(10);
    for (const [index, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual(expected[index] ?? 7000);
      expect(pause).toBeLessThan((expected[index] ?? 7000) + 5);
    }
    cluster.faults.restart('apiserver/0');
    const back = cluster.now;
    cluster.advance(seconds(8));
    const renewedAt = Date.parse(leaseOf(cluster).spec?.renewTime ?? '') - cluster.simulation.epochMs;
    expect(renewedAt * 1000).toBeGreaterThan(back);
  });

  it('is created again when somebody has deleted it', () => {
    const cluster = oneNode();
    cluster.advance(seconds(5));
    const { uid } = leaseOf(cluster).metadata;
    cluster.client.leases.delete(KEY);
    cluster.advance(seconds(11));
    expect(leaseOf(cluster).metadata.uid).not.toBe(uid);
  });

  it('is renewed although somebody else has written it meanwhile', () => {
    const cluster = oneNode();
    cluster.advance(seconds(5));
    cluster.client.leases.patch(KEY, { type: 'merge', body: { metadata: { labels: { seen: 'yes' } } } });
    const before = leaseOf(cluster).spec?.renewTime ?? '';
    cluster.advance(seconds(11));
    expect((leaseOf(cluster).spec?.renewTime ?? '') > before).toBe(true);
    expect(leaseOf(cluster).metadata.labels).toEqual({ seen: 'yes' });
  });

  it('is read again after a conflict, and then renewed: one refusal is enough', () => {
    const cluster = oneNode();
    cluster.advance(seconds(5));
    cluster.client.leases.patch(KEY, { type: 'merge', body: { metadata: { labels: { seen: 'yes' } } } });
    const since = cluster.now;
    cluster.advance(seconds(11));
    const asked = cluster.trace
      .records()
      .filter(
        ({ at, actor, subject }) =>
          at >= since && actor === 'apiserver/0' && subject.includes('leases/worker-1'),
      );
    expect(asked.map(({ kind }) => kind)).toEqual(['PUT', 'GET', 'PUT']);
  });

  it('shows the clock of its node', () => {
    const cluster = createCluster({
      nodes: [{ name: 'worker-1', clock: { offset: minutes(10) } }],
      controllers: [],
    });
    cluster.advance(seconds(1));
    const ahead = Date.parse(leaseOf(cluster).spec?.renewTime ?? '') - cluster.simulation.epochMs;
    expect(Math.abs(ahead - 600_000)).toBeLessThan(1_000);
    cluster.faults.jumpClock('worker-1', minutes(-20));
    cluster.advance(seconds(11));
    expect(Date.parse(leaseOf(cluster).spec?.renewTime ?? '')).toBeLessThan(cluster.simulation.epochMs);
  });
});
