import { describe, expect, it } from 'vitest';
import type { Node } from '../../api/types/core-v1.ts';
import {
  countsForZone,
  Disruption,
  rateOf,
  stateOf,
  ZoneCensus,
  type ZoneCount,
  zoneOf,
} from './zone-disruption.ts';

const nodeWith = (labels: Record<string, string>): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', labels },
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
    expect(zoneOf(nodeWith(labels))).toBe(zone);
  });

  it('does not count nodes that are excluded', () => {
    const labels = { 'node.kubernetes.io/exclude-disruption': '' };
    expect(countsForZone(nodeWith(labels))).toBe(false);
    expect(countsForZone(nodeWith({}))).toBe(true);
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
