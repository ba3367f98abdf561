/** API versions that a scenario switches on or off, and that there are not. */
import { type Release, runtimeConfigKeys, strangeRuntimeConfigKey } from '../../sim/index.ts';
import { didYouMean } from './suggest.ts';

interface StrangeKey {
  readonly key: string;
  readonly message: string;
  readonly expected: string;
}

export function strangeRuntimeConfig(
  settings: Readonly<Record<string, boolean>> | undefined,
  releases: readonly Release[],
): readonly StrangeKey[] {
  if (settings === undefined) return [];
  const facts = releases.flatMap((release) => release.catalog.resources.all);
  const known = runtimeConfigKeys(facts);
  return Object.keys(settings)
    .filter((key) => strangeRuntimeConfigKey(facts, key) !== undefined)
    .map((key) => ({
      key,
      message: `there is no API version \`${key}\` to serve or not${didYouMean(key, known)}`,
      expected:
        '`api/all`, `api/beta`, a version such as `apps/v1`, or one of its resources, `apps/v1/deployments`',
    }));
}
