import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types/core-v1.ts';
import { planReplicas } from './replica-plan.ts';

const NOW = Date.parse('2025-01-01T01:00:00Z');

interface Facts {
  readonly node?: string;
  readonly phase?: NonNullable<Pod['status']>['phase'];
  readonly readySince?: string;
  readonly cost?: string;
  readonly restarts?: number;
  readonly made?: string;
}

const pod = (
  name: string,
  { node = 'n', phase = 'Running', readySince, cost, restarts = 0, made }: Facts = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    uid: name,
    creationTimestamp: `2025-01-01T${made ?? '00:00:00'}Z`,
    ...(cost !== undefined && { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
  },
  spec: { containers: [], ...(node !== '' && { nodeName: node }) },
  status: {
    phase,
    containerStatuses: [{ name: 'c', image: '', imageID: '', ready: true, restartCount: restarts }],
    ...(readySince !== undefined && {
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: `2025-01-01T${readySince}Z` }],
    }),
  },
});

const READY = { readySince: '00:01:00' };
const gone = (pods: readonly Pod[], wanted: number, related = pods): readonly (string | undefined)[] => {
  const plan = planReplicas({ wanted, pods, related: () => related, nowMs: NOW });
  return plan.kind === 'delete' ? plan.pods.map(({ metadata }) => metadata.name) : [];
};

describe('of too many pods', () => {
  it.each<[string, Facts, Facts]>([
    ['has no node', { node: '' }, { ...READY }],
    ['is pending', { phase: 'Pending' }, { ...READY }],
    ['is not ready', {}, { ...READY }],
    ['costs less', { ...READY, cost: '-1' }, { ...READY }],
    ['became ready much later', { readySince: '00:59:00' }, { ...READY }],
    ['restarted more often', { ...READY, restarts: 2 }, { ...READY, restarts: 1 }],
    ['is much younger', { ...READY, made: '00:50:00' }, { ...READY }],
  ])('the one that %s goes first', (_, first, second) => {
    expect(gone([pod('b', second), pod('a', first)], 1)).toEqual(['a']);
    expect(gone([pod('a', first), pod('b', second)], 1)).toEqual(['a']);
  });

  it('one on a node with others of the same owner goes first', () => {
    const pods = [pod('a', { ...READY, node: 'm' }), pod('b', READY)];
    expect(gone(pods, 1, [...pods, pod('old', READY)])).toEqual(['b']);
  });

  it('those of one order of age are told apart by uid, so that no wave of the same age goes', () => {
    const pods = [pod('b', { readySince: '00:01:00' }), pod('a', { readySince: '00:00:30' })];
    expect(gone(pods, 1)).toEqual(['a']);
  });

  it('all go where none is wanted, 500 at a time', () => {
    expect(gone([pod('b'), pod('a')], 0)).toEqual(['b', 'a']);
    expect(
      gone(
        Array.from({ length: 600 }, (_, index) => pod(`p${index}`)),
        0,
      ),
    ).toHaveLength(500);
  });
});

it('of too few, at the most 500 are made at a time', () => {
  expect(planReplicas({ wanted: 700, pods: [], related: () => [], nowMs: NOW })).toEqual({
    kind: 'create',
    count: 500,
  });
  expect(planReplicas({ wanted: 1, pods: [pod('a')], related: () => [], nowMs: NOW })).toEqual({
    kind: 'rest',
  });
});
