/**
 * The facts of all releases as one value: of each release its types, its kinds with their life cycles, and what is known
 * of what it serves. Of 1.15, 1.16, 1.18 and 1.19 nothing was recorded: their types are those of the release before
 * (1.15 to 1.18: of 1.17; 1.19: of 1.20), their kinds those of their neighbours that their life cycles admit.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceExtras, SourceKind, SourceType } from '../import-catalog.ts';

export const FIRST = 15;
export const LAST = 37;
/** The release that all tables are differences to. */
export const BASE = 31;

export const MINORS: readonly number[] = Array.from(
  { length: LAST - FIRST + 1 },
  (_, index) => FIRST + index,
);

interface SourceChanges {
  readonly types: Readonly<Record<string, SourceType>>;
  readonly typesAbsent: readonly string[];
  readonly kinds: readonly SourceKind[];
  readonly kindsAbsent: readonly string[];
  readonly groupsUnknown?: readonly string[];
}

/** What real servers said. */
export interface SourceServed {
  readonly default: { readonly resources: readonly string[] };
  readonly alpha: { readonly resources: readonly string[] };
  readonly gates: Readonly<Record<string, readonly [stage: string, isOn: boolean]>>;
}

export interface Life {
  readonly first: string;
  readonly introduced?: string;
  readonly removed?: string;
}

export interface ReleaseFacts {
  readonly directory: string;
  readonly extras: Readonly<Record<string, SourceExtras>>;
  readonly base: { readonly types: Types; readonly kinds: Kinds };
  /** Undefined: the release does not have it, or nobody knows. */
  typeAt(minor: number, key: string): SourceType | undefined;
  kindAt(minor: number, name: string): SourceKind | undefined;
  readonly typeKeys: readonly string[];
  /** `apps/v1.Deployment`. */
  readonly kindNames: readonly string[];
  lifeOf(kindName: string): Life | undefined;
  servedAt(minor: number): SourceServed | undefined;
}

type Types = Readonly<Record<string, SourceType>>;
type Kinds = ReadonlyMap<string, SourceKind>;

export const readJson = (directory: string, file: string): unknown =>
  JSON.parse(readFileSync(join(directory, file), 'utf8'));

export const numberOf = (release: string): number => Number(release.slice(release.indexOf('.') + 1));

export const kindName = ({ group, version, kind }: Omit<SourceKind, 'type'>): string =>
  `${group === '' ? '' : `${group}/`}${version}.${kind}`;

const RECORDED: readonly number[] = MINORS.filter((minor) => minor === 17 || (minor >= 20 && minor !== BASE));

export function readFacts(directory: string): ReleaseFacts {
  const types = readJson(directory, 'types.json') as Types;
  const { kinds: baseKinds } = readJson(directory, 'kinds.json') as { kinds: SourceKind[] };
  const kinds: Kinds = new Map(baseKinds.map((kind) => [kindName(kind), kind]));
  const { types: extras } = readJson(directory, 'schema-extras.json') as {
    types: Record<string, SourceExtras>;
  };
  const { kinds: said } = readJson(directory, 'releases/lifecycle.json') as { kinds: Record<string, Life> };
  const lives = Object.fromEntries(Object.entries(said).map(([name, life]) => [name, credible(life)]));
  const served = readJson(directory, 'releases/served.json') as Record<string, SourceServed>;
  const changes = new Map(
    RECORDED.map((minor) => [minor, readJson(directory, `releases/1.${minor}.json`) as SourceChanges]),
  );
  const typeAt = (minor: number, key: string): SourceType | undefined => {
    const change = changes.get(recordedFor(AS_BEFORE.has(`1.${minor} ${key}`) ? minor - 1 : minor));
    if (!change) return types[key];
    if (isUnknown(change, key)) return undefined;
    return change.types[key] ?? (change.typesAbsent.includes(key) ? undefined : types[key]);
  };
  const registeredAt = (minor: number, name: string): SourceKind | undefined => {
    const change = changes.get(minor);
    if (!change) return kinds.get(name);
    if (isUnknown(change, name)) return kinds.get(name);
    return kindsOf(change).get(name) ?? (change.kindsAbsent.includes(name) ? undefined : kinds.get(name));
  };
  return {
    directory,
    extras,
    base: { types, kinds },
    typeAt,
    kindAt: (minor, name) => {
      const known = registeredAt(recordedFor(minor), name) ?? earlierThanRecorded(minor, name);
      return known && isIntroduced(lives[name], minor) ? known : undefined;
    },
    typeKeys: [
      ...new Set([...Object.keys(types), ...[...changes.values()].flatMap((c) => Object.keys(c.types))]),
    ],
    kindNames: [
      ...new Set([...kinds.keys(), ...[...changes.values()].flatMap((c) => [...kindsOf(c).keys()])]),
    ],
    lifeOf: (name) => lives[name],
    servedAt: (minor) => served[`1.${minor}`],
  };

  /** 1.18 has what 1.20 has, if it was introduced by then. */
  function earlierThanRecorded(minor: number, name: string): SourceKind | undefined {
    return minor === 18 && lives[name]?.introduced !== undefined ? registeredAt(20, name) : undefined;
  }
}

const byName = new WeakMap<SourceChanges, Kinds>();

function kindsOf(change: SourceChanges): Kinds {
  const known = byName.get(change) ?? new Map(change.kinds.map((kind) => [kindName(kind), kind]));
  byName.set(change, known);
  return known;
}

/** Some are said to have come later than they are found: of those that were always there nobody knows when they came. */
function credible({ first, introduced, removed }: Life): Life {
  const isLate = introduced !== undefined && numberOf(introduced) > numberOf(first);
  const came = isLate ? (first === '1.17' ? undefined : first) : introduced;
  return {
    first,
    ...(came !== undefined && { introduced: came }),
    ...(removed !== undefined && { removed }),
  };
}

/** Types that were recorded at a later patch of the release than its server is of, which has them as the release before. */
const AS_BEFORE: ReadonlySet<string> = new Set([
  '1.29 batch/v1.PodFailurePolicyOnExitCodesRequirement',
  '1.29 batch/v1.PodFailurePolicyRule',
]);

/** Whose record stands for a release. */
const recordedFor = (minor: number): number => (minor < 19 ? 17 : minor === 19 ? 20 : minor);

const isIntroduced = (life: Life | undefined, minor: number): boolean =>
  life?.introduced === undefined || minor >= 20 || numberOf(life.introduced) <= minor;

/** Of whole groups nothing is known in some releases: it is taken to be as it is later. */
const isUnknown = ({ groupsUnknown = [] }: SourceChanges, name: string): boolean =>
  groupsUnknown.some((group) => name.startsWith(`${group}/`));
