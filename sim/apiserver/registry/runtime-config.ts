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
    servesSubresource: (_fact, subresource) => subresource.isDefault || settings.get('api/all') === true,
  };
}

const trackOf = (version: string): string =>
  version.includes('alpha') ? 'alpha' : version.includes('beta') ? 'beta' : 'ga';
