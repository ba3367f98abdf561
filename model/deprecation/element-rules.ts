/** Rules 5a to 11b: of command lines, behaviours, feature gates and metrics. */
import { isLessStable } from './api-rules.ts';
import type {
  Behaviour,
  CommandLineElement,
  FeatureGate,
  Metric,
  PolicyRelease,
  PolicyRule,
  PolicyViolation,
  ReleaseHistory,
  Stability,
} from './release-history.ts';
import { between, covers, type Window, windowText } from './window.ts';

const NONE: Window = { releases: 0, months: 0 };
const COMMAND_LINE: Readonly<Record<CommandLineElement['audience'], Readonly<Record<Stability, Window>>>> = {
  user: { ga: { releases: 2, months: 12 }, beta: { releases: 1, months: 3 }, alpha: NONE },
  admin: { ga: { releases: 1, months: 6 }, beta: { releases: 1, months: 3 }, alpha: NONE },
};
const BEHAVIOUR: Window = { releases: 0, months: 12 };
const GATE: Readonly<Record<Stability, Window>> = {
  ga: { releases: 2, months: 6 },
  beta: { releases: 1, months: 3 },
  alpha: NONE,
};
const METRIC: Readonly<Record<Metric['stability'], { readonly inAll: Window; readonly deprecated: Window }>> =
  {
    STABLE: { inAll: { releases: 4, months: 12 }, deprecated: { releases: 3, months: 9 } },
    BETA: { inAll: { releases: 2, months: 8 }, deprecated: { releases: 1, months: 4 } },
    ALPHA: { inAll: NONE, deprecated: NONE },
  };

/** One thing through the releases: what it was in each, where it was there. */
interface Life<T> {
  readonly name: string;
  readonly stands: readonly (T | undefined)[];
  readonly introduced: number;
  /** Where it first was deprecated. */
  readonly deprecated: number | undefined;
  /** The first release without it. */
  readonly removed: number | undefined;
  readonly last: T;
}

function livesOf<T extends { readonly name: string; readonly isDeprecated?: boolean }>(
  history: ReleaseHistory,
  of: (release: PolicyRelease) => readonly T[] | undefined,
): readonly Life<T>[] {
  const names = new Set(history.flatMap((release) => (of(release) ?? []).map(({ name }) => name)));
  return [...names].flatMap((name) => {
    const stands = history.map((release) => of(release)?.find((each) => each.name === name));
    const end = stands.findLastIndex((each) => each !== undefined);
    const last = stands[end];
    if (last === undefined) return [];
    const deprecated = stands.findIndex((each) => each?.isDeprecated === true);
    return [
      {
        name,
        stands,
        introduced: stands.findIndex((each) => each !== undefined),
        deprecated: deprecated < 0 ? undefined : deprecated,
        removed: end === history.length - 1 ? undefined : end + 1,
        last,
      },
    ];
  });
}

/** Removed too early after its deprecation, or without one. */
function tooEarly<T>(
  { deprecated, removed }: Life<T>,
  needed: Window,
  history: ReleaseHistory,
): string | undefined {
  if (removed === undefined || (needed.releases === 0 && needed.months === 0)) return undefined;
  if (deprecated === undefined) return 'removed without having been deprecated';
  const stood = between(history, deprecated, removed);
  if (deprecated === 0 || covers(stood, needed)) return undefined;
  return `removed ${windowText(stood)} after its deprecation: it takes ${windowText(needed)}`;
}

const violation = (
  rule: PolicyRule,
  [subject, message]: readonly [string, string | undefined],
  release: string | undefined,
): readonly PolicyViolation[] =>
  message === undefined ? [] : [{ rule, release: release ?? '', subject, message }];

