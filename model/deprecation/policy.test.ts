import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { policyViolations } from './policy.ts';
import type { ApiElement, ApiVersion, PolicyRelease, ReleaseHistory } from './release-history.ts';

const rulesOf = (history: ReleaseHistory): readonly string[] => [
  ...new Set(policyViolations(history).map(({ rule }) => rule)),
];
/** Releases `r0`, `r1`, … with what is given for each. */
const releases = (count: number, at: (index: number) => Omit<PolicyRelease, 'name'>): ReleaseHistory =>
  Array.from({ length: count }, (_, index) => ({ name: `r${index}`, ...at(index) }));
const versions = (...all: readonly ApiVersion[]): Pick<PolicyRelease, 'groups'> => ({
  groups: [{ group: 'g', versions: all }],
});
const version = (
  name: string,
  more: Partial<ApiVersion> = {},
  elements: readonly ApiElement[] = [{ name: 'spec.a', type: 'string' }],
): ApiVersion => ({
  name,
  kinds: { K: elements },
  ...more,
});

describe('rule 1: what a version has, it keeps', () => {
  test.each<[string, readonly ApiElement[] | undefined]>([
    ['an element is removed', []],
    ['it holds something else', [{ name: 'spec.a', type: 'integer' }]],
    ['the kind is', undefined],
  ])('broken when %s', (_, elements) => {
    const later = version('v1', elements ? {} : { kinds: {} }, elements);
    expect(rulesOf(releases(2, (at) => versions(at === 0 ? version('v1') : later)))).toEqual(['1']);
  });

  test('kept when an element comes, or its version goes', () => {
    const more = [
      { name: 'spec.a', type: 'string' },
      { name: 'spec.b', type: 'string' },
    ];
    expect(
      rulesOf(releases(2, (at) => versions(at === 0 ? version('v1') : version('v1', {}, more)))),
    ).toEqual([]);
    expect(rulesOf(releases(2, (at) => versions(...(at === 0 ? [version('v1alpha1')] : []))))).toEqual([]);
  });
});

test('rule 2: what has no place in another version is lost, unless something keeps it', () => {
  const b: ApiElement = { name: 'spec.b', type: 'string' };
  const both = (element: ApiElement): ReleaseHistory =>
    releases(1, () =>
      versions(version('v1'), version('v2', {}, [{ name: 'spec.a', type: 'string' }, element])),
    );
  expect(policyViolations(both(b))).toMatchObject([
    { rule: '2', subject: 'g/v2 K', message: 'spec.b has no place in v1, and nothing keeps it' },
  ]);
  expect(rulesOf(both({ ...b, keptAs: 'annotation b' }))).toEqual([]);
  const oneKind = releases(1, () => versions(version('v1'), version('v2', { kinds: { Other: [b] } })));
  expect(rulesOf(oneKind)).toEqual([]);
});

test('rule 3: not in favour of what is less stable', () => {
  const by = (replacement: string): ReleaseHistory =>
    releases(2, () => versions(version('v1', { isDeprecated: true, replacement })));
  expect(policyViolations(by('g/v2beta1'))).toMatchObject([{ rule: '3', release: 'r0', subject: 'g/v1' }]);
  expect(rulesOf(by('g/v2'))).toEqual([]);
});

/** A version that comes, is deprecated and goes. */
const life = (
  name: string,
  [from, deprecated, to]: readonly [number, number, number],
  length = 14,
): ReleaseHistory =>
  releases(length, (at) =>
    versions(...(at >= from && at < to ? [version(name, { isDeprecated: at >= deprecated })] : [])),
  );

