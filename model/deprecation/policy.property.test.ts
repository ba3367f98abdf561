/**
 * Whole programs through sixteen releases, drawn at random: versions of an API, command lines, behaviours, gates and
 * metrics that come, are deprecated and go. Those that keep every rule are not accused of anything; and whoever breaks one
 * rule, whatever it is, is accused of that one, by its name, and nobody else is.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { policyViolations } from './policy.ts';
import type {
  ApiGroup,
  ApiVersion,
  Metric,
  PolicyRelease,
  PolicyRule,
  ReleaseHistory,
  Stability,
} from './release-history.ts';

const COUNT = 16;

/** What one thing adds to the release of that number. */
type Part = (at: number) => Omit<PolicyRelease, 'name'>;

const historyOf = (parts: readonly Part[]): ReleaseHistory =>
  Array.from({ length: COUNT }, (_, at): PolicyRelease => {
    const all = parts.map((part) => part(at));
    return {
      name: `r${at}`,
      groups: all.flatMap(({ groups = [] }) => groups),
      commandLine: all.flatMap(({ commandLine = [] }) => commandLine),
      behaviours: all.flatMap(({ behaviours = [] }) => behaviours),
      gates: all.flatMap(({ gates = [] }) => gates),
      metrics: all.flatMap(({ metrics = [] }) => metrics),
    };
  });

interface Life {
  readonly from: number;
  readonly deprecated: number;
  /** The first release without it. */
  readonly gone: number;
}

const isThere = ({ from, gone }: Life, at: number): boolean => at >= from && at < gone;

/** Releases are four months apart: windows in releases, the longer of the two that a rule names. */
const COMMAND_LINE = { user: { ga: 3, beta: 1, alpha: 0 }, admin: { ga: 2, beta: 1, alpha: 0 } } as const;
const GATE = { ga: 2, beta: 1, alpha: 0 } as const;
const BEHAVIOUR = 3;
const METRIC = { STABLE: { inAll: 4, deprecated: 3 }, BETA: { inAll: 2, deprecated: 1 } } as const;

/** A life with at least such a window between deprecation and end; `short`: it misses it by so many releases. */
const lifeOf = (window: number, short = 0): fc.Arbitrary<Life> =>
  fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }), fc.nat(short > 0 ? 0 : 3))
    .map(([from, young, more]) => {
      const deprecated = from + young;
      return { from, deprecated, gone: deprecated + window - short + more };
    });

const stabilities = fc.constantFrom<Stability>('ga', 'beta', 'alpha');
const audiences = fc.constantFrom('user' as const, 'admin' as const);

const commandLine = (name: string, short = 0): fc.Arbitrary<Part> =>
  fc.tuple(audiences, short > 0 ? fc.constant<Stability>('ga') : stabilities).chain(([audience, stability]) =>
    lifeOf(COMMAND_LINE[audience][stability], short).map(
      (life): Part =>
        (at) =>
          isThere(life, at)
            ? {
                commandLine: [
                  { name, audience, stability, isDeprecated: at >= life.deprecated, warns: true },
                ],
              }
            : {},
    ),
  );

const behaviour = (name: string, short = 0): fc.Arbitrary<Part> =>
  lifeOf(BEHAVIOUR, short).map(
    (life): Part =>
      (at) =>
        isThere(life, at)
          ? { behaviours: [{ name, stability: 'ga', isDeprecated: at >= life.deprecated }] }
          : {},
  );

const gate = (name: string, short = 0): fc.Arbitrary<Part> =>
  (short > 0 ? fc.constant<Stability>('beta') : stabilities).chain((stage) =>
    lifeOf(GATE[stage], short).map(
      (life): Part =>
        (at) =>
          isThere(life, at)
            ? {
                gates: [
                  { name, stage, isDeprecated: at >= life.deprecated, warns: true, tellsOperation: true },
                ],
              }
            : {},
    ),
  );

const metric = (name: string, short = 0): fc.Arbitrary<Part> =>
  fc.constantFrom('STABLE' as const, 'BETA' as const).chain((stability) =>
    lifeOf(METRIC[stability].deprecated, short).map((life): Part => {
      // Deprecation late enough that only the time since then is too short.
      const shift =
        short > 0 ? METRIC[stability].inAll : Math.max(0, METRIC[stability].inAll - (life.gone - life.from));
      const own = { from: life.from, deprecated: life.deprecated + shift, gone: life.gone + shift };
      return (at) => (isThere(own, at) ? { metrics: [metricAt(name, stability, own, at)] } : {});
    }),
  );

const metricAt = (
  name: string,
  stability: Metric['stability'],
  { deprecated }: Life,
  at: number,
): Metric => ({
  name,
  stability,
  isDeprecated: at >= deprecated,
});

const version = (name: string, more: Partial<ApiVersion> = {}): ApiVersion => ({
  name,
  kinds: { K: [{ name: 'spec.a', type: 'string' }] },
  ...more,
});

const group = (name: string, ...versions: readonly ApiVersion[]): { groups: readonly ApiGroup[] } => ({
  groups: [{ group: name, versions }],
});

