/** Kinds that are what they are in whatever version somebody says they were. */
export const UNVERSIONED_KINDS: ReadonlySet<string> = new Set([
  'Status',
  'APIVersions',
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
]);
