import { describe, expect, it } from 'vitest';
import type { Lease } from '../../api/types/coordination-k8s-io-v1.ts';
import type { Node, NodeCondition, Taint } from '../../api/types/core-v1.ts';
import { seconds } from '../../engine/time.ts';
import { conditionsOfSilence, isSilent, type NodeHealth, observe } from './node-health.ts';
import { executeTaintOf, scheduleTaints, withExecuteTaint } from './node-taints.ts';
import { TaintPace } from './taint-pace.ts';
import { disruptionOf } from './zone-disruption.ts';

const NOW_MS = Date.UTC(2025, 0, 1);
const NOW = '2025-01-01T00:00:00Z';

interface NodeFacts {
  readonly ready?: string;
  readonly heartbeat?: string;
  readonly others?: readonly NodeCondition[];
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  readonly zone?: string;
}

function node({ ready, heartbeat = 'h1', others = [], taints, unschedulable, zone }: NodeFacts): Node {
  const own = ready === undefined ? [] : [{ type: 'Ready', status: ready, lastHeartbeatTime: heartbeat }];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'n',
      creationTimestamp: '2024-12-31T00:00:00Z',
      ...(zone !== undefined && { labels: { 'topology.kubernetes.io/zone': zone } }),
    },
    spec: { ...(taints && { taints }), ...(unschedulable === true && { unschedulable }) },
    status: { conditions: [...own, ...others] },
  };
}

const lease = (renewTime: string): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'n' },
  spec: { renewTime },
});

describe('a node is heard of', () => {
  const known: NodeHealth = observe(undefined, {
    node: node({ ready: 'True' }),
    lease: lease('r1'),
    now: seconds(5),
  });

  it.each([
    ['when its heartbeat changes', node({ ready: 'True', heartbeat: 'h2' }), lease('r1'), 10],
    ['when its lease is renewed', node({ ready: 'True' }), lease('r2'), 10],
    ['when its readiness comes or goes', node({}), lease('r1'), 10],
    ['not when nothing has changed', node({ ready: 'True' }), lease('r1'), 5],
    ['not when its lease goes back', node({ ready: 'True' }), lease('r0'), 5],
    ['not when its lease goes', node({ ready: 'True' }), undefined, 5],
  ] as const)('%s', (_, present, itsLease, heardAt) => {
    expect(observe(known, { node: present, lease: itsLease, now: seconds(10) }).heardAt).toBe(
      seconds(heardAt),
    );
  });

  it.each([
    ['40 s after it was heard of', 'True', 45, false],
    ['later', 'True', 46, true],
    ['40 s after it appeared without having said anything', undefined, 46, false],
    ['a minute after that', undefined, 66, true],
  ] as const)('and silent or not %s', (_, ready, now, silent) => {
    const present = ready === undefined ? node({}) : node({ ready });
    const health = observe(undefined, { node: present, lease: undefined, now: seconds(5) });
    expect(isSilent(health, seconds(now))).toBe(silent);
  });
});

describe('the conditions of a silent node', () => {
  it('become Unknown, keep their heartbeat, and those that never were are added', () => {
    const others = [
      {
        type: 'DiskPressure',
        status: 'True',
        lastHeartbeatTime: 'h',
        lastTransitionTime: 't',
        reason: 'r',
        message: 'm',
      },
      { type: 'NetworkUnavailable', status: 'False', reason: 'RouteCreated' },
    ];
    expect(conditionsOfSilence(node({ ready: 'True', others }), NOW_MS)).toEqual([
      {
        type: 'Ready',
        status: 'Unknown',
        lastHeartbeatTime: 'h1',
        lastTransitionTime: NOW,
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped posting node status.',
      },
      {
        type: 'DiskPressure',
        status: 'Unknown',
        lastHeartbeatTime: 'h',
        lastTransitionTime: NOW,
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped posting node status.',
      },
      { type: 'NetworkUnavailable', status: 'False', reason: 'RouteCreated' },
      ...['MemoryPressure', 'PIDPressure'].map((type) => ({
        type,
        status: 'Unknown',
        lastHeartbeatTime: '2024-12-31T00:00:00Z',
        lastTransitionTime: NOW,
        reason: 'NodeStatusNeverUpdated',
        message: 'Kubelet never posted node status.',
      })),
    ]);
  });

  it('are said once', () => {
    const conditions = conditionsOfSilence(node({}), NOW_MS) ?? [];
    expect(conditionsOfSilence({ ...node({}), status: { conditions } }, NOW_MS)).toBeUndefined();
  });
});

