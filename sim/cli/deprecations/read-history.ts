/**
 * The history of an API from a folder: each folder in it is a release, in the order of their version numbers, with the
 * definitions of custom resources that it shipped, and what else it offered in documents of `kind: Release`.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiGroup, PolicyRelease, ReleaseHistory } from '../../../model/deprecation/release-history.ts';
import { childOf, itemsOf, type Parts, wordOf } from '../../api/life-cycle/migrations/migration.ts';
import { systemReason } from '../start-problem.ts';
import { definitionVersions } from './definition-versions.ts';
import { readSources, type Source, UnreadableSource } from './read-sources.ts';

/** @throws UnreadableSource */
export function readHistory(folder: string): ReleaseHistory {
  const names = foldersIn(folder);
  if (names.length < 2)
    throw new UnreadableSource(
      `${folder}: expected a folder for each of two releases or more, such as v1.0 and v1.1`,
    );
  return names.map((name) => releaseOf(name, readSources([join(folder, name)])));
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort(byNumbers);
  } catch (error) {
    throw new UnreadableSource(`${folder}: ${systemReason(error)}`);
  }
}

/** `v1.10` comes after `v1.9`. */
function byNumbers(one: string, other: string): number {
  const [a, b] = [one, other].map((name) => (name.match(/[0-9]+/g) ?? []).map(Number));
  for (let index = 0; index < Math.max(a?.length ?? 0, b?.length ?? 0); index++) {
    const difference = (a?.[index] ?? 0) - (b?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return one < other ? -1 : 1;
}

function releaseOf(name: string, sources: readonly Source[]): PolicyRelease {
  const groups = new Map<string, ApiGroup>();
  let said: PolicyRelease = { name };
  for (const source of sources) {
    if (source.kind !== 'manifest') continue;
    for (const object of source.objects) {
      if (object['kind'] === 'CustomResourceDefinition') addDefinition(groups, object);
      else if (object['kind'] === 'Release') said = { ...said, ...saidOf(object, source) };
    }
  }
  return { ...said, groups: [...(said.groups ?? []), ...groups.values()] };
}

/** Kinds of one group share its versions. */
function addDefinition(groups: Map<string, ApiGroup>, definition: Parts): void {
  const { group, versions } = definitionVersions(definition);
  const [kind] = Object.keys(versions[0]?.kinds ?? {});
  // Each definition has its own stored and preferred version.
  groups.set(`${group} ${kind}`, { group: kind === undefined ? group : `${group} ${kind}`, versions });
}

interface Place {
  readonly file: string;
  readonly line: number;
}

type Members = Readonly<Record<string, 'text' | 'flag' | readonly string[]>>;

const STABILITIES = ['alpha', 'beta', 'ga'];
const DEPRECATABLE: Members = { name: 'text', isDeprecated: 'flag', replacementStability: STABILITIES };
const LISTS: Readonly<Record<string, Members>> = {
  commandLine: { ...DEPRECATABLE, stability: STABILITIES, audience: ['user', 'admin'], warns: 'flag' },
  behaviours: { ...DEPRECATABLE, stability: STABILITIES },
  gates: { ...DEPRECATABLE, stage: STABILITIES, warns: 'flag', tellsOperation: 'flag' },
  metrics: { ...DEPRECATABLE, stability: ['ALPHA', 'BETA', 'STABLE'], isHidden: 'flag' },
};
const REQUIRED = ['name', 'stability', 'stage', 'audience'];

/** A document of `kind: Release`: `spec.date`, and lists of what it offers. @throws UnreadableSource */
function saidOf(object: Parts, place: Place): Partial<PolicyRelease> {
  const spec = childOf(object['spec']);
  for (const name of Object.keys(spec)) {
    if (name !== 'date' && !Object.hasOwn(LISTS, name))
      throw wrong(place, `unknown member spec.${name}: expected date, ${Object.keys(LISTS).join(', ')}`);
  }
  const { date } = spec;
  if (date !== undefined && !Number.isFinite(Date.parse(wordOf(date))))
    throw wrong(place, 'spec.date: expected a day such as "2024-08-13"');
  for (const [list, members] of Object.entries(LISTS)) checkList(spec[list], { place, list, members });
  return spec;
}

function checkList(
  value: unknown,
  { place, list, members }: { readonly place: Place; readonly list: string; readonly members: Members },
): void {
  if (value === undefined) return;
  if (!Array.isArray(value)) throw wrong(place, `spec.${list}: expected a list`);
  for (const [index, item] of itemsOf(value).entries()) {
    const own = `spec.${list}[${index}]`;
    for (const [name, member] of Object.entries(item)) {
      if (!Object.hasOwn(members, name))
        throw wrong(
          place,
          `unknown member ${own}.${name}: expected one of ${Object.keys(members).join(', ')}`,
        );
      checkMember(member, { place, own: `${own}.${name}`, expected: members[name] ?? 'text' });
    }
    const missing = REQUIRED.find((name) => Object.hasOwn(members, name) && item[name] === undefined);
    if (missing !== undefined) throw wrong(place, `${own}.${missing} is missing`);
  }
}

function checkMember(
  value: unknown,
  {
    place,
    own,
    expected,
  }: { readonly place: Place; readonly own: string; readonly expected: Members[string] },
): void {
  if (expected === 'text' && typeof value !== 'string') throw wrong(place, `${own}: expected text`);
  if (expected === 'flag' && typeof value !== 'boolean') throw wrong(place, `${own}: expected true or false`);
  if (typeof expected !== 'string' && !expected.includes(wordOf(value)))
    throw wrong(place, `${own}: expected one of ${expected.join(', ')}`);
}

const wrong = ({ file, line }: Place, message: string): UnreadableSource =>
  new UnreadableSource(`${file}:${line}: ${message}`);
