/** In which order groups and versions stand, whoever serves them, and which version of each is the first. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { aggregatedDiscovery } from './aggregated.ts';
import {
  AGGREGATOR,
  type ForeignVersion,
  type ServedResource,
  withCustomResources,
  withForeign,
} from './served.ts';

/** As the documentation of version priority lists them. */
const VERSIONS = [
  'v10',
  'v2',
  'v1',
  'v11beta2',
  'v10beta3',
  'v3beta1',
  'v12alpha1',
  'v11alpha2',
  'foo1',
  'foo10',
];
const byPlace = (a: string, b: string): number => VERSIONS.indexOf(a) - VERSIONS.indexOf(b);
interface Discovered {
  readonly metadata: { readonly name: string };
  readonly versions: readonly { readonly version: string; readonly freshness: string }[];
}

const GROUPS = ['b.example.com', 'a.example.com', 'c.example.com'] as const;

const rows = fc.uniqueArray(fc.tuple(fc.constantFrom(...GROUPS), fc.constantFrom(...VERSIONS)), {
  selector: (row) => row.join('/'),
  maxLength: 12,
});
const BUILT_IN = [
  { name: '', versions: ['v1'], preferredVersion: 'v1' },
  { name: AGGREGATOR, versions: ['v1'], preferredVersion: 'v1' },
  { name: 'apps', versions: ['v1'], preferredVersion: 'v1' },
];

const versionsIn = (all: readonly (readonly [string, string])[], name: string): readonly string[] =>
  all.filter(([group]) => group === name).map(([, version]) => version);

it('groups of definitions follow by name, with their versions by priority', () => {
  fc.assert(
    fc.property(rows, (drawn) => {
      const custom = drawn.map(([group, version]) => ({ group, version, resource: 'xs' }) as ServedResource);
      const { groups } = withCustomResources({ groups: BUILT_IN, resources: [] }, custom);
      const names = [...GROUPS].sort().filter((name) => versionsIn(drawn, name).length > 0);
      expect(groups).toEqual([
        ...BUILT_IN,
        ...names.map((name) => {
          const versions = versionsIn(drawn, name).toSorted(byPlace);
          return { name, versions, preferredVersion: versions[0] };
        }),
      ]);
    }),
    asOftenAs(200),
  );
});

const foreignVersions = fc.uniqueArray(
  fc.record(
    {
      group: fc.constantFrom('apps', ...GROUPS),
      version: fc.constantFrom('v1', 'v2', 'v1beta1', 'v2alpha1'),
      groupPriority: fc.constantFrom(1, 100, 1_000, 17_800, 20_000),
      versionPriority: fc.constantFrom(1, 15, 100),
      isStale: fc.boolean(),
      resources: fc.constant([]),
    },
    { requiredKeys: ['group', 'version', 'groupPriority', 'versionPriority', 'isStale'] },
  ),
  { selector: ({ group, version }) => `${group}/${version}`, minLength: 1, maxLength: 8 },
);
const OWN = { apps: [17_800, { v1: 15 }] } as const;
const ORDER_OF_FOREIGN = ['v2', 'v1', 'v1beta1', 'v2alpha1'];

it('groups of others stand by their highest priority, and so do versions', () => {
  fc.assert(
    fc.property(rows, foreignVersions, (drawn, foreign: readonly ForeignVersion[]) => {
      const ofForeign = (name: string) => foreign.filter(({ group }) => group === name);
      const custom = drawn
        .filter(([group]) => ofForeign(group).length === 0)
        .map(([group, version]) => ({ group, version, resource: 'xs' }) as ServedResource);
      const own = withCustomResources({ groups: BUILT_IN, resources: [] }, custom);
      const priorities = new Map<string, number>([['apps', 17_800]]);
      for (const { group } of custom) priorities.set(group, 1_000);
      for (const { group, groupPriority } of foreign)
        priorities.set(group, Math.max(priorities.get(group) ?? 0, groupPriority));
      const names = [...priorities.keys()].sort();
      names.sort((a, b) => (priorities.get(b) ?? 0) - (priorities.get(a) ?? 0));
      const { groups } = withForeign(own, foreign, OWN);
      expect(groups.map(({ name }) => name)).toEqual(['', AGGREGATOR, ...names]);
      for (const { name, versions, preferredVersion } of groups) {
        expect(preferredVersion).toBe(versions[0]);
        const others = ofForeign(name);
        if (others.length === 0) continue;
        const worth = new Map<string, number>(name === 'apps' ? [['v1', 15]] : []);
        for (const { version, versionPriority } of others) worth.set(version, versionPriority);
        const expected = ORDER_OF_FOREIGN.filter((version) => worth.has(version));
        expected.sort((a, b) => (worth.get(b) ?? 0) - (worth.get(a) ?? 0));
        expect(versions).toEqual(expected);
      }
    }),
    asOftenAs(200),
  );
});

it('whoever serves a version of others, it is as fresh as he was heard, whether what he serves is known or not', () => {
  fc.assert(
    fc.property(foreignVersions, (foreign: readonly ForeignVersion[]) => {
      const served = withForeign({ groups: BUILT_IN, resources: [] }, foreign, OWN);
      const { items } = aggregatedDiscovery(served, { root: 'apis', version: 'v2' });
      const freshness = (items as unknown as readonly Discovered[]).flatMap(({ metadata, versions }) =>
        versions.map((each) => [`${metadata.name}/${each.version}`, each.freshness]),
      );
      const stale = foreign
        .filter(({ isStale }) => isStale)
        .map(({ group, version }) => `${group}/${version}`);
      for (const [name = '', is] of freshness)
        expect([name, is]).toEqual([name, stale.includes(name) ? 'Stale' : 'Current']);
    }),
    asOftenAs(100),
  );
});
