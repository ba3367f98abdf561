/** Aggregated discovery: all groups, versions and resources in one document. Specification: "Discovery". */
import { groupVersionText } from '../../api/catalog/builtin-kinds.ts';
import type { GroupFact } from '../../api/catalog/builtin-resources.ts';
import type { Json, JsonObject } from '../../api/object.ts';
import { resourcesOf, type Served, type ServedResource } from './served.ts';

export type AggregatedVersion = 'v2' | 'v2beta1';

/** Which half of the groups: `/api` has the core group, `/apis` all others. */
export type AggregatedRoot = 'api' | 'apis';

/** `APIGroupDiscoveryList` of one root. Both versions have the same content. */
export const aggregatedDiscovery = (
  served: Served,
  { root, version }: { readonly root: AggregatedRoot; readonly version: AggregatedVersion },
): JsonObject => ({
  kind: 'APIGroupDiscoveryList',
  apiVersion: `apidiscovery.k8s.io/${version}`,
  metadata: {},
  items: served.groups
    .filter(({ name }) => (name === '') === (root === 'api'))
    .map((group) => groupDiscovery(served, group)),
});

const groupDiscovery = (served: Served, { name, versions }: GroupFact): Json => ({
  metadata: { ...(name !== '' && { name }), creationTimestamp: null },
  versions: versions.map((version) => ({
    version,
    resources: resourcesOf(served, name, version).map(resourceDiscovery),
    freshness: served.stale?.includes(groupVersionText({ group: name, version })) ? 'Stale' : 'Current',
  })),
});

const resourceDiscovery = (row: ServedResource): Json => ({
  resource: row.resource,
  responseKind: kindOf(row),
  scope: row.namespaced ? 'Namespaced' : 'Cluster',
  singularResource: row.singular,
  verbs: row.verbs,
  ...(row.shortNames.length > 0 && { shortNames: row.shortNames }),
  ...(row.categories.length > 0 && { categories: row.categories }),
  ...(row.subresources.length > 0 && {
    subresources: row.subresources.map((subresource) => ({
      subresource: subresource.name,
      responseKind: kindOf(subresource),
      verbs: subresource.verbs,
    })),
  }),
});

const kindOf = ({ group, version, kind }: { group: string; version: string; kind: string }) => ({
  group,
  version,
  kind,
});
