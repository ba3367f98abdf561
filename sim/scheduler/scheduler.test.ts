import { describe, expect, it } from 'vitest';
import { BUILTIN_HANDLES } from '../client/builtin-handles.ts';
import { milliseconds, minutes, seconds } from '../engine/time.ts';
import {
  addNode,
  addPod,
  addPriority,
  eventsAbout,
  nodeOf,
  placed,
  why,
  world,
} from './scheduling.fixture.ts';

describe('a scheduler', () => {
  it('says by Events and the pod’s condition what it has decided', () => {
    const cluster = world();
    addPod(cluster, 'p');
    expect(why(cluster, 'p')).toBe('no nodes available to schedule pods');
    addNode(cluster, 'n');
    expect(placed(cluster, 'p')).toBe('n');
    expect(eventsAbout(cluster, 'p')).toEqual([
      'FailedScheduling: no nodes available to schedule pods',
      'Scheduled: Successfully assigned default/p to n',
    ]);
    const [condition] = cluster.client.pods.get('p').status?.conditions ?? [];
    expect(condition).toMatchObject({ type: 'PodScheduled', status: 'True' });
    expect(condition).not.toHaveProperty('reason');
  });

  it('leaves pods of other schedulers alone, and those that have a node', () => {
    const cluster = world();
    addNode(cluster, 'n');
    addPod(cluster, 'other', { schedulerName: 'mine' });
    addPod(cluster, 'bound', { nodeName: 'elsewhere' });
    cluster.advance(minutes(1));
    expect(nodeOf(cluster, 'other')).toBeUndefined();
    expect(cluster.client.pods.get('other').status?.conditions).toBeUndefined();
    expect(nodeOf(cluster, 'bound')).toBe('elsewhere');
  });

  it('tells what is missing on which nodes, in order of the texts', () => {
    const cluster = world();
    addNode(cluster, 'full', { pods: '0' });
    addNode(cluster, 'small', { cpu: '1' });
    addNode(cluster, 'closed');
    cluster.cordon('closed');
    addPod(cluster, 'p', { cpu: '2' });
    expect(why(cluster, 'p')).toBe(
      '0/3 nodes are available: 1 Insufficient cpu, 1 Too many pods, 1 node(s) were unschedulable. ' +
        'preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.',
    );
  });

  it('places pods that ask for resources of others, as many as there are', () => {
    const cluster = world();
    addNode(cluster, 'n');
    const amounts = { 'example.com/gpu': '3' };
    cluster.client.nodes.patch(
      'n',
      { type: 'strategic', body: { status: { capacity: amounts, allocatable: amounts } } },
      { subresource: 'status' },
    );
    for (const name of ['a', 'b']) {
      const asked = { 'example.com/gpu': '2' };
      cluster.client.pods.create({
        metadata: { name },
        spec: { containers: [{ name: 'c', image: 'i', resources: { requests: asked, limits: asked } }] },
      });
    }
    expect(placed(cluster, 'a')).toBe('n');
    expect(why(cluster, 'b')).toContain('0/1 nodes are available: 1 Insufficient example.com/gpu.');
  });

  it('never counts on more than a node has, though bindings are under way', () => {
    const cluster = world({ latency: { min: seconds(1), typical: seconds(1), max: seconds(1) } });
    addNode(cluster, 'n', { cpu: '1' });
    for (const name of ['a', 'b', 'c']) addPod(cluster, name, { cpu: '400m' });
    cluster.advance(minutes(1));
    expect(['a', 'b', 'c'].filter((name) => nodeOf(cluster, name) === 'n')).toHaveLength(2);
  });

  it('prefers the node with more left, and spreads the pods of a service', () => {
    const cluster = world();
    addNode(cluster, 'small', { cpu: '2' });
    addNode(cluster, 'large', { cpu: '16' });
    addPod(cluster, 'heavy', { cpu: '1' });
    expect(placed(cluster, 'heavy')).toBe('large');

    const even = world();
    for (const name of ['a', 'b', 'c']) addNode(even, name);
    even.client.services.create({
      metadata: { name: 's' },
      spec: { selector: { app: 'x' }, ports: [{ port: 80 }] },
    });
    const nodes = ['1', '2', '3'].map((name) => {
      addPod(even, name, { labels: { app: 'x' } });
      return placed(even, name);
    });
    expect(new Set(nodes).size).toBe(3);
  });

  it('tries again when it does not hear whether a pod was bound, and counts the pod once', () => {
    const cluster = world();
    addNode(cluster, 'n', { cpu: '1' });
    addPod(cluster, 'p', { cpu: '1' });
    cluster.faults.partition('scheduler/0', { way: 'back' });
    cluster.advance(minutes(2));
    cluster.faults.heal('scheduler/0', { way: 'back' });
    cluster.advance(minutes(2));
    expect(nodeOf(cluster, 'p')).toBe('n');
    // Whoever comes now finds the node full, not over-full.
    addPod(cluster, 'q', { cpu: '1' });
    expect(why(cluster, 'q')).toContain('1 Insufficient cpu');
  });

  it('goes on after a crash with pods in every state', () => {
    const cluster = world();
    addNode(cluster, 'n', { cpu: '2' });
    addPod(cluster, 'there', { cpu: '1' });
    placed(cluster, 'there');
    addPod(cluster, 'waits', { cpu: '2' });
    addPod(cluster, 'gated', { schedulingGates: [{ name: 'a.b/c' }] });
    cluster.advance(seconds(5));
    cluster.faults.crash('scheduler/0');
    addPod(cluster, 'new', { cpu: '500m' });
    cluster.advance(seconds(5));
    expect(nodeOf(cluster, 'new')).toBeUndefined();
    cluster.faults.restart('scheduler/0');
    expect(placed(cluster, 'new')).toBe('n');
    cluster.client.pods.delete('there', { gracePeriodSeconds: 0 });
    cluster.client.pods.delete('new', { gracePeriodSeconds: 0 });
    expect(placed(cluster, 'waits')).toBe('n');
    cluster.client.pods.patch('gated', { type: 'merge', body: { spec: { schedulingGates: [] } } });
    expect(placed(cluster, 'gated')).toBe('n');
  });

  it('gives up a pod that is deleted while it waits', () => {
    const cluster = world();
    addPod(cluster, 'p');
    cluster.advance(seconds(1));
    cluster.client.pods.delete('p', { gracePeriodSeconds: 0 });
    addNode(cluster, 'n');
    addPod(cluster, 'p', { cpu: '1' });
    expect(placed(cluster, 'p')).toBe('n');
  });

  it('hears late, and then has a binding refused', () => {
    const cluster = world();
    addNode(cluster, 'n');
    cluster.advance(seconds(1));
    cluster.faults.lag('scheduler/0', seconds(10));
    addPod(cluster, 'p');
    cluster.advance(seconds(5));
    expect(nodeOf(cluster, 'p')).toBeUndefined();
    cluster.advance(seconds(6));
    expect(nodeOf(cluster, 'p')).toBe('n');
    cluster.faults.lag('scheduler/0', seconds(0));
  });
});

