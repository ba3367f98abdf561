import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';

const readyOf = (cluster: Cluster) =>
  cluster.client.nodes.get('worker-1').status?.conditions?.find(({ type }) => type === 'Ready');

function overwrite({ client }: Cluster): void {
  const body = { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } };
  client.nodes.patch('worker-1', { type: 'strategic', body }, { subresource: 'status' });
}

/** Bodies of the status patches that have reached the server. */
function reportsTo(cluster: Cluster): unknown[] {
  const reports: unknown[] = [];
  cluster.faults.actor('apiserver/0').overhear({
    received: (message) => {
      const { body } = message as { readonly body?: { readonly path?: string; readonly body?: unknown } };
      if (body?.path === '/api/v1/nodes/worker-1/status') reports.push(body.body);
    },
  });
  return reports;
}

describe('the status of a node', () => {
  it('is reported every five minutes: the times of the heartbeat alone', () => {
    const cluster = createCluster({ nodes: 1, controllers: [] });
    cluster.advance(minutes(1));
    const reports = reportsTo(cluster);
    const before = readyOf(cluster);
    cluster.advance(minutes(5));
    expect(reports).toHaveLength(1);
    const types = ['NetworkUnavailable', 'MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'];
    const { lastHeartbeatTime } = readyOf(cluster) ?? {};
    expect(reports[0]).toEqual({
      status: {
        '$setElementOrder/conditions': types.map((type) => ({ type })),
        conditions: types.map((type) => ({ type, lastHeartbeatTime })),
      },
    });
    expect(readyOf(cluster)).toEqual({ ...before, lastHeartbeatTime });
  });

  it('keeps the devices that others count, and says that all of them may be asked for', () => {
    const cluster = createCluster({ nodes: 1, controllers: [] });
    cluster.advance(minutes(1));
    const body = { status: { capacity: { 'example.com/device': '3', cpu: '99' } } };
    cluster.client.nodes.patch('worker-1', { type: 'merge', body }, { subresource: 'status' });
    cluster.advance(minutes(12));
    const { capacity, allocatable } = cluster.client.nodes.get('worker-1').status ?? {};
    expect(capacity).toMatchObject({ 'example.com/device': '3', cpu: '4' });
    expect(allocatable).toMatchObject({ 'example.com/device': '3', cpu: '4' });
  });

  it.each([1, 2, 3, 4, 5])('keeps devices that it had not heard of when it reported (seed %i)', (seed) => {
    const cluster = createCluster({ seed, nodes: 1, controllers: [] });
    cluster.advance(minutes(1));
    cluster.faults.partition('worker-1');
    cluster.advance(minutes(3));
    overwrite(cluster);
    const body = { status: { capacity: { 'example.com/device': '3' } } };
    cluster.client.nodes.patch('worker-1', { type: 'merge', body }, { subresource: 'status' });
    cluster.faults.heal('worker-1');
    cluster.advance(minutes(6));
    const { capacity, allocatable } = cluster.client.nodes.get('worker-1').status ?? {};
    expect(readyOf(cluster)?.status).toBe('True');
    expect([capacity?.['example.com/device'], allocatable?.['example.com/device']]).toEqual(['3', '3']);
  });

  it.each([1, 2, 3, 4, 5])(
    'is put right when somebody has written over it, also unseen (seed %i)',
    (seed) => {
      const cluster = createCluster({ seed, nodes: 1, controllers: [] });
      cluster.advance(minutes(1));
      overwrite(cluster);
      cluster.advance(seconds(11));
      expect(readyOf(cluster)?.status).toBe('True');
      cluster.faults.partition('worker-1');
      cluster.advance(minutes(3));
      overwrite(cluster);
      cluster.faults.heal('worker-1');
      // Its informer may take a minute to come back: it asks, once the call under way has failed.
      cluster.advance(seconds(21));
      expect(readyOf(cluster)?.status).toBe('True');
    },
  );

  it.each([1, 24, 27, 28, 29])(
    'is put right after messages took too long, also when it was written over while it asked (seed %i)',
    (seed) => {
      const cluster = createCluster({ seed, nodes: 1, controllers: [] });
      cluster.advance(minutes(1));
      cluster.faults.setLatency('worker-1', { min: seconds(20), typical: seconds(25), max: seconds(30) });
      cluster.advance(seconds(100));
      overwrite(cluster);
      cluster.advance(seconds(20));
      cluster.faults.resetLatency('worker-1');
      cluster.advance(minutes(1));
      expect(readyOf(cluster)?.status).toBe('True');
    },
  );

  it.each([undefined, []])('is fought over by two agents with a pause between (answers %j)', (replay) => {
    const cluster = createCluster({ nodes: 1, controllers: [], ...(replay && { replay }) });
    cluster.advance(minutes(1));
    cluster.addTwin('worker-1');
    const reports = reportsTo(cluster);
    cluster.advance(minutes(2));
    expect(reports.length).toBeGreaterThan(4);
    expect(reports.length).toBeLessThan(30);
  });
});