describe('rule 4a: how long a version lives', () => {
  test.each<[string, string, readonly [number, number, number]]>([
    ['a stable version goes', 'v1', [1, 4, 10]],
    ['a beta goes before three releases of deprecation are over', 'v1beta1', [1, 3, 5]],
    ['a beta goes without deprecation', 'v1beta1', [1, 99, 4]],
    ['a beta is never deprecated', 'v1beta1', [1, 99, 99]],
    ['a beta is deprecated late', 'v1beta1', [1, 6, 99]],
  ])('broken when %s', (_, name, stages) => {
    expect(rulesOf(life(name, stages))).toEqual(['4a']);
  });

  test.each<[string, readonly [number, number, number]]>([
    ['v1alpha1', [1, 99, 2]],
    ['v1beta1', [1, 4, 7]],
    ['v1beta1', [1, 2, 99]],
    ['v1', [1, 3, 99]],
  ])('kept by %s of %j', (name, stages) => expect(rulesOf(life(name, stages))).toEqual([]));

  test('months count as well as releases', () => {
    const dated = (days: number): ReleaseHistory =>
      life('v1beta1', [1, 2, 5], 6).map((release, at) => ({
        ...release,
        date: new Date(Date.UTC(2024, 0, 1 + at * days)).toISOString().slice(0, 10),
      }));
    expect(rulesOf(dated(30))).toEqual(['4a']);
    expect(rulesOf(dated(92))).toEqual([]);
  });
});

test('rule 4b: the stored and the preferred version wait for a release that serves both', () => {
  const move = (role: 'isStored' | 'isPreferred', early: boolean): ReleaseHistory =>
    releases(3, (at) =>
      versions(
        version('v1', { [role]: at < 2, isServed: true }),
        ...(at > 0 || early ? [version('v2', { [role]: at === 2 })] : []),
      ),
    );
  const sudden = (role: 'isStored' | 'isPreferred'): ReleaseHistory =>
    releases(2, (at) =>
      versions(version('v1', { [role]: at === 0 }), ...(at === 1 ? [version('v2', { [role]: true })] : [])),
    );
  for (const role of ['isStored', 'isPreferred'] as const) {
    expect(rulesOf(move(role, true))).toEqual([]);
    expect(rulesOf(move(role, false))).toEqual([]);
    expect(policyViolations(sudden(role))).toMatchObject([{ rule: '4b', release: 'r1', subject: 'g/v2' }]);
  }
});

const flags = (
  audience: 'user' | 'admin',
  stability: 'alpha' | 'beta' | 'ga',
  [deprecated, removed]: readonly [number, number],
): ReleaseHistory =>
  releases(8, (at) => ({
    commandLine:
      at < removed ? [{ name: '--x', audience, stability, isDeprecated: at >= deprecated, warns: true }] : [],
  }));

describe('rules 5 and 6: command lines', () => {
  test.each([
    ['5a', 'user', 'ga', [1, 3]],
    ['5a', 'user', 'beta', [9, 3]],
    ['5b', 'admin', 'ga', [2, 3]],
    ['5b', 'admin', 'beta', [9, 1]],
  ] as const)('%s is broken by %s, %s, deprecated and removed at %j', (rule, audience, stability, stages) => {
    expect(rulesOf(flags(audience, stability, stages))).toEqual([rule]);
  });

  test.each([
    ['user', 'ga', [1, 4]],
    ['user', 'beta', [1, 2]],
    ['user', 'alpha', [9, 2]],
    ['admin', 'ga', [1, 3]],
    ['admin', 'beta', [1, 2]],
  ] as const)('kept by %s, %s, %j', (audience, stability, stages) => {
    expect(rulesOf(flags(audience, stability, stages))).toEqual([]);
  });

  test('5c and 6', () => {
    const flag = { name: '--x', audience: 'user', stability: 'ga', isDeprecated: true } as const;
    const one = (more: object): ReleaseHistory =>
      releases(2, () => ({ commandLine: [{ ...flag, ...more }] }));
    expect(rulesOf(one({ warns: true, replacementStability: 'beta' }))).toEqual(['5c']);
    expect(rulesOf(one({ replacementStability: 'ga' }))).toEqual(['6']);
    expect(rulesOf(one({ warns: true }))).toEqual([]);
  });
});