/** A stable version that stays, and a beta that makes way for it. */
const api = (name: string): fc.Arbitrary<Part> =>
  lifeOf(3).map(
    (life): Part =>
      (at) =>
        group(
          name,
          version('v1', { isStored: true, isPreferred: true }),
          ...(at >= life.from && at < Math.min(life.from + 3, life.deprecated) + (life.gone - life.deprecated)
            ? [
                version('v1beta1', {
                  isDeprecated: at >= Math.min(life.from + 3, life.deprecated),
                  replacement: `${name}/v1`,
                }),
              ]
            : []),
        ),
  );

const program: fc.Arbitrary<readonly Part[]> = fc
  .tuple(
    fc
      .array(fc.constant(undefined), { maxLength: 3 })
      .chain((list) =>
        fc.tuple(
          ...list.flatMap((_, index) => [
            commandLine(`--flag-${index}`),
            behaviour(`habit-${index}`),
            gate(`Gate${index}`),
            metric(`metric_${index}`),
            api(`group-${index}`),
          ]),
        ),
      ),
  )
  .map(([parts]) => parts);

const when = (at: number, first: number): boolean => at >= first;
const moment = fc.integer({ min: 2, max: 10 });

/** One thing called `culprit` that breaks the rule and no other. */
const BROKEN: Readonly<Record<PolicyRule, fc.Arbitrary<Part>>> = {
  '1': moment.map(
    (first): Part =>
      (at) =>
        group('culprit', version('v1', when(at, first) ? { kinds: { K: [] } } : {})),
  ),
  '2': moment.map(
    (first): Part =>
      (at) =>
        group(
          'culprit',
          version('v1'),
          ...(when(at, first)
            ? [
                version('v2', {
                  kinds: {
                    K: [
                      { name: 'spec.a', type: 'string' },
                      { name: 'spec.b', type: 'string' },
                    ],
                  },
                }),
              ]
            : []),
        ),
  ),
  '3': moment.map(
    (first): Part =>
      (at) =>
        group(
          'culprit',
          version('v1', when(at, first) ? { isDeprecated: true, replacement: 'culprit/v2alpha1' } : {}),
          version('v2alpha1'),
        ),
  ),
  '4a': lifeOf(3, 1).map(
    ({ from, gone, deprecated }): Part =>
      (at) =>
        group(
          'culprit',
          version('v1'),
          ...(at >= from && at < from + 1 + (gone - deprecated)
            ? [version('v1beta1', { isDeprecated: at > from, replacement: 'culprit/v1' })]
            : []),
        ),
  ),
  '4b': moment.map(
    (first): Part =>
      (at) =>
        group(
          'culprit',
          ...(when(at, first)
            ? [version('v1alpha1'), version('v1alpha2', { isStored: true })]
            : [version('v1alpha1', { isStored: true })]),
        ),
  ),
  '5a': shortCommandLine('user'),
  '5b': shortCommandLine('admin'),
  '5c': moment.map((first): Part => (at) => ({
    commandLine: [
      {
        name: 'culprit',
        audience: 'user',
        stability: 'ga',
        warns: true,
        isDeprecated: when(at, first),
        replacementStability: 'beta',
      },
    ],
  })),
  '6': moment.map((first): Part => (at) => ({
    commandLine: [{ name: 'culprit', audience: 'admin', stability: 'beta', isDeprecated: when(at, first) }],
  })),
  '7': behaviour('culprit', 1),
  '8': moment.map((first): Part => (at) => ({
    behaviours: [
      { name: 'culprit', stability: 'ga', isDeprecated: when(at, first), replacementStability: 'alpha' },
    ],
  })),
  '9': gate('culprit', 1),
  '10': fc.tuple(moment, fc.boolean()).map(([first, warns]): Part => (at) => ({
    gates: [{ name: 'culprit', stage: 'beta', isDeprecated: when(at, first), warns }],
  })),
  '11a': fc.integer({ min: 1, max: 9 }).map((from): Part => (at) => ({
    // Deprecated from its first release on, and as long as that takes: but not there for long enough.
    metrics:
      at >= from && at < from + 3 ? [{ name: 'culprit', stability: 'STABLE', isDeprecated: true }] : [],
  })),
  '11b': metric('culprit', 1),
};

function shortCommandLine(audience: 'user' | 'admin'): fc.Arbitrary<Part> {
  return lifeOf(COMMAND_LINE[audience].ga, 1).map(
    (life): Part =>
      (at) =>
        isThere(life, at)
          ? {
              commandLine: [
                {
                  name: 'culprit',
                  audience,
                  stability: 'ga',
                  isDeprecated: at >= life.deprecated,
                  warns: true,
                },
              ],
            }
          : {},
  );
}

test('a program that keeps every rule is not accused', () => {
  fc.assert(
    fc.property(program, (parts) => {
      expect(policyViolations(historyOf(parts))).toEqual([]);
    }),
  );
});

test.each(Object.entries(BROKEN))(
  'whoever breaks rule %s is accused of it, and nobody else is',
  (rule, culprit) => {
    fc.assert(
      fc.property(program, culprit, (parts, part) => {
        const found = policyViolations(historyOf([...parts, part]));
        expect([...new Set(found.map((each) => each.rule))]).toEqual([rule]);
        for (const { subject } of found) expect(subject).toContain('culprit');
      }),
    );
  },
);
