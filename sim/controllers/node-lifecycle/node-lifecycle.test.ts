import { describe, expect, it } from 'vitest';
import type { Lease } from '../../api/types/coordination-k8s-io-v1.ts';
import type { Node, NodeCondition, Taint } from '../../api/types/core-v1.ts';
import { seconds } from '../../engine/time.ts';
import { conditionsOfSilence, isSilent, type NodeHealth, observe, readyOf } from './node-health.ts';
import { executeTaintOf, scheduleTaints, withExecuteTaint } from './node-taints.ts';
import { TaintPace } from './taint-pace.ts';
import { NodeWatchlist } from './node-watchlist.ts';
import {
  countsForZone,
  Disruption,
  rateOf,
  stateOf,
  ZoneCensus,
  type ZoneCount,
  zoneOf,
} from './zone-disruption.ts';

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

describe('a zone', () => {
  it.each([
    [1, 1, 'Normal', 0.1],
    [3, 3, 'Normal', 0.1],
    [0, 2, 'FullDisruption', 0.1],
    [9, 11, 'PartialDisruption', 0],
    [46, 54, 'Normal', 0.1],
    [22, 28, 'PartialDisruption', 0],
    [22, 29, 'PartialDisruption', 0.01],
  ] as const)('of %i ready and %i other nodes is in state %s', (ready, unready, state, rate) => {
    expect(stateOf({ ready, unready })).toBe(state);
    expect(rateOf(state, { ready, unready })).toBe(rate);
  });

  it.each<[string, Record<string, string>, string]>([
    ['none', {}, ''],
    ['zone', { 'topology.kubernetes.io/zone': 'a' }, ':\u0000:a'],
    [
      'region and zone',
      { 'topology.kubernetes.io/region': 'r', 'topology.kubernetes.io/zone': 'a' },
      'r:\u0000:a',
    ],
    ['the old label', { 'failure-domain.beta.kubernetes.io/zone': 'a' }, ':\u0000:a'],
  ])('is told by labels: %s', (_, labels, zone) => {
    expect(zoneOf({ ...node({}), metadata: { name: 'n', labels } })).toBe(zone);
  });

  it('does not count nodes that are excluded', () => {
    const labels = { 'node.kubernetes.io/exclude-disruption': '' };
    expect(countsForZone({ ...node({}), metadata: { name: 'n', labels } })).toBe(false);
    expect(countsForZone(node({}))).toBe(true);
  });

  it('is counted anew when a node changes its state or its zone, or goes', () => {
    const census = new ZoneCensus();
    const counts = () => Object.fromEntries([...census.zones].map(([zone, count]) => [zone, { ...count }]));
    census.set('x', 'a', true);
    census.set('y', 'a', false);
    expect(counts()).toEqual({ a: { ready: 1, unready: 1 } });
    census.set('x', 'a', false);
    census.set('y', 'b', false);
    expect(counts()).toEqual({ a: { ready: 0, unready: 1 }, b: { ready: 0, unready: 1 } });
    census.remove('x');
    expect(counts()).toEqual({ b: { ready: 0, unready: 1 } });
  });
});

