/**
 * The APIServices of the versions that the server answers itself. Their numbers order groups, and versions within a
 * group, for clients that ask for no particular one. Specification: "Group discovery".
 */
import { splitGroupVersion } from '../../api/catalog/builtin-kinds.ts';
import type { ServicePriorities } from '../../api/release/release.ts';
import type { WantedSpec } from '../aggregation/service-plan.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resource } from '../registry/resource.ts';

/** By the resources that a registry began with; the same few are in all clusters of a process. */
const known = new WeakMap<readonly Resource[], Known>();

interface Known {
  readonly priorities: ServicePriorities;
  readonly wanted: readonly WantedSpec[];
}

/** One for each version that is served without a definition. */
export function ownVersions(registry: Registry, priorities: ServicePriorities): readonly WantedSpec[] {
  const { unchanged } = registry;
  const found = unchanged && known.get(unchanged);
  if (found?.priorities === priorities) return found.wanted;
  const wanted = versionsOf(registry, priorities);
  if (unchanged) known.set(unchanged, { priorities, wanted });
  return wanted;
}

function versionsOf(registry: Registry, priorities: ServicePriorities): readonly WantedSpec[] {
  const served = new Set<string>();
  for (const { isCustom, versions } of registry.all())
    if (!isCustom) for (const { apiVersion } of versions.values()) served.add(apiVersion);
  return [...served].sort().flatMap((apiVersion) => {
    const { group, version } = splitGroupVersion(apiVersion);
    const [groupPriorityMinimum, versions] = priorities[group] ?? [];
    const versionPriority = versions?.[version];
    if (groupPriorityMinimum === undefined || versionPriority === undefined) return [];
    return [{ ...(group && { group }), version, groupPriorityMinimum, versionPriority }];
  });
}
