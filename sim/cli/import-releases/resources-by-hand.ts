/** What no recorded server tells: names and scope of resources that 1.31 does not have, and since when some subresources are there. */
import type { SourceResource } from '../import-catalog.ts';

/** Groups in which a kind of an old group lives on. */
export const GROUPS_OF_OLD: Readonly<Record<string, readonly string[]>> = {
  extensions: ['apps', 'networking.k8s.io', 'policy'],
};

const ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

interface Former {
  readonly kind: string;
  readonly resource: string;
  readonly group: string;
  readonly namespaced?: true;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly hasStatus?: true;
}

const RESOURCES = 'resource.k8s.io';

const FORMER: readonly Former[] = [
  { kind: 'PodSecurityPolicy', resource: 'podsecuritypolicies', group: 'policy', shortNames: ['psp'] },
  { kind: 'PodPreset', resource: 'podpresets', group: 'settings.k8s.io', namespaced: true },
  { kind: 'AuditSink', resource: 'auditsinks', group: 'auditregistration.k8s.io' },
  { kind: 'ClusterCIDR', resource: 'clustercidrs', group: 'networking.k8s.io', shortNames: ['cc'] },
  { kind: 'ResourceClass', resource: 'resourceclasses', group: RESOURCES },
  {
    kind: 'ResourceClassParameters',
    resource: 'resourceclassparameters',
    group: RESOURCES,
    namespaced: true,
  },
  {
    kind: 'ResourceClaimParameters',
    resource: 'resourceclaimparameters',
    group: RESOURCES,
    namespaced: true,
  },
  { kind: 'PodScheduling', resource: 'podschedulings', group: RESOURCES, namespaced: true, hasStatus: true },
  { kind: 'DeviceTaintRule', resource: 'devicetaintrules', group: RESOURCES },
  { kind: 'ResourcePoolStatusRequest', resource: 'resourcepoolstatusrequests', group: RESOURCES },
  {
    kind: 'MutatingAdmissionPolicy',
    resource: 'mutatingadmissionpolicies',
    categories: ['api-extensions'],
    group: 'admissionregistration.k8s.io',
  },
  {
    kind: 'MutatingAdmissionPolicyBinding',
    resource: 'mutatingadmissionpolicybindings',
    categories: ['api-extensions'],
    group: 'admissionregistration.k8s.io',
  },
  {
    kind: 'PodCertificateRequest',
    resource: 'podcertificaterequests',
    group: 'certificates.k8s.io',
    namespaced: true,
    hasStatus: true,
  },
  { kind: 'Workload', resource: 'workloads', group: 'scheduling.k8s.io', namespaced: true },
  { kind: 'PodGroup', resource: 'podgroups', group: 'scheduling.k8s.io', namespaced: true },
];

export const formerResources = (): readonly SourceResource[] =>
  FORMER.map(({ kind, resource, group, namespaced = false, shortNames, categories, hasStatus }) => ({
    group,
    version: '',
    kind,
    resource,
    singular: kind.toLowerCase(),
    namespaced,
    verbs: ALL,
    default: true,
    ...(shortNames && { shortNames }),
    ...(categories && { categories }),
    subresources: hasStatus
      ? [{ name: 'status', group, version: '', kind, verbs: ['get', 'patch', 'update'], default: true }]
      : [],
  }));

/** By `group/resource` and name: from which minor release on it is served (2), on demand (1), or not there (0). */
export const FORMER_SUBRESOURCES: Readonly<
  Record<string, Readonly<Record<string, readonly (readonly [minor: number, state: 0 | 1 | 2])[]>>>
> = {
  '/pods': {
    ephemeralcontainers: [
      [15, 0],
      [16, 1],
      [23, 2],
    ],
  },
};