describe('the disruption of zones', () => {
  const zones = (counts: Record<string, readonly [number, number]>): ReadonlyMap<string, ZoneCount> =>
    new Map(Object.entries(counts).map(([zone, [ready, unready]]) => [zone, { ready, unready }]));
  const told = (disruption: Disruption, counts: Record<string, readonly [number, number]>) => {
    const turn = disruption.judge(zones(counts));
    return turn.kind === 'same' ? 'same' : [turn.kind, Object.fromEntries(turn.rates)];
  };

  it('is told when it changes, zone by zone', () => {
    const disruption = new Disruption();
    expect(told(disruption, { a: [3, 0], b: [3, 0] })).toEqual(['changed', { a: 0.1, b: 0.1 }]);
    expect(told(disruption, { a: [3, 0], b: [2, 1] })).toBe('same');
    expect(told(disruption, { a: [3, 0], b: [1, 3] })).toEqual(['changed', { b: 0 }]);
    expect(told(disruption, { a: [3, 0], b: [0, 4] })).toEqual(['changed', { b: 0.1 }]);
  });

  it('stops everything when no zone has a ready node, and is over with the first that has', () => {
    const disruption = new Disruption();
    told(disruption, { a: [3, 0], b: [0, 3] });
    expect(told(disruption, { a: [0, 3], b: [0, 3] })).toEqual(['total', { a: 0, b: 0 }]);
    expect(told(disruption, { a: [0, 3], b: [0, 3] })).toBe('same');
    expect(told(disruption, { a: [1, 2], b: [0, 3] })).toEqual(['over', { a: 0.1, b: 0.1 }]);
  });

  it('is none without nodes, and begins with the first that is not ready', () => {
    const disruption = new Disruption();
    expect(told(disruption, {})).toBe('same');
    expect(told(disruption, { a: [0, 1] })).toEqual(['total', { a: 0 }]);
  });
});

describe('NoExecute taints', () => {
  const paced = () => {
    const pace = new TaintPace();
    for (const name of ['x', 'y', 'z']) pace.add(name, 'a');
    return pace;
  };
  const due = (pace: TaintPace, ...at: readonly number[]) =>
    at.map((second) => pace.takeDue(seconds(second)).join(' '));

  it('come every ten seconds', () => {
    const pace = paced();
    pace.drop('y');
    expect(due(pace, 0, 1, 9, 10, 20)).toEqual(['x', '', '', 'z', '']);
  });

  it('come more slowly from the next on when the rate falls while one has to wait', () => {
    const pace = paced();
    expect(due(pace, 0)).toEqual(['x']);
    pace.setRates(new Map([['a', 0.01]]), seconds(5));
    expect(due(pace, 10, 104, 105)).toEqual(['', '', 'y']);
  });

  it('do not come while the rate is zero, and a whole turn after it no longer is', () => {
    const pace = paced();
    pace.setRates(new Map([['a', 0]]), seconds(0));
    expect([pace.nextDueAt, ...due(pace, 0, 1_000)]).toEqual([Infinity, '', '']);
    pace.setRates(new Map([['a', 0.1]]), seconds(1_000));
    expect([pace.nextDueAt, ...due(pace, 1_009, 1_010)]).toEqual([seconds(1_010), '', 'x']);
  });

  it('come in each zone at its own pace', () => {
    const pace = paced();
    pace.add('other', 'b');
    expect(due(pace, 0, 10)).toEqual(['x other', 'y']);
  });
});

describe('the monitor looks', () => {
  it('at nodes that have changed, once', () => {
    const list = new NodeWatchlist();
    for (const name of ['a', 'b', 'a']) list.touch(name);
    expect(list.take(seconds(0))).toEqual(['a', 'b']);
    for (const name of ['a', 'b']) list.settle(name, seconds(5), seconds(5));
    expect(list.take(seconds(0))).toEqual([]);
  });

  it('at calm nodes that have been silent for longer than the grace', () => {
    const list = new NodeWatchlist();
    list.settle('a', seconds(5), seconds(5));
    list.settle('b', seconds(10), seconds(10));
    list.settle('a', seconds(15), seconds(15));
    expect(list.take(seconds(10))).toEqual([]);
    expect(list.take(seconds(11))).toEqual(['b']);
    expect(list.take(seconds(16))).toEqual(['b', 'a']);
  });

  it('in every round at those that are not well, or were not heard of in the round that found them so', () => {
    const list = new NodeWatchlist();
    list.unsettle('a');
    list.settle('b', seconds(5), seconds(10));
    expect([list.take(seconds(0)), list.take(seconds(0))]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    list.settle('a', seconds(15), seconds(15));
    list.forget('b');
    expect(list.take(seconds(0))).toEqual([]);
  });
});
