/**
 * Profiles of any plugins, beside a plain reading of what each point of the scheduling framework is for: filters are asked
 * in order until one says no, in the light of the pods that are thought there or away; scores are brought in line, weighed
 * and added; a plugin hears of what it asked for.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types/core-v1.ts';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import type { NodeInfo, PlacedPod } from '../cache/node-info.ts';
import {
  concerns,
  type EventAction,
  type EventInterest,
  type EventResource,
  TIMEOUT,
} from './cluster-event.ts';
import { fitErrorText, type Diagnosis } from './fit-error.ts';
import type { Candidate, Plugin, SchedulingWorld } from './plugin.ts';
import { normalizeByHighest } from './plugin.ts';
import { Profile, type ProfileParts } from './profile.ts';
import { unresolvable, unschedulable } from './rejection.ts';

const NODES = ['n1', 'n2', 'n3'] as const;
const nodes = NODES.map((name) => ({ name }) as NodeInfo);
const CANDIDATE = {} as Candidate;
const WORLD = {} as SchedulingWorld;
const POD = {} as Pod;
const PLACED = {} as PlacedPod;

/** What a plugin does, as a table. */
interface Wish {
  readonly begins: 'never' | 'skip' | 'rejected' | 'filter';
  /** So many pods there are too many. */
  readonly bearsAt: Readonly<Record<string, number>>;
  readonly only?: readonly string[] | undefined;
  readonly gates: boolean;
  /** Of each node; undefined: it has no preference. */
  readonly likes?: readonly number[] | undefined;
  readonly scaling: 'none' | 'highest' | 'lowest';
}

const wish: fc.Arbitrary<Wish> = fc.record({
  begins: fc.constantFrom('never', 'skip', 'rejected', 'filter', 'filter', 'filter', 'filter'),
  bearsAt: fc.record(Object.fromEntries(NODES.map((name) => [name, fc.integer({ min: 0, max: 4 })]))),
  only: fc.option(fc.subarray([...NODES]), { nil: undefined }),
  gates: fc.boolean(),
  likes: fc.option(fc.array(fc.nat(100), { minLength: 3, maxLength: 3 }), { nil: undefined }),
  scaling: fc.constantFrom('none', 'highest', 'lowest'),
});
const nameOf = (index: number): string => `P${index}`;

function pluginOf(own: Wish, name: string): Plugin {
  const { begins, bearsAt, only, gates, likes, scaling } = own;
  return {
    name,
    ...(gates && { preEnqueue: () => 'not yet' }),
    ...(begins !== 'never' && {
      beginFilter: () => {
        if (begins === 'skip') return { kind: 'skip' };
        if (begins === 'rejected') return { kind: 'rejected', rejection: unresolvable(name, 'of the pod') };
        const counts = new Map<string, number>();
        const count = (of: string, change: number): void =>
          void counts.set(of, (counts.get(of) ?? 1) + change);
        return {
          kind: 'filter',
          filter: {
            check: (node) =>
              (counts.get(node.name) ?? 1) > (bearsAt[node.name] ?? 0)
                ? unschedulable(name, 'too many')
                : undefined,
            added: (_, node) => count(node.name, 1),
            removed: (_, node) => count(node.name, -1),
          },
          ...(only && { only: new Set(only) }),
        };
      },
    }),
    beginScore: () =>
      likes && {
        score: ({ name: of }) => likes[NODES.findIndex((each) => each === of)] ?? 0,
        ...(scaling !== 'none' && {
          normalize: (scores) => normalizeByHighest(scores, scaling === 'lowest'),
        }),
      },
  };
}

const partsOf = (wishes: readonly Wish[], weights: readonly number[] = []): ProfileParts => {
  const plugins = wishes.map((own, index) => pluginOf(own, nameOf(index)));
  return {
    schedulerName: 's',
    preEnqueue: plugins.slice(0, 2),
    filters: plugins.slice(1),
    scores: plugins.map((plugin, index) => ({ plugin, weight: weights[index] ?? 1 })),
    preempts: true,
  };
};
const wishes = fc.array(wish, { minLength: 1, maxLength: 5 });

