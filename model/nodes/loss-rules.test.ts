import { describe, expect, test } from 'vitest';
import type { ApiObject } from '../../sim/api/object.ts';
import { NodeRules, type NodeRuleName } from './node-rules.ts';
import { SECOND, type Observation } from './observation.ts';

const UNREACHABLE = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' };

const node = (name: string, ready: string, more: object = {}): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec: more,
  status: {
    allocatable: { cpu: '2', memory: '4Gi', pods: '9' },
    conditions: [{ type: 'Ready', status: ready }],
  },
});

const pod = (uid: string, { on, ready, cpu }: { on?: string; ready?: string; cpu?: string }): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: uid, namespace: 'default', uid },
  spec: {
    ...(on !== undefined && { nodeName: on }),
    containers: [{ name: 'main', image: 'i', resources: { requests: { cpu: cpu ?? '0' } } }],
  },
  status: { conditions: [{ type: 'Ready', status: ready ?? 'False' }] },
});

const stored = (at: number, after: ApiObject | undefined, before?: ApiObject): Observation => ({
  at: at * SECOND,
  kind: 'stored',
  revision: at,
  before,
  after,
});

function found(rule: NodeRuleName, observations: readonly Observation[], until: number): readonly string[] {
  const rules = new NodeRules([rule]);
  for (const observation of observations) rules.observe(observation);
  for (let at = 0; at <= until; at++) rules.look(at * SECOND);
  return rules.violations.map(({ message }) => message);
}

describe('pods of a node that ceases to be Ready', () => {
  const lost = [
    stored(0, node('n', 'True')),
    stored(1, pod('p', { on: 'n', ready: 'True' })),
    stored(10, node('n', 'Unknown'), node('n', 'True')),
  ];

  test('are found when they go on saying that they are ready', () => {
    expect(found('lost-pods-are-marked', lost, 60)).toEqual([
      'n has not been Ready for 26s, and its pod default/p still says that it is',
    ]);
  });

  test('are right when they are marked, or written by somebody who may know better', () => {
    const marked = stored(11, pod('p', { on: 'n' }), pod('p', { on: 'n', ready: 'True' }));
    expect(found('lost-pods-are-marked', [...lost, marked], 60)).toEqual([]);
    const told = stored(11, pod('p', { on: 'n', ready: 'True' }), pod('p', { on: 'n', ready: 'True' }));
    expect(found('lost-pods-are-marked', [...lost, told], 60)).toEqual([]);
  });

  test('are not missed by a controller that begins anew, or whose work is hindered', () => {
    const crashed: Observation = { at: 11 * SECOND, kind: 'crashed', actor: 'controller-manager/0' };
    expect(found('lost-pods-are-marked', [...lost, crashed], 60)).toEqual([]);
    const hindered: Observation = { at: 11 * SECOND, kind: 'control-plane', isWhole: false };
    expect(found('lost-pods-are-marked', [...lost, hindered], 60)).toEqual([]);
    const whole: Observation = { at: 20 * SECOND, kind: 'control-plane', isWhole: true };
    expect(found('lost-pods-are-marked', [...lost, hindered, whole], 200)).toHaveLength(1);
  });
});

describe('when no node is Ready', () => {
  const all = (second: string): readonly Observation[] => [
    stored(0, node('a', 'True')),
    stored(0, node('b', second)),
    stored(10, node('a', 'Unknown'), node('a', 'True')),
    stored(60, node('a', 'Unknown', { taints: [UNREACHABLE] }), node('a', 'Unknown')),
  ];

  test('a node that is given up is found', () => {
    expect(found('all-lost-none-given-up', all('False'), 70)).toEqual([
      'a was given up, though no node at all has been Ready for 50s',
    ]);
  });

  test('nothing is wrong while another node is, or where the lost one is there no more', () => {
    expect(found('all-lost-none-given-up', all('True'), 70)).toEqual([]);
    const gone = stored(30, undefined, node('b', 'True'));
    expect(
      found('all-lost-none-given-up', [...all('True').slice(0, 3), gone, ...all('True').slice(3)], 70),
    ).toEqual(['a was given up, though no node at all has been Ready for 30s']);
  });
});

describe('a pod without a node', () => {
  const fine: Observation = { at: 0, kind: 'schedulers', areFine: true, isFirst: true };
  const small = pod('p', { cpu: '1' });

  test('is found when a node could take it all the time', () => {
    const waits = [fine, stored(0, node('n', 'True')), stored(5, small)];
    expect(found('no-pod-waits-in-vain', waits, 60)).toEqual([
      'pod default/p has no node, and for 46s there was one that could take it',
    ]);
  });

  test.each([
    ['shut', [stored(0, node('n', 'True', { unschedulable: true }))]],
    ['tainted', [stored(0, node('n', 'True', { taints: [{ key: 'x', effect: 'NoSchedule' }] }))]],
    ['full', [stored(0, node('n', 'True')), stored(1, pod('q', { on: 'n', cpu: '1500m' }))]],
    ['of which nothing is known', []],
  ])('waits with reason for a node that is %s', (_, nodes) => {
    expect(found('no-pod-waits-in-vain', [fine, ...nodes, stored(5, small)], 60)).toEqual([]);
  });

  test('may wait while schedulers are hindered, and for a while after', () => {
    const begun = [stored(0, node('n', 'True')), stored(5, small)];
    const hindered: Observation = { at: 0, kind: 'schedulers', areFine: false, isFirst: false };
    expect(found('no-pod-waits-in-vain', [...begun, hindered], 600)).toEqual([]);
    const again: Observation = { at: 10 * SECOND, kind: 'schedulers', areFine: true, isFirst: false };
    expect(found('no-pod-waits-in-vain', [...begun, hindered, again], 150)).toEqual([]);
    expect(found('no-pod-waits-in-vain', [...begun, hindered, again], 230)).toHaveLength(1);
  });

  test('is not looked for once it has got one', () => {
    const bound = stored(9, pod('p', { cpu: '1', on: 'n' }), small);
    expect(
      found('no-pod-waits-in-vain', [fine, stored(0, node('n', 'True')), stored(5, small), bound], 90),
    ).toEqual([]);
  });
});
