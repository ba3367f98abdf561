import { describe, expect, it } from 'vitest';
import type { EndpointSlice } from '../../api/types/discovery-k8s-io-v1.ts';
import { type SlicePlan } from './slice-plan.ts';
import { group, plan, slice } from './slice-plan.fixture.ts';

const told = ({ writes, removals }: SlicePlan) => ({
  writes: writes.map(({ slice: of, endpoints }) => [of?.metadata.name ?? 'new', endpoints.length]),
  removals: removals.map(({ metadata }) => metadata.name),
});

describe('slices of a service', () => {
  it('are left alone where they say what they should', () => {
    expect(told(plan([group([1, 2])], [slice('a', [1, 2])]))).toEqual({ writes: [], removals: [] });
  });

  it('are filled up before others are made', () => {
    expect(told(plan([group([2, 3, 4, 5, 6, 7, 8])], [slice('a', [1, 2])]))).toEqual({
      writes: [
        ['a', 5],
        ['new', 2],
      ],
      removals: [],
    });
  });

  it('that have room take what is left rather than a new one', () => {
    const wanted = group([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(told(plan([wanted], [slice('a', [1, 2, 3, 4]), slice('b', [5, 6, 7])]))).toEqual({
      writes: [['a', 5]],
      removals: [],
    });
  });

  it('of other ports are written over when they would go', () => {
    expect(told(plan([group([1], 90)], [slice('a', [1])]))).toEqual({ writes: [['a', 1]], removals: [] });
  });

  it('of a former service are neither kept nor written over', () => {
    const isOwned = ({ metadata }: EndpointSlice): boolean => metadata.name !== 'former';
    expect(told(plan([group([1, 2])], [slice('former', [1])], isOwned))).toEqual({
      writes: [['new', 2]],
      removals: ['former'],
    });
    expect(told(plan([group([1, 2])], [slice('former', [1, 2]), slice('a', [1])], isOwned))).toEqual({
      writes: [['a', 2]],
      removals: ['former'],
    });
    // What goes by itself is left to do so.
    expect(told(plan([], [slice('former', [], [])], isOwned))).toEqual({ writes: [], removals: [] });
  });

  it('without endpoints are one, without ports', () => {
    const empty = plan([], [slice('a', [1]), slice('b', [2])]);
    expect(told(empty)).toEqual({ writes: [['a', 0]], removals: ['b'] });
    expect(empty.writes[0]?.ports).toEqual([]);
    expect(told(plan([], [slice('a', [], [])]))).toEqual({ writes: [], removals: [] });
  });
});
