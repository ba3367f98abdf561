/** Rules 1 to 4b: of versions of APIs and of what is in them. */
import type {
  ApiElement,
  ApiGroup,
  ApiVersion,
  PolicyRelease,
  PolicyViolation,
  ReleaseHistory,
  Stability,
} from './release-history.ts';
import { between, covers, type Window, windowText } from './window.ts';

const RANK: Readonly<Record<Stability, number>> = { alpha: 0, beta: 1, ga: 2 };
const BETA_WINDOW: Window = { releases: 3, months: 9 };

/** By the name of a version: `v1`, `v2beta1`, `v1alpha1`. */
export function stabilityOf(version: string): Stability {
  if (/alpha/.test(version)) return 'alpha';
  return /beta/.test(version) ? 'beta' : 'ga';
}

export const isLessStable = (one: Stability, other: Stability): boolean => RANK[one] < RANK[other];

/** A group may stand for one kind of it alone: `batch CronJob`. */
function subjectOf(group: string, version: string): string {
  const [name = '', kind] = group.split(' ');
  return `${name === '' ? '' : `${name}/`}${version}${kind === undefined ? '' : ` ${kind}`}`;
}

const inKind = (subject: string, kind: string): string =>
  subject.endsWith(` ${kind}`) ? subject : `${subject} ${kind}`;

const servedIn = (group: ApiGroup | undefined): readonly ApiVersion[] =>
  (group?.versions ?? []).filter(({ isServed = true }) => isServed);

const groupIn = (release: PolicyRelease | undefined, name: string): ApiGroup | undefined =>
  release?.groups?.find(({ group }) => group === name);

const groupNames = (history: ReleaseHistory): readonly string[] => [
  ...new Set(history.flatMap(({ groups = [] }) => groups.map(({ group }) => group))),
];

/** Rule 1: what a version has, it keeps as it is. */
export function keptElements(history: ReleaseHistory): readonly PolicyViolation[] {
  return history.flatMap((release, at) =>
    (release.groups ?? []).flatMap(({ group, versions }) =>
      versions.flatMap((version) => {
        const before = groupIn(history[at - 1], group)?.versions.find(({ name }) => name === version.name);
        if (!before || version.isServed === false) return [];
        return Object.entries(before.kinds).flatMap(([kind, elements]) =>
          lostElements(elements, version.kinds[kind]).map((message): PolicyViolation => {
            return {
              rule: '1',
              release: release.name,
              subject: inKind(subjectOf(group, version.name), kind),
              message,
            };
          }),
        );
      }),
    ),
  );
}

function lostElements(
  before: readonly ApiElement[],
  now: readonly ApiElement[] | undefined,
): readonly string[] {
  if (!now) return ['the kind was removed from a version that is still served'];
  return before.flatMap(({ name, type }) => {
    const own = now.find((element) => element.name === name);
    if (!own) return [`${name} was removed from the version`];
    return own.type === type ? [] : [`${name} was ${type} and is ${own.type} now`];
  });
}

/** Rule 2: an object goes from one version to another and back without loss. */
export function roundTrips(history: ReleaseHistory): readonly PolicyViolation[] {
  return history.flatMap(({ name: release, groups = [] }) =>
    groups.flatMap((each) =>
      pairs(servedIn(each)).flatMap(([one, other]) =>
        Object.keys(one.kinds).flatMap((kind) =>
          homeless(one.kinds[kind], other.kinds[kind]).map((element): PolicyViolation => {
            const message = `${element} has no place in ${other.name}, and nothing keeps it`;
            return { rule: '2', release, subject: inKind(subjectOf(each.group, one.name), kind), message };
          }),
        ),
      ),
    ),
  );
}

const pairs = <T>(items: readonly T[]): readonly (readonly [T, T])[] =>
  items.flatMap((one) => items.filter((other) => other !== one).map((other) => [one, other] as const));

/** A kind that is missing as a whole is no loss. */
function homeless(
  own: readonly ApiElement[] = [],
  others: readonly ApiElement[] | undefined,
): readonly string[] {
  if (!others) return [];
  return own
    .filter(({ name, keptAs }) => keptAs === undefined && !others.some((other) => other.name === name))
    .map(({ name }) => name);
}

/** Rule 3: nothing is deprecated in favour of what is less stable. */
export function stableReplacements(history: ReleaseHistory): readonly PolicyViolation[] {
  return firstTimes(history, ({ replacement, name, isDeprecated }) =>
    isDeprecated === true &&
    replacement !== undefined &&
    isLessStable(stabilityOf(versionIn(replacement)), stabilityOf(name))
      ? `deprecated in favour of ${replacement}, which is less stable`
      : undefined,
  ).map((violation) => ({ ...violation, rule: '3' }));
}

