import { describe, expect, it } from 'vitest';
import type { Node, Pod, Taint } from '../../api/types/core-v1.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import { garbageIn, missingNodes, type PodsAndNodes } from './pod-garbage.ts';

interface PodFacts {
  readonly node?: string;
  readonly phase?: NonNullable<Pod['status']>['phase'];
  readonly isDeleted?: boolean;
}

const pod = (name: string, { node, phase = 'Running', isDeleted = false }: PodFacts = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'default',
    creationTimestamp: '2025-01-01T00:00:00Z',
    ...(isDeleted && { deletionTimestamp: '2025-01-01T00:01:00Z' }),
  },
  spec: { containers: [], ...(node !== undefined && { nodeName: node }) },
  status: { phase },
});

const node = (status: string, taints: readonly Taint[] = []): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n' },
  spec: { taints },
  status: { conditions: [{ type: 'Ready', status }] },
});

const OUT: Taint = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };

const view = (pods: readonly Pod[], more: Partial<PodsAndNodes> = {}): PodsAndNodes => ({
  pods,
  nodes: new Map([['n', node('True')]]),
  missing: new Map(),
  now: seconds(100),
  keepsFinished: 2,
  ...more,
});
const found = (given: PodsAndNodes) =>
  garbageIn(given).map(({ pod: { metadata }, why }) => [metadata.name, why]);

describe('garbage is', () => {
  it('the oldest finished pods beyond a number, and none when the number is 0', () => {
    const pods = ['c', 'a', 'b'].map((name) => pod(name, { node: 'n', phase: 'Succeeded' }));
    expect(found(view(pods))).toEqual([['a', 'finished']]);
    expect(found(view(pods, { keepsFinished: 0 }))).toEqual([]);
  });

  it('of the finished pods first those that were evicted', () => {
    const evicted: Pod = { ...pod('z'), status: { phase: 'Failed', reason: 'Evicted' } };
    const pods = [...['c', 'a'].map((name) => pod(name, { node: 'n', phase: 'Succeeded' })), evicted];
    expect(found(view(pods))).toEqual([['z', 'finished']]);
  });

  it('a pod that was deleted before it had a node', () => {
    expect(found(view([pod('a', { isDeleted: true }), pod('b')]))).toEqual([['a', 'unscheduled']]);
  });

  it.each([
    [39, []],
    [40, [['a', 'orphaned']]],
  ])('the pod of a node that has been gone for %i s: %j', (gone, wanted) => {
    const missing = new Map([['lost', seconds(100 - gone)]]);
    expect(found(view([pod('a', { node: 'lost' }), pod('b', { node: 'n' })], { missing }))).toEqual(wanted);
  });

  it.each([
    ['Unknown', [OUT], [['a', 'out-of-service']]],
    ['Unknown', [], []],
    ['True', [OUT], []],
  ] as const)('a deleted pod on a node that is %s with taints %j: %j', (ready, taints, wanted) => {
    const nodes = new Map([['n', node(ready, taints)]]);
    const pods = [pod('a', { node: 'n', isDeleted: true }), pod('b', { node: 'n' })];
    expect(found(view(pods, { nodes }))).toEqual(wanted);
  });
});

it('a node is missing since it was first missed, until it is back', () => {
  const pods = [pod('a', { node: 'lost' }), pod('b', { node: 'n' }), pod('c')];
  const first = missingNodes(view(pods));
  expect([...first]).toEqual([['lost', seconds(100)]]);
  expect([...missingNodes(view(pods, { missing: first, now: seconds(120) }))]).toEqual([
    ['lost', seconds(100)],
  ]);
  const nodes = new Map([
    ['n', node('True')],
    ['lost', node('True')],
  ]);
  expect([...missingNodes(view(pods, { missing: first, nodes }))]).toEqual([]);
});

describe('the pod garbage collector', () => {
  it('deletes the pods of a node that was deleted, after the quarantine', () => {
    const cluster = createCluster({ nodes: 2 });
    cluster.settle();
    cluster.client.pods.create({
      metadata: { name: 'web' },
      spec: { nodeName: 'worker-1', containers: [{ name: 'main', image: 'i' }] },
    });
    cluster.advance(seconds(20));
    const watch = cluster.client.pods.watch();
    cluster.faults.crash('worker-1');
    cluster.client.nodes.delete('worker-1');
    cluster.advance(seconds(39));
    expect(cluster.client.pods.list().items).toHaveLength(1);
    cluster.eventually(() => cluster.client.pods.list().items.length === 0, { within: minutes(1) });
    expect(watch.events.findLast(({ type }) => type === 'MODIFIED')?.object).toMatchObject({
      status: {
        phase: 'Failed',
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: 'DisruptionTarget', reason: 'DeletionByPodGC' }),
        ]),
      },
    });
  });

  it('frees the pods of a node that an administrator has put out of service', () => {
    const cluster = createCluster({ nodes: 2 });
    cluster.settle();
    cluster.client.pods.create({
      metadata: { name: 'web' },
      spec: { nodeName: 'worker-1', containers: [{ name: 'main', image: 'i' }] },
    });
    cluster.advance(seconds(20));
    cluster.faults.crash('worker-1', { isSilent: true });
    cluster.advance(minutes(1));
    cluster.client.pods.delete('web');
    cluster.advance(minutes(1));
    expect(cluster.client.pods.list().items).toHaveLength(1);
    cluster.client.nodes.patch('worker-1', { type: 'strategic', body: { spec: { taints: [OUT] } } });
    cluster.advance(seconds(25));
    expect(cluster.client.pods.list().items).toEqual([]);
  });
});
