/** What no field manager owns. Specification: "Server-side apply". */

/** Members of an object that name its type. */
export const NEVER_OWNED_MEMBERS = ['apiVersion', 'kind'] as const;

/** Members of its metadata that name it, or that the server itself keeps. */
export const NEVER_OWNED_METADATA = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
] as const;
