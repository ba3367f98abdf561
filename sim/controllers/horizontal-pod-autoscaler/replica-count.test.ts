import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types/core-v1.ts';
import {
  MetricFailure,
  type ReplicaQuestion,
  replicasForShares,
  replicasForUsage,
  replicasForUtilization,
  replicasForValue,
} from './replica-count.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');
const LONG_AGO = '2026-01-01T00:00:00Z';

type Kind = 'ready' | 'pending' | 'going' | 'failed' | 'never-ready' | 'young';

function pod(name: string, kind: Kind): Pod {
  const isReady = kind !== 'never-ready';
  const startTime = kind === 'young' ? '2026-01-01T00:59:00Z' : LONG_AGO;
  const lastTransitionTime = kind === 'young' ? '2026-01-01T00:59:50Z' : LONG_AGO;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...(kind === 'going' && { deletionTimestamp: LONG_AGO }) },
    spec: {
      containers: [
        { name: 'main', resources: { requests: { cpu: '600m' } } },
        { name: 'side', resources: { requests: { cpu: '400m' } } },
      ],
    },
    status: {
      phase: kind === 'pending' ? 'Pending' : kind === 'failed' ? 'Failed' : 'Running',
      startTime,
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime }],
    },
  };
}

interface Row {
  readonly kinds?: readonly Kind[];
  /** One for each pod; undefined: nobody knows. */
  readonly used: readonly (number | undefined)[];
  readonly current?: number;
  readonly resource?: string;
}

function question({ kinds = [], used, current = used.length, resource = 'cpu' }: Row): ReplicaQuestion {
  const names = used.map((_, at) => `p-${at}`);
  const usages = names.flatMap((name, at) => {
    const value = used[at];
    const usage = { value: value ?? 0, atMs: NOW, windowMs: 30_000 };
    return value === undefined ? [] : [[name, usage] as const];
  });
  const pods = names.map((name, at) => pod(name, kinds[at] ?? 'ready'));
  return { currentReplicas: current, resource, container: '', pods, usages: new Map(usages), nowMs: NOW };
}

describe('replicas for a share of the requests', () => {
  const table: readonly [string, Row, number, number][] = [
    ['go up with the usage', { used: [900, 900] }, 50, 4],
    ['go down with the usage', { used: [100, 100, 100, 100] }, 50, 1],
    ['are rounded up', { used: [600, 600, 600] }, 50, 4],
    ['stay within a tenth above', { used: [540, 540] }, 50, 2],
    ['stay within a tenth below', { used: [450, 450] }, 50, 2],
    ['go just beyond a tenth', { used: [560, 560] }, 50, 3],
    ['assume that who says nothing uses nothing on the way up', { used: [900, undefined] }, 50, 2],
    ['still go up if so much is known', { used: [1000, 1000, undefined] }, 50, 4],
    ['assume that who says nothing uses all on the way down', { used: [100, undefined] }, 50, 2],
    ['go down if even so there is too much', { used: [100, 100, 100, undefined] }, 80, 2],
    ['do not count pods on their way', { used: [900, 900], kinds: ['ready', 'going'] }, 50, 2],
    ['do not count failed pods', { used: [900, 900, 900], kinds: ['ready', 'ready', 'failed'] }, 50, 4],
    ['count pending pods as idle on the way up', { used: [900, 0], kinds: ['ready', 'pending'] }, 50, 2],
    ['leave pending pods out on the way down', { used: [100, 0], kinds: ['ready', 'pending'] }, 50, 1],
    [
      'count pods that never were ready as idle',
      { used: [900, 900], kinds: ['ready', 'never-ready'] },
      50,
      2,
    ],
    ['count what starts as idle', { used: [900, 900], kinds: ['ready', 'young'] }, 50, 2],
  ];
  it.each(table)('%s', (_, row, target, replicas) => {
    expect(replicasForUtilization(question(row), target).replicas).toBe(replicas);
  });

  it('are told with what is used', () => {
    const asked = question({ used: [300, 500] });
    expect(replicasForUtilization(asked, 50)).toEqual({ replicas: 2, usage: 400, utilization: 40 });
  });

  it('may be those of one container', () => {
    const asked = { ...question({ used: [600, 600] }), container: 'main' };
    expect(replicasForUtilization(asked, 50)).toEqual({ replicas: 4, usage: 600, utilization: 100 });
  });

  it.each<[string, ReplicaQuestion]>([
    ['no pods returned by selector while calculating replica count', question({ used: [] })],
    [
      'did not receive metrics for targeted pods (pods might be unready)',
      question({ used: [5], kinds: ['never-ready'] }),
    ],
    ['missing request for memory in container main of Pod p-0', question({ used: [5], resource: 'memory' })],
  ])('cannot be told: %s', (message, asked) => {
    expect(() => replicasForUtilization(asked, 50)).toThrow(new MetricFailure(message));
  });
});

describe('replicas for an amount', () => {
  const table: readonly [string, Row, number, number][] = [
    ['go up', { used: [300, 300] }, 100, 6],
    ['go down', { used: [100, 100, 100] }, 200, 2],
    ['stay', { used: [105, 100] }, 100, 2],
    ['assume what is aimed at for who says nothing', { used: [20, undefined] }, 100, 2],
    [
      'do not ask how long a pod was ready unless for cpu',
      { used: [300, 300], kinds: ['young', 'young'], resource: 'memory' },
      100,
      6,
    ],
  ];
  it.each(table)('%s', (_, row, target, replicas) => {
    expect(replicasForUsage(question(row), target).replicas).toBe(replicas);
  });
});

describe('a value for all pods together', () => {
  const pods = [pod('a', 'ready'), pod('b', 'never-ready'), pod('c', 'pending')];

  it.each([
    [3, 1_090, 3],
    [3, 2_500, 3],
    [3, 4_000, 4],
    [0, 2_500, 3],
    [0, 0, 0],
  ])('at %i pods and %i thousandths of 1 asks for %i', (current, value, replicas) => {
    expect(replicasForValue(current, pods, { value, target: 1_000 })).toBe(replicas);
  });

  it('cannot be told of pods that are not there', () => {
    expect(() => replicasForValue(2, [], { value: 5_000, target: 1_000 })).toThrow(
      'unable to calculate ready pods: no pods returned by selector while calculating replica count',
    );
  });
});

it.each([
  [3, 31_000, 3, 10_334],
  [3, 40_000, 4, 13_334],
  [0, 40_000, 4, Infinity],
  [0, 0, 0, Number.NaN],
])('%i pods that share %i, 10 each, become %i', (present, value, replicas, usage) => {
  expect(replicasForShares(present, { value, target: 10_000 })).toEqual({ replicas, usage });
});
