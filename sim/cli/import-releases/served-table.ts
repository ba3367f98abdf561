/**
 * Which resources each release serves: recorded from real servers of 1.29 to 1.36; before and after them inferred from
 * the life cycles: a stable version is served from its introduction until it is removed, a beta one too if it, or another
 * version of its kind, was there before 1.24 (new beta versions are off by default since), an alpha one only on demand.
 */
import { createHash } from 'node:crypto';
import { resourceRow, type SourceResource, verbBits } from '../import-catalog.ts';
import { FIRST, LAST, MINORS, numberOf, readJson, type ReleaseFacts } from './release-facts.ts';
import { formerResources, FORMER_SUBRESOURCES, GROUPS_OF_OLD } from './resources-by-hand.ts';

/** 0: not there; 1: on demand; 2: served. */
type State = 0 | 1 | 2;

type Since = readonly (readonly [minor: number, state: State])[];

interface ServedChange {
  /** As in the tables of 1.31, where 1.31 does not have it. */
  readonly row?: unknown;
  /** Empty: as in 1.31, in all releases. */
  readonly since: Since;
  /** Of subresources that are not always there, or that 1.31 does not have. */
  readonly subresources?: Readonly<Record<string, { readonly row?: unknown; readonly since: Since }>>;
}

interface ServedTable {
  /** By `group/version/resource`. */
  readonly resources: Readonly<Record<string, ServedChange>>;
  /** `storageVersionHash` by `group/version/kind`. */
  readonly hashes: Readonly<Record<string, string>>;
}

/** Since then a new beta version is not served unless it is asked for. */
const NEW_BETAS_ARE_OFF_SINCE = 24;

const RECORDED = { first: 29, last: 36 };

export function servedTable(facts: ReleaseFacts): ServedTable {
  const { resources: base } = readJson(facts.directory, 'resources.json') as { resources: SourceResource[] };
  const rows = rowsOf(facts, base);
  const baseKeys = new Set(base.map(keyOf));
  const table: Record<string, ServedChange> = {};
  for (const [key, row] of rows) {
    const since = sinceOf((minor) => stateAt(minor, row, { facts, rows }));
    const isBase = baseKeys.has(key);
    const change: ServedChange = {
      ...(!isBase && { row: resourceRow(row) }),
      since,
      ...subresourceChanges(row, facts, since),
    };
    if (since.some(([, state]) => state > 0)) table[key] = change;
  }
  const kinds = [...rows.values()].map(({ group, version, kind }) => `${group}/${version}/${kind}`);
  const hashes = Object.fromEntries([...new Set(kinds)].sort().map((name) => [name, hashOf(name)]));
  return { resources: table, hashes };
}

const keyOf = ({
  group,
  version,
  resource,
}: Pick<SourceResource, 'group' | 'version' | 'resource'>): string => `${group}/${version}/${resource}`;

/** As API servers make it of the version that is stored. */
const hashOf = (name: string): string =>
  createHash('sha256').update(name).digest().subarray(0, 8).toString('base64');

/** Every version of every resource that some release has. */
function rowsOf(facts: ReleaseFacts, base: readonly SourceResource[]): ReadonlyMap<string, SourceResource> {
  const rows = new Map(base.map((row) => [keyOf(row), row]));
  const known = [...base, ...formerResources()];
  for (const name of facts.kindNames) {
    const dot = name.lastIndexOf('.');
    const [groupVersion, kind] = [name.slice(0, dot), name.slice(dot + 1)];
    const [group = '', version = ''] = groupVersion.includes('/')
      ? groupVersion.split('/')
      : ['', groupVersion];
    const homes = [group, ...(GROUPS_OF_OLD[group] ?? [])];
    const model = known.find((row) => row.kind === kind && homes.includes(row.group));
    if (!model) continue;
    const row = inVersion(model, group, version);
    if (!rows.has(keyOf(row))) rows.set(keyOf(row), row);
  }
  return rows;
}

/** The same resource in another version; what its subresources speak goes with it, unless it is of another group. */
function inVersion(model: SourceResource, group: string, version: string): SourceResource {
  const { storageVersionHash: _, ...row } = model;
  return {
    ...row,
    group,
    version,
    default: true,
    subresources: model.subresources.map((sub) =>
      sub.group === model.group && sub.version === model.version ? { ...sub, group, version } : sub,
    ),
  };
}

interface World {
  readonly facts: ReleaseFacts;
  readonly rows: ReadonlyMap<string, SourceResource>;
}

