/**
 * Which built-in versions and resources are served: `--runtime-config`. Keys are `api/all`,
 * `api/ga`, `api/beta`, `api/alpha`, `<group>/<version>` and `<group>/<version>/<resource>`; an
 * omitted value is true. Specification: "Groups and paths" 5.
 */
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
    const [key = '', value = 'true'] = part.split('=', 2);
    if (value !== 'true' && value !== 'false') {
      throw new RuntimeConfigError(`invalid value of ${key}=${value}: expected true or false`);
    }
    settings.set(key, value === 'true');
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

const trackOf = (version: string): string =>
  version.includes('alpha') ? 'alpha' : version.includes('beta') ? 'beta' : 'ga';

/** What can be said of a whole release. */
const TRACKS: readonly string[] = ['api/all', 'api/ga', 'api/beta', 'api/alpha', 'api/legacy'];

/** All keys that mean something, those of single resources aside. */
export const runtimeConfigKeys = (facts: readonly ResourceFact[]): readonly string[] => [
  ...TRACKS,
  ...new Set(facts.map(({ group, version }) => `${group || 'api'}/${version}`)),
  'v1',
];

/** A key that means nothing, as misspelt ones do; undefined: all do. */
export function strangeRuntimeConfigKey(facts: readonly ResourceFact[], text: string): string | undefined {
  const known = new Set(runtimeConfigKeys(facts));
  for (const { group, version, resource } of facts) known.add(`${group || 'api'}/${version}/${resource}`);
  const keys = text.split(',').map((part) => part.split('=', 1)[0] ?? '');
  return keys.find((key) => key !== '' && !known.has(key));
}
