/**
 * Which plugins a profile has at each point and what their scores count, for any configuration, beside a plain reading
 * of the documentation ("Scheduler Configuration", plugins that apply to multiple extension points): what is said at a
 * point goes before what is said of all points, and that before what is usual.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import type { Plugin } from '../framework/plugin.ts';
import { chosenParts, makeProfiles } from './make-profiles.ts';
import type { PluginChoice, PluginSet, SchedulerProfile } from './scheduler-configuration.ts';

/** Names in their usual order, and at which of the points that say something here they are. */
const USUAL: readonly (readonly [name: string, points: string, weight?: number])[] = [
  ['SchedulingGates', 'preEnqueue'],
  ['PrioritySort', 'queueSort'],
  ['NodeUnschedulable', 'filter'],
  ['NodeName', 'filter'],
  ['TaintToleration', 'filter score', 3],
  ['NodeAffinity', 'filter score', 2],
  ['NodePorts', 'filter'],
  ['NodeResourcesFit', 'filter score', 1],
  ['VolumeRestrictions', 'filter'],
  ['NodeVolumeLimits', 'filter'],
  ['VolumeBinding', 'filter score', 1],
  ['VolumeZone', 'filter'],
  ['PodTopologySpread', 'filter score', 2],
  ['InterPodAffinity', 'filter score', 2],
  ['DefaultPreemption', 'postFilter'],
  ['NodeResourcesBalancedAllocation', 'score', 1],
  ['ImageLocality', 'score', 1],
  ['DefaultBinder', 'bind'],
];
const POINTS = ['preEnqueue', 'filter', 'postFilter', 'score'] as const;
type Point = (typeof POINTS)[number];

const isAt = (name: string, point: Point): boolean =>
  USUAL.some(([usual, points]) => usual === name && points.split(' ').includes(point));
const namesAt = (point: Point): readonly string[] =>
  USUAL.map(([name]) => name).filter((name) => isAt(name, point));

/** `name×weight`, in order. */
function expectedAt(point: Point, { plugins = {} }: SchedulerProfile): readonly string[] {
  const { multiPoint, [point]: own } = plugins;
  const isOff = (set: PluginSet | undefined, name: string): boolean =>
    (set?.disabled ?? []).some((each) => each.name === '*' || each.name === name);
  const given = (set: PluginSet | undefined, name: string): PluginChoice | undefined =>
    set?.enabled?.find((each) => each.name === name);
  const shown = ({ name, weight }: PluginChoice): string => `${name}×${weight || 1}`;

  const usual = USUAL.filter(([name]) => !isOff(multiPoint, name)).map(
    ([name, , weight]) => given(multiPoint, name) ?? { name, ...(weight && { weight }) },
  );
  const added = (multiPoint?.enabled ?? []).filter(({ name }) => isOff(multiPoint, name));
  const everywhere = [...usual, ...added].filter(({ name }) => isAt(name, point) && !isOff(own, name));
  const isEverywhere = (name: string): boolean => everywhere.some((each) => each.name === name);
  const enabled = own?.enabled ?? [];
  return [
    ...enabled.filter(({ name }) => isEverywhere(name)),
    ...everywhere.filter(({ name }) => !given(own, name)),
    ...enabled.filter(({ name }) => !isEverywhere(name)),
  ].map(shown);
}

const weight = fc.option(fc.constantFrom(0, 1, 2, 5), { nil: undefined });
const choicesOf = (names: readonly string[]): fc.Arbitrary<PluginChoice[]> =>
  fc
    .uniqueArray(fc.constantFrom(...names), { maxLength: 4 })
    .chain((some) =>
      fc.tuple(
        ...some.map((name) =>
          weight.map((of): PluginChoice => ({ name, ...(of !== undefined && { weight: of }) })),
        ),
      ),
    );
const setOf = (names: readonly string[]): fc.Arbitrary<PluginSet> =>
  fc.record(
    {
      enabled: choicesOf(names),
      disabled: fc.oneof(
        fc.constant([{ name: '*' }]),
        fc
          .uniqueArray(fc.constantFrom(...names), { maxLength: 4 })
          .map((some) => some.map((name) => ({ name }))),
      ),
    },
    { requiredKeys: [] },
  );
