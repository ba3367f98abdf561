/**
 * The life of every version of every kind, over all releases that are known: since when there is it, from when on it is
 * deprecated and not served, and what takes its place. Specification: "Removed API versions by release".
 */
import { LIFE_CYCLES } from '../catalog/tables/life-cycles.ts';
import { type ReleaseName, releaseNumber } from './release-name.ts';

export interface KindVersion {
  /** `apps/v1`, `v1`. */
  readonly apiVersion: string;
  readonly kind: string;
}

export interface LifeCycle extends KindVersion {
  /** As far back as is known. */
  readonly introduced: ReleaseName;
  readonly deprecated?: ReleaseName;
  /** The first release that does not serve it. */
  readonly removed?: ReleaseName;
  readonly replacement?: KindVersion;
}

export type LifeStage = 'not yet' | 'served' | 'deprecated' | 'removed';

type Row = readonly [introduced: string, deprecated: string, removed: string, replacement: string];

let table: ReadonlyMap<string, LifeCycle> | undefined;

/** Undefined: no built-in kind of any release has this version. */
export function lifeCycleOf({ apiVersion, kind }: KindVersion): LifeCycle | undefined {
  return lifeCycles().get(`${apiVersion}.${kind}`);
}

/** All of them, by `group/version.Kind`. */
export function lifeCycles(): ReadonlyMap<string, LifeCycle> {
  return (table ??= new Map(
    Object.entries(JSON.parse(LIFE_CYCLES) as Record<string, Row>).map(([name, row]) => [
      name,
      lifeOf(name, row),
    ]),
  ));
}

function lifeOf(name: string, [introduced, deprecated, removed, replacement]: Row): LifeCycle {
  const own = parsed(name);
  const by = replacement === '' ? undefined : parsed(replacement);
  return {
    ...own,
    introduced,
    ...(deprecated !== '' && { deprecated }),
    ...(removed !== '' && { removed }),
    // A list stands for its items.
    ...(by && { replacement: { ...by, kind: by.kind === `${own.kind}List` ? own.kind : by.kind } }),
  };
}

/** `apps/v1.Deployment` in its parts: a version has no dot, a kind neither. */
function parsed(name: string): KindVersion {
  const dot = name.lastIndexOf('.');
  return { apiVersion: name.slice(0, dot), kind: name.slice(dot + 1) };
}

/** Where a life has come to in a release. */
export function stageAt({ introduced, deprecated, removed }: LifeCycle, release: ReleaseName): LifeStage {
  const now = releaseNumber(release);
  if (removed !== undefined && releaseNumber(removed) <= now) return 'removed';
  if (deprecated !== undefined && releaseNumber(deprecated) <= now) return 'deprecated';
  return releaseNumber(introduced) <= now ? 'served' : 'not yet';
}

/** What to write instead: what takes its place, or what takes that one's; rather one that is not deprecated itself. */
export function successorAt(life: LifeCycle, release: ReleaseName): LifeCycle | undefined {
  const seen = new Set<LifeCycle>([life]);
  let deprecated: LifeCycle | undefined;
  for (let next = nextOf(life); next && !seen.has(next); next = nextOf(next)) {
    const stage = stageAt(next, release);
    if (stage === 'served') return next;
    if (stage === 'deprecated') deprecated ??= next;
    seen.add(next);
  }
  return deprecated;
}

/** What is said to take its place; where nothing is said, the stable version of the same kind and group. */
function nextOf({ apiVersion, kind, replacement }: LifeCycle): LifeCycle | undefined {
  if (replacement) return lifeCycleOf(replacement);
  const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : [''];
  const versions = ['v1', 'v2'].map((version) => lifeCycleOf({ apiVersion: `${group}/${version}`, kind }));
  return versions.find((life) => life !== undefined && life.removed === undefined);
}
