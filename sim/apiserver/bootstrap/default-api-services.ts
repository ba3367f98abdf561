/**
 * The APIServices of the versions that the server answers itself. Their numbers order groups, and versions within a
 * group, for clients that ask for no particular one. Specification: "Group discovery".
 */
import { splitGroupVersion } from '../../api/catalog/builtin-kinds.ts';
import type { ServicePriorities } from '../../api/release/release.ts';
import type { WantedSpec } from '../aggregation/service-plan.ts';
import type { Registry } from '../registry/registry.ts';

/** One for each version that is served without a definition. */
export function ownVersions(registry: Registry, priorities: ServicePriorities): readonly WantedSpec[] {
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