const NEEDED = new Set(['PrioritySort', 'DefaultBinder']);
const plugins = fc.record(
  {
    multiPoint: setOf(USUAL.map(([name]) => name).filter((name) => !NEEDED.has(name))),
    preEnqueue: setOf(namesAt('preEnqueue')),
    filter: setOf(namesAt('filter')),
    postFilter: setOf(namesAt('postFilter')),
    score: setOf(namesAt('score')),
  },
  { requiredKeys: [] },
);
/** Without them there is no profile at all. */
const ALWAYS = {
  queueSort: { enabled: [{ name: 'PrioritySort' }] },
  bind: { enabled: [{ name: 'DefaultBinder' }] },
};
const profiles = fc.uniqueArray(
  fc.record(
    {
      schedulerName: fc.constantFrom('one', 'another'),
      plugins: plugins.map((drawn) => ({ ...drawn, ...ALWAYS })),
      percentageOfNodesToScore: fc.constantFrom(0, 1, 40, 100),
    },
    { requiredKeys: ['plugins'] },
  ),
  { minLength: 1, maxLength: 3, selector: ({ schedulerName = '' }) => schedulerName },
);

const namesOf = (all: readonly Plugin[]): readonly string[] => all.map(({ name }) => `${name}×1`);

describe('the plugins of a profile', () => {
  it('are those of its points, before those of all points, before the usual ones', () => {
    const ofAll = fc.option(fc.constantFrom(0, 7), { nil: undefined });
    fc.assert(
      fc.property(profiles, ofAll, (given, percentage) => {
        const parts = chosenParts({
          profiles: given,
          ...(percentage !== undefined && { percentageOfNodesToScore: percentage }),
        });
        expect(parts.map(({ schedulerName }) => schedulerName)).toEqual(
          given.map(({ schedulerName = 'default-scheduler' }) => schedulerName),
        );
        given.forEach((profile, index) => {
          const made = parts[index];
          if (!made) throw new Error('a profile of its name');
          const { preEnqueue, filters, scores, ...rest } = made;
          const unweighed = (point: Point): readonly string[] =>
            expectedAt(point, profile).map((text) => text.replace(/×.*/, '×1'));
          expect(namesOf(preEnqueue)).toEqual(unweighed('preEnqueue'));
          expect(namesOf(filters)).toEqual(unweighed('filter'));
          expect(scores.map(({ plugin, weight: of }) => `${plugin.name}×${of}`)).toEqual(
            expectedAt('score', profile),
          );
          expect(rest.preempts).toBe(expectedAt('postFilter', profile).length > 0);
          // None: by the size of the cluster.
          expect(rest.percentageOfNodesToScore ?? 0).toBe(
            profile.percentageOfNodesToScore ?? percentage ?? 0,
          );
        });
      }),
      asOftenAs(100),
    );
  });

  it('has what binds volumes from its scheduler, wherever it stands', () => {
    fc.assert(
      fc.property(profiles, (given) => {
        const own: Plugin = { name: 'VolumeBinding' };
        const made = makeProfiles({ profiles: given }, own);
        for (const profile of given) {
          const isThere = expectedAt('filter', profile).some((text) => text.startsWith('VolumeBinding'));
          const found = made.get(profile.schedulerName ?? 'default-scheduler')?.pluginCalled('VolumeBinding');
          expect(found === own).toBe(isThere);
        }
      }),
      asOftenAs(100),
    );
  });

  it.each(POINTS)('are named once at %s, and are plugins of that point', (point) => {
    const name = fc.constantFrom(...USUAL.map(([usual]) => usual), 'Nobody');
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
        const enabled = names.map((each) => ({ name: each }));
        const make = () => chosenParts({ profiles: [{ plugins: { [point]: { enabled } } }] });
        const type = `${point.charAt(0).toUpperCase()}${point.slice(1)}Plugin`;
        const wrong = names.find((each) => !isAt(each, point));
        const twice = names.find((each, at) => names.indexOf(each) !== at);
        if (wrong === 'Nobody') expect(make).toThrow(`${type} "Nobody" does not exist`);
        else if (wrong) expect(make).toThrow(`plugin "${wrong}" does not extend ${type} plugin`);
        else if (twice) expect(make).toThrow(`plugin "${twice}" already registered as "${type}"`);
        else expect(make).not.toThrow();
      }),
      asOftenAs(60),
    );
  });
});
