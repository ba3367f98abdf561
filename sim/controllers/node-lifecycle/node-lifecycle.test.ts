import { describe, expect, it } from 'vitest';
import type { Lease } from '../../api/types/coordination-k8s-io-v1.ts';
import type { Node, NodeCondition, Taint } from '../../api/types/core-v1.ts';
import { seconds } from '../../engine/time.ts';
import { conditionsOfSilence, isSilent, type NodeHealth, observe, readyOf } from './node-health.ts';
import { executeTaintOf, scheduleTaints, withExecuteTaint } from './node-taints.ts';

const NOW_MS = Date.UTC(2025, 0, 1);
const NOW = '2025-01-01T00:00:00Z';

interface NodeFacts {
  readonly ready?: string;
  readonly heartbeat?: string;
  readonly others?: readonly NodeCondition[];
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
}

function node({ ready, heartbeat = 'h1', others = [], taints, unschedulable }: NodeFacts): Node {
  const own = ready === undefined ? [] : [{ type: 'Ready', status: ready, lastHeartbeatTime: heartbeat }];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'n',
      creationTimestamp: '2024-12-31T00:00:00Z',
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
    wallMs: NOW_MS,
  });

  it.each([
    ['when its heartbeat changes', node({ ready: 'True', heartbeat: 'h2' }), lease('r1'), 10],
    ['when its lease is renewed', node({ ready: 'True' }), lease('r2'), 10],
    ['when its readiness comes or goes', node({}), lease('r1'), 10],
    ['not when nothing has changed', node({ ready: 'True' }), lease('r1'), 5],
    ['not when its lease goes back', node({ ready: 'True' }), lease('r0'), 5],
    ['not when its lease goes', node({ ready: 'True' }), undefined, 5],
  ] as const)('%s', (_, present, itsLease, heardAt) => {
    const seen = observe(known, { node: present, lease: itsLease, now: seconds(10), wallMs: NOW_MS });
    expect(seen.heardAt).toBe(seconds(heardAt));
  });

  it('once more by its lease in the round after a report', () => {
    const look = (before: NodeHealth, now: number) =>
      observe(before, {
        node: node({ ready: 'True', heartbeat: 'h2' }),
        lease: lease('r1'),
        now: seconds(now),
        wallMs: NOW_MS,
      });
    const reported = look(known, 10);
    const next = look(reported, 15);
    expect([reported, next, look(next, 20)].map(({ heardAt }) => heardAt)).toEqual([10, 15, 15].map(seconds));
  });

  it('first when it was created, if it has said nothing', () => {
    const wallMs = Date.parse('2024-12-31T00:00:07Z');
    const seen = observe(undefined, { node: node({}), lease: undefined, now: seconds(30), wallMs });
    expect(seen.heardAt).toBe(seconds(23));
  });

  it.each([
    ['40 s after it was heard of', 'True', 45, false],
    ['later', 'True', 46, true],
    ['40 s after it appeared without having said anything', undefined, 46, false],
    ['a minute after that', undefined, 66, true],
  ] as const)('and silent or not %s', (_, ready, now, silent) => {
    const present = ready === undefined ? node({}) : node({ ready });
    expect(isSilent(readyOf(present), seconds(5), seconds(now))).toBe(silent);
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

const taint = (key: string, effect: Taint['effect']): Taint => ({ key: `node.kubernetes.io/${key}`, effect });
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
    [
      'in the order of the conditions',
      {
        ready: 'False',
        others: [
          { type: 'PIDPressure', status: 'True' },
          { type: 'MemoryPressure', status: 'True' },
        ],
        unschedulable: true,
      },
      [
        'not-ready:NoSchedule',
        'pid-pressure:NoSchedule',
        'memory-pressure:NoSchedule',
        'unschedulable:NoSchedule',
      ],
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
    expect(keys(withExecuteTaint(present, executeTaintOf(readyOf(present)?.status), NOW_MS))).toEqual(wanted);
  });
});
