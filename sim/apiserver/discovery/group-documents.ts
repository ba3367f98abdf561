/**
 * The plain discovery documents: `/api`, `/apis`, `/apis/<group>`, `/api/v1`, `/apis/<group>/<version>` and the root.
 * Pure; the server keeps what it builds until its resources change. Specification: "Discovery".
 */
import { groupVersionText } from '../../api/catalog/builtin-kinds.ts';
import type { GroupFact } from '../../api/catalog/builtin-resources.ts';
import type { Json, JsonObject } from '../../api/object.ts';
import { resourcesOf, type Served, type ServedResource, type ServedSubresource } from './served.ts';

/** `/api`. @param serverAddress host and port under which clients reach the server */
export const apiVersions = (serverAddress: string): JsonObject => ({
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
});

/** `/apis` */
export const apiGroupList = ({ groups }: Pick<Served, 'groups'>): JsonObject => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: groups.filter(({ name }) => name !== '').map(groupBody),
});

/** `/apis/<group>`; undefined if the group is not served. */
export function apiGroup({ groups }: Pick<Served, 'groups'>, name: string): JsonObject | undefined {
  const group = name === '' ? undefined : groups.find((each) => each.name === name);
  return group && { kind: 'APIGroup', apiVersion: 'v1', ...groupBody(group) };
}

/** `/api/v1` and `/apis/<group>/<version>`; undefined if the version is not served. */
export function apiResourceList(served: Served, group: string, version: string): JsonObject | undefined {
  const isServed = served.groups.some(({ name, versions }) => name === group && versions.includes(version));
  if (!isServed) return undefined;
  return {
    kind: 'APIResourceList',
    // The core version writes none: it is older than the convention.
    ...(group !== '' && { apiVersion: 'v1' }),
    groupVersion: groupVersionText({ group, version }),
    resources: resourcesOf(served, group, version).flatMap((row) => [
      resourceBody(row),
      ...row.subresources.map((subresource) => subresourceBody(row, subresource)),
    ]),
  };
}

/** `/`: every path there is. @param others paths that are no part of an API group, such as `/healthz` */
export function rootPaths({ groups }: Served, others: readonly string[]): JsonObject {
  const named = groups.filter(({ name }) => name !== '');
  const ofGroups = named.flatMap(({ name, versions }) => [
    `/apis/${name}`,
    ...versions.map((version) => `/apis/${name}/${version}`),
  ]);
  return { paths: [...new Set(['/api', '/api/v1', '/apis', '/apis/', ...ofGroups, ...others])].sort() };
}

const groupBody = ({ name, versions, preferredVersion }: GroupFact) => ({
  name,
  versions: versions.map((version) => versionBody(name, version)),
  preferredVersion: versionBody(name, preferredVersion),
});

const versionBody = (group: string, version: string) => ({
  groupVersion: groupVersionText({ group, version }),
  version,
});

const resourceBody = (row: ServedResource): Json => ({
  name: row.resource,
  singularName: row.singular,
  namespaced: row.namespaced,
  kind: row.kind,
  verbs: row.verbs,
  ...(row.shortNames.length > 0 && { shortNames: row.shortNames }),
  ...(row.categories.length > 0 && { categories: row.categories }),
  ...(row.storageVersionHash !== undefined && { storageVersionHash: row.storageVersionHash }),
});

function subresourceBody(
  parent: ServedResource,
  { name, group, version, kind, verbs }: ServedSubresource,
): Json {
  const isForeign = group !== parent.group || version !== parent.version;
  return {
    name: `${parent.resource}/${name}`,
    singularName: '',
    namespaced: parent.namespaced,
    ...(isForeign && { group, version }),
    kind,
    verbs,
  };
}