/** Rules 5a, 5b, 5c and 6. */
export function commandLines(history: ReleaseHistory): readonly PolicyViolation[] {
  return livesOf<CommandLineElement>(history, ({ commandLine }) => commandLine).flatMap((life) => {
    const { name, last, removed, deprecated } = life;
    const needed = COMMAND_LINE[last.audience][last.stability];
    const silent = life.stands.findIndex((each) => each?.isDeprecated === true && each.warns !== true);
    return [
      ...violation(
        last.audience === 'user' ? '5a' : '5b',
        [name, tooEarly(life, needed, history)],
        history[removed ?? -1]?.name,
      ),
      ...violation('5c', [name, lessStable(life)], history[deprecated ?? -1]?.name),
      ...violation(
        '6',
        [name, silent < 0 ? undefined : 'deprecated, and its use warns nobody'],
        history[silent]?.name,
      ),
    ];
  });
}

function lessStable({ stands }: Life<CommandLineElement | Behaviour>): string | undefined {
  const found = stands.find(
    (each) =>
      each?.isDeprecated === true &&
      each.replacementStability !== undefined &&
      isLessStable(each.replacementStability, each.stability),
  );
  return (
    found && `deprecated in favour of what is ${found.replacementStability}, and is ${found.stability} itself`
  );
}

/** Rules 7 and 8. */
export function behaviours(history: ReleaseHistory): readonly PolicyViolation[] {
  return livesOf<Behaviour>(history, (release) => release.behaviours).flatMap((life) => [
    ...violation('7', [life.name, tooEarly(life, BEHAVIOUR, history)], history[life.removed ?? -1]?.name),
    ...violation('8', [life.name, lessStable(life)], history[life.deprecated ?? -1]?.name),
  ]);
}

/** Rules 9 and 10. */
export function gates(history: ReleaseHistory): readonly PolicyViolation[] {
  return livesOf<FeatureGate>(history, (release) => release.gates).flatMap((life) => {
    const ended = gateEnd(life);
    const silent = life.stands.findIndex(
      (each) => isDeprecatedGate(each) && !(each?.warns === true && each.tellsOperation === true),
    );
    const message = 'its use does not warn, or does not say whether it is operational';
    return [
      ...violation(
        '9',
        [life.name, tooEarly(ended, GATE[ended.last.stage], history)],
        history[life.removed ?? -1]?.name,
      ),
      ...violation('10', [life.name, silent < 0 ? undefined : message], history[silent]?.name),
    ];
  });
}

/** With general availability a gate is deprecated. */
const isDeprecatedGate = (gate: FeatureGate | undefined): boolean =>
  gate !== undefined && (gate.isDeprecated === true || gate.stage === 'ga');

function gateEnd(life: Life<FeatureGate>): Life<FeatureGate> {
  const deprecated = life.stands.findIndex((each) => isDeprecatedGate(each));
  return { ...life, deprecated: deprecated < 0 ? undefined : deprecated };
}

/** Rules 11a and 11b: hidden is gone for whoever does not ask. */
export function metrics(history: ReleaseHistory): readonly PolicyViolation[] {
  return livesOf<Metric>(history, (release) => release.metrics).flatMap((life) => {
    const hidden = life.stands.findIndex((each) => each?.isHidden === true);
    const gone = hidden < 0 ? life.removed : hidden;
    const { inAll, deprecated } = METRIC[life.last.stability];
    const release = history[gone ?? -1]?.name;
    return [
      ...violation('11a', [life.name, tooShort(life, gone, { needed: inAll, history })], release),
      ...violation('11b', [life.name, tooEarly({ ...life, removed: gone }, deprecated, history)], release),
    ];
  });
}

function tooShort(
  { introduced }: Life<Metric>,
  gone: number | undefined,
  { needed, history }: { readonly needed: Window; readonly history: ReleaseHistory },
): string | undefined {
  if (gone === undefined || introduced === 0) return undefined;
  const stood = between(history, introduced, gone);
  return covers(stood, needed)
    ? undefined
    : `gone ${windowText(stood)} after it came: it takes ${windowText(needed)}`;
}
