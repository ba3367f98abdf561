/**
 * Which built-in versions and resources are served: `--runtime-config`. Keys are `api/all`,
 * `api/ga`, `api/beta`, `api/alpha`, `<group>/<version>` and `<group>/<version>/<resource>`; an
 * omitted value is true. Specification: "Groups and paths" 5.
 */
import { goBoolProblem, parseGoBool } from '../../api/go-bool.ts';
import type { ResourceFact, SubresourceFact } from '../../api/catalog/builtin-resources.ts';

/** A setting that makes no sense; the message is for the command line. */
export class RuntimeConfigError extends Error {
  override readonly name = 'RuntimeConfigError';
}

export interface RuntimeConfig {
  isServed(fact: ResourceFact): boolean;
  servesSubresource(fact: ResourceFact, subresource: SubresourceFact): boolean;
}

/** @throws RuntimeConfigError */
export function parseRuntimeConfig(text = ''): RuntimeConfig {
  const settings = new Map<string, boolean>();
  for (const part of text.split(',')) {
    if (part === '') continue;
    const [key = '', value = ''] = part.split('=', 2).map((each) => each.trim());
    settings.set(key, TRACKS.has(key) ? valueOfTrack(key, value) : valueOf(key, value));
  }
  const ofVersion = ({ group, version }: ResourceFact): boolean | undefined =>
    settings.get(`${group || 'api'}/${version}`) ?? (group === '' ? settings.get(version) : undefined);
  const ofTrack = (version: string): boolean | undefined =>
    settings.get(`api/${trackOf(version)}`) ?? settings.get('api/all');
  return {
    isServed: (fact) =>
      settings.get(`${fact.group || 'api'}/${fact.version}/${fact.resource}`) ??
      ofVersion(fact) ??
      ofTrack(fact.version) ??
      fact.isDefault,
    // Where the resource itself is asked for, nothing but that keeps its subresources away.
    servesSubresource: (fact, subresource) =>
      subresource.isDefault || !fact.isDefault || settings.get('api/all') === true,
  };
}

/** What can be said of a whole release. */
const TRACKS: ReadonlySet<string> = new Set(['api/all', 'api/ga', 'api/beta', 'api/alpha', 'api/legacy']);

function valueOfTrack(key: string, value: string): boolean {
  if (value !== 'true' && value !== 'false') throw new RuntimeConfigError(`invalid value ${key}=${value}`);
  return value === 'true';
}

const FEWEST_PARTS = 2;
const MOST_PARTS = 3;

function valueOf(key: string, value: string): boolean {
  const { length } = key.split('/');
  if (key !== 'v1' && (length < FEWEST_PARTS || length > MOST_PARTS))
    throw new RuntimeConfigError(`runtime-config invalid key ${key}`);
  const isServed = value === '' ? true : parseGoBool(value);
  if (isServed === undefined)
    throw new RuntimeConfigError(`invalid value of ${key}: ${value}, err: ${goBoolProblem(value)}`);
  return isServed;
}

/** Of versions that are read and no longer served, and those that are served by other means. */
const OTHER_GROUPS = ['extensions', 'apiextensions.k8s.io', 'apiregistration.k8s.io'];

/** Groups that keys name and that there are not: a server does not start with them. */
export function unknownGroupsOf(facts: readonly ResourceFact[], text: string): readonly string[] {
  const known = new Set([...facts.map(({ group }) => group), ...OTHER_GROUPS]);
  const keys = text.split(',').map((part) => part.split('=', 1)[0]?.trim() ?? '');
  const groups = keys.flatMap((key) => {
    const [group = '', version] = key.split('/');
    return version === undefined || TRACKS.has(key) || known.has(group) || isCore(key) ? [] : [group];
  });
  return [...new Set(groups)];
}

/** A version of a known group that keys name and that the release does not know: it does not start with it, either. */
export function unregisteredVersionOf(known: readonly string[], text: string): string | undefined {
  const registered = new Set(known);
  const versions = text.split(',').flatMap((part) => {
    const key = part.split('=', 1)[0]?.trim() ?? '';
    const [group = '', version] = key.split('/');
    return version === undefined || TRACKS.has(key) || isCore(key) ? [] : [`${group}/${version}`];
  });
  return versions.find((version) => !registered.has(version));
}

const isCore = (key: string): boolean => /^(?:api)?\/v1(?:\/|$)/.test(key);

const trackOf = (version: string): string =>
  version.includes('alpha') ? 'alpha' : version.includes('beta') ? 'beta' : 'ga';

/** All keys that mean something, those of single resources aside. */
export const runtimeConfigKeys = (facts: readonly ResourceFact[]): readonly string[] => [
  ...TRACKS,
  ...new Set(facts.map(({ group, version }) => `${group || 'api'}/${version}`)),
  'v1',
];

/** A key that means nothing, as misspelt ones do; undefined: all do. */
export function strangeRuntimeConfigKey(facts: readonly ResourceFact[], text: string): string | undefined {
  if (text === '') return undefined;
  const known = new Set(runtimeConfigKeys(facts));
  for (const { group, version, resource } of facts) known.add(`${group || 'api'}/${version}/${resource}`);
  const keys = text.split(',').map((part) => part.split('=', 1)[0] ?? '');
  return keys.find((key) => key !== '' && !known.has(key));
}