const taint = (key: string, effect: string): Taint => ({ key: `node.kubernetes.io/${key}`, effect });
const keys = (taints: readonly Taint[] | undefined) =>
  taints?.map(({ key, effect }) => `${key.slice(19)}:${effect}`);

describe('taints follow conditions', () => {
  it.each<[string, NodeFacts, readonly string[] | undefined]>([
    ['none for a ready node', { ready: 'True' }, undefined],
    ['none for a node that says nothing', {}, undefined],
    ['not-ready', { ready: 'False' }, ['not-ready:NoSchedule']],
    ['unreachable', { ready: 'Unknown' }, ['unreachable:NoSchedule']],
    [
      'pressure',
      { ready: 'True', others: [{ type: 'DiskPressure', status: 'True' }] },
      ['disk-pressure:NoSchedule'],
    ],
    [
      'no network',
      { ready: 'True', others: [{ type: 'NetworkUnavailable', status: 'True' }] },
      ['network-unavailable:NoSchedule'],
    ],
    ['cordoned', { ready: 'True', unschedulable: true }, ['unschedulable:NoSchedule']],
    ['taken away', { ready: 'True', taints: [taint('not-ready', 'NoSchedule')] }, []],
    ['swapped', { ready: 'Unknown', taints: [taint('not-ready', 'NoSchedule')] }, ['unreachable:NoSchedule']],
    [
      'left alone',
      { ready: 'True', taints: [taint('mine', 'NoSchedule'), taint('not-ready', 'NoExecute')] },
      undefined,
    ],
  ])('%s', (_, facts, wanted) => {
    expect(keys(scheduleTaints(node(facts), NOW_MS))).toEqual(wanted);
  });

  it.each<[string, NodeFacts, readonly string[] | undefined]>([
    [
      'ready',
      { ready: 'True', taints: [taint('unreachable', 'NoExecute'), taint('mine', 'NoExecute')] },
      ['mine:NoExecute'],
    ],
    ['not ready', { ready: 'False' }, ['not-ready:NoExecute']],
    [
      'unreachable instead',
      { ready: 'Unknown', taints: [taint('not-ready', 'NoExecute')] },
      ['unreachable:NoExecute'],
    ],
    ['there already', { ready: 'Unknown', taints: [taint('unreachable', 'NoExecute')] }, undefined],
  ])('NoExecute: %s', (_, facts, wanted) => {
    const present = node(facts);
    expect(keys(withExecuteTaint(present, executeTaintOf(present), NOW_MS))).toEqual(wanted);
  });
});

describe('a zone', () => {
  const zone = (name: string, ready: number, unready: number): Node[] => [
    ...Array.from({ length: ready }, () => node({ ready: 'True', zone: name })),
    ...Array.from({ length: unready }, () => node({ ready: 'Unknown', zone: name })),
  ];
  const first = (nodes: Node[]) => [...disruptionOf(nodes).zones.values()][0];

  it.each([
    [1, 1, 'Normal', 0.1],
    [3, 3, 'Normal', 0.1],
    [2, 3, 'PartialDisruption', 0],
    [40, 60, 'PartialDisruption', 0.01],
  ] as const)('of %i ready and %i other nodes is in state %s', (ready, unready, state, rate) => {
    expect(first(zone('a', ready, unready))).toEqual({ state, rate });
  });

  it('that is down as a whole is evicted from while another is not', () => {
    const { zones, isTotal } = disruptionOf([...zone('a', 0, 3), ...zone('b', 3, 0)]);
    expect(isTotal).toBe(false);
    expect([...zones.values()]).toEqual([
      { state: 'FullDisruption', rate: 0.1 },
      { state: 'Normal', rate: 0.1 },
    ]);
  });

  it('is left alone when all are down', () => {
    const { zones, isTotal } = disruptionOf([...zone('a', 0, 3), ...zone('b', 0, 1)]);
    expect(isTotal).toBe(true);
    expect([...zones.values()].map(({ rate }) => rate)).toEqual([0, 0]);
  });

  it('gets a taint every ten seconds', () => {
    const pace = new TaintPace();
    pace.setRates(new Map([['a', { state: 'Normal', rate: 0.1 }]]));
    for (const name of ['x', 'y', 'z']) pace.add(name, 'a');
    pace.drop('y');
    const at = [0, 1, 9, 10, 20].map((second) => pace.takeDue(seconds(second)));
    expect(at).toEqual([['x'], [], [], ['z'], []]);
  });
});