const versionIn = (groupVersion: string): string => groupVersion.slice(groupVersion.lastIndexOf('/') + 1);

/** The first release in which there is something to say of a version. */
function firstTimes(
  history: ReleaseHistory,
  said: (version: ApiVersion) => string | undefined,
): readonly Omit<PolicyViolation, 'rule'>[] {
  const known = new Set<string>();
  return history.flatMap(({ name: release, groups = [] }) =>
    groups.flatMap(({ group, versions }) =>
      versions.flatMap((version) => {
        const subject = subjectOf(group, version.name);
        const message = said(version);
        if (message === undefined || known.has(subject)) return [];
        known.add(subject);
        return [{ release, subject, message }];
      }),
    ),
  );
}

/** When a version came, was deprecated and went; positions in the history. */
interface Life {
  readonly subject: string;
  readonly stability: Stability;
  readonly introduced: number;
  readonly deprecated: number | undefined;
  readonly removed: number | undefined;
}

function livesOf(history: ReleaseHistory): readonly Life[] {
  return groupNames(history).flatMap((group) => {
    const served = history.map((release) => servedIn(groupIn(release, group)));
    const names = new Set(served.flatMap((versions) => versions.map(({ name }) => name)));
    return [...names].map((name): Life => {
      const stands = served.map((versions) => versions.find((version) => version.name === name));
      const introduced = stands.findIndex((version) => version !== undefined);
      const last = stands.findLastIndex((version) => version !== undefined);
      const deprecated = stands.findIndex((version) => version?.isDeprecated === true);
      return {
        subject: subjectOf(group, name),
        stability: stabilityOf(name),
        introduced,
        deprecated: deprecated < 0 ? undefined : deprecated,
        removed: last === history.length - 1 ? undefined : last + 1,
      };
    });
  });
}

/** Rule 4a: how long versions live. */
export function versionLives(history: ReleaseHistory): readonly PolicyViolation[] {
  return livesOf(history).flatMap((life) =>
    messagesOf(life, history).map(([at, message]): PolicyViolation => {
      return { rule: '4a', release: history[at]?.name ?? '', subject: life.subject, message };
    }),
  );
}

type Said = readonly [at: number, message: string];

function messagesOf(
  { stability, introduced, deprecated, removed }: Life,
  history: ReleaseHistory,
): readonly Said[] {
  if (stability === 'alpha') return [];
  if (stability === 'ga') return removed === undefined ? [] : [[removed, 'a stable version was removed']];
  const said: Said[] = [];
  // What the history begins with may be older than it.
  const end = deprecated ?? removed ?? history.length - 1;
  const young = between(history, introduced, end);
  if (introduced > 0 && young.releases > BETA_WINDOW.releases && young.months - 0.1 > BETA_WINDOW.months)
    said.push([end, `not deprecated within ${windowText(BETA_WINDOW)} of its introduction`]);
  if (removed === undefined) return said;
  if (deprecated === undefined) return [...said, [removed, 'removed without having been deprecated']];
  const stood = between(history, deprecated, removed);
  if (!covers(stood, BETA_WINDOW) && deprecated > 0)
    said.push([
      removed,
      `removed ${windowText(stood)} after its deprecation: it takes ${windowText(BETA_WINDOW)}`,
    ]);
  return said;
}

/** Rule 4b: the preferred and the stored version move on only after a release that served both. */
export function steadyStorage(history: ReleaseHistory): readonly PolicyViolation[] {
  return groupNames(history).flatMap((group) =>
    (['isStored', 'isPreferred'] as const).flatMap((role) => {
      const names = history.map(
        (release) => groupIn(release, group)?.versions.find((each) => each[role])?.name,
      );
      return names.flatMap((name, at): readonly PolicyViolation[] => {
        const before = names[at - 1];
        if (name === undefined || before === undefined || name === before) return [];
        const knewBoth = history.slice(0, at).some((release) => {
          const versions = new Set(servedIn(groupIn(release, group)).map((each) => each.name));
          return versions.has(name) && versions.has(before);
        });
        if (knewBoth) return [];
        const what = role === 'isStored' ? 'stored' : 'preferred';
        const message = `the ${what} version moved from ${before}: no earlier release served both`;
        return [{ rule: '4b', release: history[at]?.name ?? '', subject: subjectOf(group, name), message }];
      });
    }),
  );
}