test('rules 7 and 8: behaviours', () => {
  const behaviour = (removed: number, more: object = {}): ReleaseHistory =>
    releases(8, (at) => ({
      behaviours: at < removed ? [{ name: 'b', stability: 'ga', isDeprecated: at >= 2, ...more }] : [],
    }));
  expect(rulesOf(behaviour(4))).toEqual(['7']);
  expect(rulesOf(behaviour(5))).toEqual([]);
  expect(rulesOf(behaviour(5, { replacementStability: 'alpha' }))).toEqual(['8']);
});

test('rules 9 and 10: feature gates', () => {
  const gate = (
    stage: 'ga' | 'beta' | 'alpha',
    [deprecated, removed]: readonly [number, number],
    more: object = { warns: true, tellsOperation: true },
  ): ReleaseHistory =>
    releases(8, (at) => ({
      gates:
        at < removed
          ? [{ name: 'G', stage: at >= deprecated ? stage : 'beta', isDeprecated: at >= deprecated, ...more }]
          : [],
    }));
  expect(rulesOf(gate('ga', [2, 3]))).toEqual(['9']);
  expect(rulesOf(gate('ga', [2, 4]))).toEqual([]);
  expect(rulesOf(gate('beta', [2, 3]))).toEqual([]);
  expect(rulesOf(gate('beta', [9, 3]))).toEqual(['9']);
  expect(rulesOf(releases(4, (at) => ({ gates: at < 2 ? [{ name: 'G', stage: 'alpha' }] : [] })))).toEqual(
    [],
  );
  expect(rulesOf(gate('ga', [2, 9], { warns: true }))).toEqual(['10']);
});

test('rules 11a and 11b: metrics', () => {
  const metric = (
    stability: 'STABLE' | 'BETA' | 'ALPHA',
    [from, deprecated, hidden]: readonly [number, number, number],
  ): ReleaseHistory =>
    releases(14, (at) => ({
      metrics:
        at >= from && at <= hidden
          ? [{ name: 'm', stability, isDeprecated: at >= deprecated, isHidden: at === hidden }]
          : [],
    }));
  expect(rulesOf(metric('STABLE', [1, 2, 5]))).toEqual([]);
  expect(rulesOf(metric('STABLE', [1, 4, 6]))).toEqual(['11b']);
  expect(rulesOf(metric('BETA', [3, 3, 4]))).toEqual(['11a']);
  expect(rulesOf(metric('BETA', [1, 2, 3]))).toEqual([]);
  expect(rulesOf(metric('STABLE', [1, 1, 4]))).toEqual(['11a']);
  expect(rulesOf(metric('ALPHA', [1, 99, 2]))).toEqual([]);
});

describe('histories by chance', () => {
  /** When a beta comes, how long until it is deprecated, and how long it stays then. */
  const lives = fc.array(
    fc.record({
      from: fc.nat(5),
      young: fc.integer({ min: 0, max: 3 }),
      old: fc.integer({ min: 3, max: 6 }),
    }),
    { maxLength: 4 },
  );
  type Lives = readonly { readonly from: number; readonly young: number; readonly old: number }[];
  const historyOf = (all: Lives): ReleaseHistory =>
    releases(16, (at) =>
      versions(
        version('v1', { isStored: true, isPreferred: true }),
        ...all.flatMap(({ from, young, old }, index) =>
          at >= from && at < from + young + old
            ? [version(`v1beta${index + 1}`, { isDeprecated: at >= from + young, replacement: 'g/v1' })]
            : [],
        ),
      ),
    );

  test('that keep every rule are not accused', () => {
    fc.assert(
      fc.property(lives, (all) => {
        expect(policyViolations(historyOf(all))).toEqual([]);
      }),
    );
  });

  test('that break one, by a release, are accused of that one', () => {
    const broken = fc.record({
      from: fc.integer({ min: 1, max: 5 }),
      young: fc.integer({ min: 1, max: 3 }),
      old: fc.nat(2),
    });
    fc.assert(
      fc.property(lives, broken, (all, one) => {
        const found = policyViolations(historyOf([...all, one]));
        expect(found.map(({ rule, subject }) => [rule, subject])).toEqual([
          ['4a', `g/v1beta${all.length + 1}`],
        ]);
      }),
    );
  });
});