function stateAt(minor: number, row: SourceResource, world: World): State {
  if (minor < RECORDED.first) return inferredState(minor, row, world);
  if (minor <= RECORDED.last)
    return recordedState(minor, `${row.group}/${row.version} ${row.resource}`, world.facts);
  const before = stateAt(RECORDED.last, row, world);
  const isThere = isAlive(minor, row, world.facts);
  return !isThere ? 0 : before > 0 ? before : trackOf(row.version) === 'ga' ? 2 : 1;
}

function recordedState(minor: number, name: string, facts: ReleaseFacts): State {
  const served = facts.servedAt(minor);
  const isIn = (profile: 'default' | 'alpha'): boolean =>
    served?.[profile].resources.some((line) => `${line} `.startsWith(`${name.replace(/^\//, '')} `)) === true;
  return isIn('default') ? 2 : isIn('alpha') ? 1 : 0;
}

const trackOf = (version: string): 'ga' | 'beta' | 'alpha' =>
  version.includes('alpha') ? 'alpha' : version.includes('beta') ? 'beta' : 'ga';

function isAlive(minor: number, { group, version, kind }: SourceResource, facts: ReleaseFacts): boolean {
  const name = `${group === '' ? '' : `${group}/`}${version}.${kind}`;
  const life = facts.lifeOf(name);
  if (!facts.kindAt(minor, name)) return false;
  if (life?.removed !== undefined && numberOf(life.removed) <= minor) return false;
  return life?.introduced === undefined || numberOf(life.introduced) <= minor;
}

function inferredState(minor: number, row: SourceResource, world: World): State {
  if (!isAlive(minor, row, world.facts)) return 0;
  const track = trackOf(row.version);
  if (track === 'ga') return 2;
  if (track === 'alpha') return 1;
  return minor < NEW_BETAS_ARE_OFF_SINCE || wasOnBefore(row, world) ? 2 : 1;
}

/** Whether some stable or beta version of the kind was served when new beta versions still were. */
const wasOnBefore = ({ group, kind }: SourceResource, { facts, rows }: World): boolean =>
  [...rows.values()].some(
    (other) =>
      other.group === group &&
      other.kind === kind &&
      trackOf(other.version) !== 'alpha' &&
      isAlive(NEW_BETAS_ARE_OFF_SINCE - 1, other, facts),
  );

function sinceOf(stateOf: (minor: number) => State): Since {
  const since: [number, State][] = [];
  for (const minor of MINORS) {
    const state = stateOf(minor);
    if ((since.at(-1)?.[1] ?? 0) !== state || minor === FIRST) since.push([minor, state]);
  }
  return since;
}

const stateIn = (since: Since, minor: number): State =>
  since.reduce<State>((state, [from, to]) => (from <= minor ? to : state), 0);

/** Those of which the recorded servers, or what is known of older ones, say that they are not always there. */
function subresourceChanges(
  row: SourceResource,
  facts: ReleaseFacts,
  own: Since,
): Pick<ServedChange, 'subresources'> {
  const changes: [string, { row?: unknown; since: Since }][] = [];
  const name = `${row.group}/${row.version} ${row.resource}`;
  const former = FORMER_SUBRESOURCES[`${row.group}/${row.resource}`] ?? {};
  const recorded = new Set<string>();
  for (let minor = RECORDED.first; minor <= RECORDED.last; minor += 1)
    for (const line of facts.servedAt(minor)?.alpha.resources ?? []) {
      const sub = line.startsWith(`${name.replace(/^\//, '')}/`)
        ? line.split(' ')[1]?.split('/')[1]
        : undefined;
      if (sub !== undefined) recorded.add(sub);
    }
  for (const sub of new Set([...recorded, ...row.subresources.map((each) => each.name)])) {
    const inBase = row.subresources.find((each) => each.name === sub);
    const since = sinceOf((minor) => {
      const from = former[sub];
      if (minor < RECORDED.first)
        return from !== undefined ? stateIn(from, minor) : inBase?.default ? stateIn(own, minor) : 0;
      const asked = Math.min(minor, RECORDED.last);
      return minor > LAST
        ? 0
        : recordedState(asked, `${name}/${sub}`, facts) || (minor > RECORDED.last ? stateIn(own, minor) : 0);
    });
    if (inBase && JSON.stringify(since) === JSON.stringify(own)) continue;
    const added = inBase
      ? undefined
      : [sub, row.group, row.version, row.kind, verbBits(['get', 'patch', 'update']), 1];
    if (since.some(([, state]) => state > 0) || inBase)
      changes.push([sub, { ...(added && { row: added }), since }]);
  }
  return changes.length === 0 ? {} : { subresources: Object.fromEntries(changes) };
}
