/** Aggregated discovery: all groups, versions and resources in one document. Specification: "Discovery". */
import { groupVersionText } from '../../api/catalog/builtin-kinds.ts';
import type { GroupFact } from '../../api/catalog/builtin-resources.ts';
import type { Json, JsonObject } from '../../api/object.ts';
import { resourcesOf, type Served, type ServedResource } from './served.ts';

export type AggregatedVersion = 'v2' | 'v2beta1';

/** Which half of the groups: `/api` has the core group, `/apis` all others. */
export type AggregatedRoot = 'api' | 'apis';

export interface AggregatedForm {
  readonly root: AggregatedRoot;
  readonly version: AggregatedVersion;
  /** Whether `creationTimestamp` is left out, that is null otherwise. */
  readonly omitsEmptyTimestamp?: boolean;
}

/** `APIGroupDiscoveryList` of one root. Both versions have the same content. */
export const aggregatedDiscovery = (
  served: Served,
  { root, version, omitsEmptyTimestamp = false }: AggregatedForm,
): JsonObject => ({
  kind: 'APIGroupDiscoveryList',
  apiVersion: `apidiscovery.k8s.io/${version}`,
  metadata: {},
  items: served.groups
    .filter(({ name }) => (name === '') === (root === 'api'))
    .map((group) => groupDiscovery(served, group, omitsEmptyTimestamp)),
});

const groupDiscovery = (
  served: Served,
  { name, versions }: GroupFact,
  omitsEmptyTimestamp: boolean,
): Json => ({
  metadata: { ...(name !== '' && { name }), ...(!omitsEmptyTimestamp && { creationTimestamp: null }) },
  versions: versions.map((version) => versionDiscovery(served, name, version)),
});

function versionDiscovery(served: Served, group: string, version: string): Json {
  const foreign = served.foreign?.get(groupVersionText({ group, version }));
  const resources = foreign
    ? foreign.resources
    : resourcesOf(served, group, version).map(resourceDiscovery);
  return {
    version,
    ...(resources && { resources }),
    freshness: foreign?.isStale ? 'Stale' : 'Current',
  };
}

const resourceDiscovery = (row: ServedResource): Json => ({
  resource: row.resource,
  responseKind: kindOf(row, row),
  scope: row.namespaced ? 'Namespaced' : 'Cluster',
  singularResource: row.singular,
  verbs: row.verbs,
  ...(row.shortNames.length > 0 && { shortNames: row.shortNames }),
  ...(row.categories.length > 0 && { categories: row.categories }),
  ...(row.subresources.length > 0 && {
    subresources: row.subresources.map((subresource) => ({
      subresource: subresource.name,
      responseKind: kindOf(subresource, row),
      verbs: subresource.verbs,
    })),
  }),
});

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Built-in rows say of kinds of their own version nothing but the name, as real servers do. */
const kindOf = ({ group, version, kind }: Kind, row: ServedResource): Json =>
  row.isBuiltIn && group === row.group && version === row.version
    ? { group: '', version: '', kind }
    : { group, version, kind };
