import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Endpoint, EndpointSlice } from '../../api/types/discovery-k8s-io-v1.ts';
import { planSlices, type SlicePlan, type WantedGroup } from './slice-plan.ts';

const endpoint = (number: number, ready = true): Endpoint => ({
  addresses: [`10.0.0.${number}`],
  conditions: { ready },
  targetRef: { kind: 'Pod', uid: `u${number}` },
});
const PORTS: EndpointSlice['ports'] = [{ name: '', protocol: 'TCP', port: 80 }];
const group = (numbers: readonly number[], port = 80): WantedGroup => ({
  addressType: 'IPv4',
  ports: [{ name: '', protocol: 'TCP', port }],
  endpoints: numbers.map((number) => endpoint(number)),
});
const slice = (
  name: string,
  numbers: readonly number[],
  ports: EndpointSlice['ports'] = PORTS,
): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name, uid: name },
  addressType: 'IPv4',
  endpoints: numbers.map((number) => endpoint(number)),
  ports,
});
const plan = (
  groups: readonly WantedGroup[],
  present: readonly EndpointSlice[],
  isOwned: (slice: EndpointSlice) => boolean = () => true,
): SlicePlan =>
  planSlices(groups, present, { most: 5, isOwned, needsWrite: () => false, placeholders: ['IPv4'] });
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

  it('list every endpoint once after the plan, whatever was there', () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 20 });
    fc.assert(
      fc.property(
        numbers,
        fc.array(fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 5 })),
        (wanted, lists) => {
          const seen = new Set<number>();
          const present = lists.map((list, index) =>
            slice(
              `s${index}`,
              list.filter((number) => !seen.has(number) && seen.add(number)),
            ),
          );
          const groups = wanted.length === 0 ? [] : [group(wanted)];
          const { writes, removals } = plan(groups, present);
          const written = writes.flatMap(({ slice: of }) => of ?? []);
          const kept = present.filter((each) => !written.includes(each) && !removals.includes(each));
          const all = [...writes, ...kept].flatMap(({ endpoints }) =>
            endpoints.map(({ addresses }) => addresses[0]),
          );
          expect(new Set(all)).toEqual(new Set(wanted.map((number) => `10.0.0.${number}`)));
          expect(all).toHaveLength(wanted.length);
          expect(writes.every(({ endpoints }) => endpoints.length <= 5)).toBe(true);
        },
      ),
    );
  });
});
