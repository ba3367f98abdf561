/**
 * Every release that there is: 1.15 to 1.37. 1.31 is described by its own tables, the others by their differences to it,
 * which are read when such a release is first asked for. Specification: "Versioning".
 */
import { groupVersionText } from '../catalog/builtin-kinds.ts';
import { Catalog, type CatalogTables } from '../catalog/catalog.ts';
import { parseReleaseName, type ReleaseName, releaseNumber } from '../life-cycle/release-name.ts';
import { borrowed } from './borrowed-facts.ts';
import { columnsAt, columnTextsAt } from './column-changes.ts';
import { gatesOf } from './gates-of-release.ts';
import { kindTableOf } from './kind-changes.ts';
import { RELEASE_1_31 } from './release-1-31.ts';
import { wordingOf } from './wording.ts';
import type { Release, VersionInfo, VersionRules } from './release.ts';
import {
  FIRST_RELEASE,
  LAST_RELEASE,
  resourceTableOf,
  storageVersionAt,
  workingVersion,
} from './served-changes.ts';
import { prioritiesOf } from './service-priorities.ts';
import { typeTablesOf } from './type-changes.ts';

export const RELEASE_NAMES: readonly ReleaseName[] = Array.from(
  { length: LAST_RELEASE - FIRST_RELEASE + 1 },
  (_, index) => `1.${FIRST_RELEASE + index}`,
);

/** The patch of each release that its facts are from; of 1.15, 1.16, 1.18 and 1.19 they are inferred. */
const PATCHES: Readonly<Record<number, number>> = {
  17: 5,
  20: 6,
  21: 1,
  22: 5,
  23: 16,
  24: 3,
  25: 9,
  26: 9,
  27: 4,
  28: 3,
  29: 6,
  30: 14,
  32: 13,
  33: 13,
  34: 4,
  35: 4,
  36: 3,
  37: 2,
};

const made = new Map<ReleaseName, Release>([['1.31', RELEASE_1_31]]);

/** `1.24`, also as `v1.24` or `1.24.3`. Undefined: there is no such release here. */
export function findRelease(text: string): Release | undefined {
  const name = parseReleaseName(text);
  if (name === undefined || !RELEASE_NAMES.includes(name)) return undefined;
  const known = made.get(name) ?? releaseOf(releaseNumber(name));
  made.set(name, known);
  return known;
}

/** Its name, such as `1.31`. */
export const nameOfRelease = ({ versionInfo: { major, minor } }: Pick<Release, 'versionInfo'>): ReleaseName =>
  `${major}.${minor}`;

function releaseOf(minor: number): Release {
  const version = `v1.${minor}.${PATCHES[minor] ?? 0}`;
  const wording = wordingOf(minor);
  return {
    versionInfo: versionInfoOf(minor, version),
    componentVersion: version,
    catalog: new Catalog(tablesOf(minor)),
    gates: gatesOf(minor),
    rules: {
      servicePriorities: prioritiesOf(minor),
      versions: versionRules(minor),
      ...(wording && { wording }),
    },
  };
}

/** Servers tell what they emulate since then. */
const EMULATION_IS_TOLD_SINCE = 34;

function versionInfoOf(minor: number, version: string): VersionInfo {
  const { major, minor: _, ...info } = RELEASE_1_31.versionInfo;
  const emulation = {
    emulationMajor: major,
    emulationMinor: String(minor),
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(minor - 1),
  };
  return {
    major,
    minor: String(minor),
    ...(minor >= EMULATION_IS_TOLD_SINCE && emulation),
    ...info,
    gitVersion: `${version}+kubesim`,
  };
}

function versionRules(minor: number): VersionRules {
  return {
    workedOn: (group, resource) => {
      const version = workingVersion(group, resource);
      return version === undefined ? undefined : groupVersionText({ group, version });
    },
    stored: (group, resource) => groupVersionText(storageVersionAt(minor, group, resource)),
  };
}

/** What a server shows of a kind that says nothing of its own. */
const USUAL_COLUMNS: ReturnType<CatalogTables['columns']>[string] = [
  ['Name', 'string', 'name', 0],
  ['Created At', 'date', '', 0],
];

const usualLabels = (
  messages: readonly string[],
): ReturnType<CatalogTables['fieldLabels']>['rows'][string] => [
  Math.max(
    0,
    messages.findIndex((text) => text.includes('known field selector')),
  ),
  'metadata.name',
  'metadata.namespace',
];

function tablesOf(minor: number): CatalogTables {
  const { fieldLabels, columns, columnTexts } = RELEASE_1_31.catalog.tables;
  let table: ReturnType<typeof resourceTableOf> | undefined;
  const resources = () => (table ??= resourceTableOf(minor));
  const columnsOf = () => columnsAt(minor, borrowed(columns(), resources().resources, USUAL_COLUMNS));
  return {
    types: typeTablesOf(minor),
    kinds: () => kindTableOf(minor),
    resources,
    fieldLabels: () => {
      const { messages, rows } = fieldLabels();
      return { messages, rows: borrowed(rows, resources().resources, usualLabels(messages)) };
    },
    columns: columnsOf,
    columnTexts: () => {
      const { texts, rows } = columnTexts();
      return columnTextsAt(minor, { texts, rows: borrowed(rows, resources().resources) }, columnsOf());
    },
  };
}
