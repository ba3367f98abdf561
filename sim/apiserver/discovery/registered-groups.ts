/**
 * The groups of `/apis` and `/apis/<group>`: those that have an APIService, by the priorities that their APIServices
 * give them. Aggregated discovery does not ask them. Pure. Specification: "Discovery".
 */
import type { GroupFact } from '../../api/catalog/builtin-resources.ts';
import { compareVersions } from '../../api/version-order.ts';
import { AGGREGATOR, type Served } from './served.ts';

interface Registered {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
}

/** Where nothing is registered at all, nobody registers: then it is what the server has. */
export function registeredGroups(
  { groups }: Pick<Served, 'groups'>,
  registered: readonly Registered[],
): readonly GroupFact[] {
  if (registered.length === 0) return groups;
  const versions = new Map<string, Registered[]>();
  for (const one of registered) {
    if (one.group === '' || one.group === AGGREGATOR) continue;
    const known = versions.get(one.group);
    if (known) known.push(one);
    else versions.set(one.group, [one]);
  }
  const priorityOf = (all: readonly Registered[]): number =>
    Math.max(...all.map(({ groupPriority }) => groupPriority));
  const ordered = [...versions].sort(
    ([a, left], [b, right]) => priorityOf(right) - priorityOf(left) || (a < b ? -1 : 1),
  );
  return [
    ...groups.filter(({ name }) => name === AGGREGATOR),
    ...ordered.map(([name, all]) => groupOf(name, all)),
  ];
}

function groupOf(name: string, all: readonly Registered[]): GroupFact {
  const versions = [...all]
    .sort((a, b) => b.versionPriority - a.versionPriority || compareVersions(a.version, b.version))
    .map(({ version }) => version);
  return { name, versions, preferredVersion: versions[0] ?? '' };
}