describe('two schedulers', () => {
  it('work one after the other, by a lease', () => {
    const cluster = world({ schedulers: 2 });
    addNode(cluster, 'n');
    addPod(cluster, 'a');
    expect(placed(cluster, 'a')).toBe('n');
    const leader = () =>
      cluster.client.leases.get({ namespace: 'kube-system', name: 'kube-scheduler' }).spec?.holderIdentity ??
      '';
    const first = leader().split('_')[0];
    cluster.faults.crash('scheduler/leader');
    addPod(cluster, 'b');
    cluster.eventually(() => nodeOf(cluster, 'b') === 'n', { within: minutes(1) });
    expect(leader().split('_')[0]).not.toBe(first);
  });
});

describe('preemption', () => {
  it('marks and deletes the least important pods, and the pod waits for its node', () => {
    const cluster = world();
    addNode(cluster, 'n');
    addPriority(cluster, 'high', 1000);
    addPriority(cluster, 'low', 10);
    addPod(cluster, 'zero', { cpu: '2' });
    placed(cluster, 'zero');
    addPod(cluster, 'ten', { cpu: '2', priorityClassName: 'low' });
    placed(cluster, 'ten');
    addPod(cluster, 'vip', { cpu: '2', priorityClassName: 'high' });
    expect(placed(cluster, 'vip')).toBe('n');
    expect(cluster.client.pods.list().items.map(({ metadata }) => metadata.name)).toEqual(['ten', 'vip']);
    const { uid } = cluster.client.pods.get('vip').metadata;
    expect(eventsAbout(cluster, 'zero')).toContain(`Preempted: Preempted by pod ${uid} on node n`);
    expect(eventsAbout(cluster, 'vip')[0]).toBe(
      'FailedScheduling: 0/1 nodes are available: 1 Insufficient cpu.',
    );
  });

  it('spares what a disruption budget protects, where it can', () => {
    const cluster = world();
    for (const name of ['a', 'b']) addNode(cluster, name, { cpu: '1' });
    addPriority(cluster, 'high', 1000);
    addPod(cluster, 'guarded', {
      cpu: '1',
      labels: { app: 'x' },
      nodeSelector: { 'kubernetes.io/hostname': 'a' },
    });
    addPod(cluster, 'free', { cpu: '1', nodeSelector: { 'kubernetes.io/hostname': 'b' } });
    placed(cluster, 'guarded');
    placed(cluster, 'free');
    cluster.client.podDisruptionBudgets.create({
      metadata: { name: 'x' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
    });
    cluster.advance(seconds(1));
    addPod(cluster, 'vip', { cpu: '1', priorityClassName: 'high' });
    expect(placed(cluster, 'vip')).toBe('b');
    expect(nodeOf(cluster, 'guarded')).toBe('a');
  });

  it('promises nothing to a pod that somebody else has placed meanwhile', () => {
    const cluster = world();
    addNode(cluster, 'n');
    addPriority(cluster, 'high', 1000);
    addPod(cluster, 'zero', { cpu: '3' });
    placed(cluster, 'zero');
    const slow = { min: seconds(1), typical: seconds(1), max: seconds(1) };
    cluster.faults.setLatency('scheduler/0', slow, { way: 'forth' });
    addPod(cluster, 'vip', { cpu: '2', priorityClassName: 'high' });
    cluster.advance(milliseconds(500));
    const target = { apiVersion: 'v1', kind: 'Node', name: 'n' };
    const binding = { metadata: { name: 'vip', namespace: 'default' }, target };
    const pods = { ...BUILTIN_HANDLES.pods, kind: 'Binding' };
    cluster.finish(cluster.userClient.create(pods, binding, { subresource: 'binding' }));
    cluster.advance(seconds(10));
    expect(() => cluster.client.pods.get('zero')).toThrow(/not found/);
    cluster.client.pods.delete('vip');
    addPod(cluster, 'next', { cpu: '3' });
    expect(placed(cluster, 'next')).toBe('n');
  });

  it('is tried again where a victim was gone already', () => {
    const cluster = world();
    addNode(cluster, 'n', { cpu: '1' });
    addPriority(cluster, 'high', 1000);
    addPod(cluster, 'zero', { cpu: '1' });
    placed(cluster, 'zero');
    cluster.faults.failRequests({
      verb: 'delete',
      resource: 'pods',
      actor: 'scheduler/0',
      status: 404,
      count: 1,
    });
    addPod(cluster, 'vip', { cpu: '1', priorityClassName: 'high' });
    expect(why(cluster, 'vip')).toMatch(
      /^0\/1 nodes are available: 1 Insufficient cpu\. preemption: the server could not find/,
    );
    expect(cluster.client.pods.get('vip').status?.nominatedNodeName).toBeUndefined();
    cluster.client.pods.delete('zero');
    expect(placed(cluster, 'vip')).toBe('n');
  });

  it('is not for pods that never preempt, nor against equals', () => {
    const cluster = world();
    addNode(cluster, 'n', { cpu: '1' });
    addPod(cluster, 'there', { cpu: '1' });
    placed(cluster, 'there');
    addPriority(cluster, 'high', 1000);
    cluster.client.priorityClasses.create({
      metadata: { name: 'polite' },
      value: 1000,
      preemptionPolicy: 'Never',
    });
    addPod(cluster, 'equal', { cpu: '1' });
    expect(why(cluster, 'equal')).toContain('1 No preemption victims found for incoming pod.');
    addPod(cluster, 'polite', { cpu: '1', priorityClassName: 'polite' });
    expect(why(cluster, 'polite')).toBe(
      '0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.',
    );
    expect(cluster.client.pods.get('there').metadata.deletionTimestamp).toBeUndefined();
  });
});