describe('a profile', () => {
  const moves = fc.array(fc.tuple(fc.constantFrom(...NODES), fc.boolean()), { maxLength: 6 });

  it('asks its filters in order, as if pods were there or away', () => {
    fc.assert(
      fc.property(wishes, moves, (all, changes) => {
        const asked = all
          .map((own, index) => ({ ...own, name: nameOf(index) }))
          .slice(1)
          .filter(({ begins }) => begins === 'filter' || begins === 'rejected');
        const start = new Profile(partsOf(all)).beginFilters(CANDIDATE, WORLD);
        const refusing = asked.find(({ begins }) => begins === 'rejected');
        expect(start.kind === 'rejected' ? start.rejection.plugin : undefined).toBe(refusing?.name);
        if (start.kind === 'rejected') return;

        const { filters } = start;
        const limiting = asked.filter(({ only }) => only);
        expect(filters.limiting).toEqual(limiting.map(({ name }) => name));
        const left = NODES.filter((name) => limiting.every(({ only }) => only?.includes(name)));
        expect(filters.only && [...filters.only].sort()).toEqual(limiting.length > 0 ? left : undefined);

        for (const [of, isAdded] of changes)
          for (const node of nodes.filter(({ name }) => name === of))
            if (isAdded) filters.added(PLACED, node);
            else filters.removed(PLACED, node);
        for (const node of nodes) {
          const change = changes.filter(([of]) => of === node.name).map(([, isAdded]) => (isAdded ? 1 : -1));
          const count = change.reduce<number>((sum, each) => sum + each, 1);
          const refuses = asked.find(({ bearsAt }) => count > (bearsAt[node.name] ?? 0));
          expect(filters.check(node)?.plugin, node.name).toBe(refuses?.name);
        }
      }),
      asOftenAs(100),
    );
  });

  it('adds the scores of all plugins that have a preference, each by its weight', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(wishes, weights, (all, by) => {
        const inLine = ({ likes = [0, 0, 0], scaling }: Wish): readonly number[] => {
          if (scaling === 'none') return likes;
          const highest = Math.max(...likes);
          const shares = likes.map((each) => (highest === 0 ? 0 : Math.floor((each * 100) / highest)));
          return scaling === 'lowest' ? shares.map((each) => 100 - each) : shares;
        };
        const scoring = all.flatMap((own, index) =>
          own.likes ? [inLine(own).map((score) => score * (by[index] ?? 1))] : [],
        );
        const expected = NODES.map((_, at) => scoring.reduce((sum, scores) => sum + (scores[at] ?? 0), 0));
        expect(new Profile(partsOf(all, by)).scoresOf(CANDIDATE, nodes, WORLD)).toEqual(expected);
      }),
      asOftenAs(100),
    );
  });

  it('knows all who can keep a pod waiting by their names, and the first who does', () => {
    fc.assert(
      fc.property(wishes, (all) => {
        const parts = partsOf(all);
        const profile = new Profile(parts);
        expect(profile.gateOf(POD)).toBe(
          all.slice(0, 2).findIndex(({ gates }) => gates) < 0
            ? undefined
            : nameOf(all.findIndex(({ gates }) => gates)),
        );
        for (const plugin of [...parts.preEnqueue, ...parts.filters])
          expect(profile.pluginCalled(plugin.name)).toBe(plugin);
        expect(profile.pluginCalled('Nobody')).toBeUndefined();
      }),
      asOftenAs(60),
    );
  });
});

describe('a plugin', () => {
  const UPDATES = [
    'update-allocatable',
    'update-label',
    'update-taint',
    'update-condition',
    'update-annotation',
  ] as const satisfies readonly EventAction[];
  const resource = fc.constantFrom<EventResource>('Pod', 'Node', '*');
  const action = fc.constantFrom<EventAction>('add', 'delete', 'update', ...UPDATES);
  const interest: fc.Arbitrary<EventInterest> = fc.record({
    resource,
    actions: fc.uniqueArray(action, { minLength: 1, maxLength: 3 }),
  });

  it('hears of what it asked for, and of every kind of update if it asked for updates', () => {
    fc.assert(
      fc.property(interest, resource, action, (asked, of, done) => {
        const meant = asked.actions.flatMap((each): readonly EventAction[] =>
          each === 'update' ? ['update', ...UPDATES] : [each],
        );
        const isHeard = (asked.resource === of || asked.resource === '*') && meant.includes(done);
        if (of === '*') expect(concerns(asked, TIMEOUT)).toBe(true);
        else expect(concerns(asked, { resource: of, action: done })).toBe(isHeard);
      }),
      asOftenAs(300),
    );
  });
});

describe('why a pod fits nowhere', () => {
  const reason = fc.constantFrom('Insufficient cpu', 'node(s) were unschedulable', 'Too many pods');
  const diagnosis: fc.Arbitrary<Diagnosis> = fc
    .record({
      reasons: fc.array(fc.uniqueArray(reason, { minLength: 1, maxLength: 2 }), { maxLength: 6 }),
      more: fc.nat(3),
      ofPod: fc.constantFrom(undefined, undefined, 'it must not'),
    })
    .map(({ reasons, more, ofPod }) => ({
      nodeCount: reasons.length + more,
      rejections: new Map(reasons.map((each, at) => [`n${at}`, unschedulable('P', ...each)])),
      otherwise: 'Unschedulable',
      ofPod,
      plugins: new Set(),
    }));

  it('is told by how many nodes for each reason, in order of the texts', () => {
    fc.assert(
      fc.property(diagnosis, fc.constantFrom('', 'preemption: none.'), (given, after) => {
        const { nodeCount, rejections, ofPod } = given;
        const all = [...rejections.values()].flatMap(({ reasons }) => reasons);
        const counted = [...new Set(all)]
          .map((each) => `${all.filter((other) => other === each).length} ${each}`)
          .sort();
        const why = ofPod ?? counted.join(', ');
        const sentences = [...(why === '' ? [] : [`${why}.`]), ...(after === '' ? [] : [after])];
        const expected = [`0/${nodeCount} nodes are available:`, ...sentences].join(' ');
        expect(fitErrorText(given, after)).toBe(expected);
      }),
      asOftenAs(100),
    );
  });
});
