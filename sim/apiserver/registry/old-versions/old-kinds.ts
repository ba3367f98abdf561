/**
 * Every kind that older releases serve in other versions than 1.31, by the resource that it is today. Versions that are
 * not named have always had the shape and the defaults of their heirs. Specification: "Removed API versions by release".
 */
import type { KindDefinition } from '../define-kind.ts';
import { ALPHA } from './alpha.ts';
import { EXTENDING } from './extending.ts';
import { NETWORKING } from './networking.ts';
import type { OldVersions } from './old-version.ts';
import { POLICIES } from './policies.ts';
import { REVIEWS } from './reviews.ts';
import { WORKLOADS } from './workloads.ts';

const OLD_VERSIONS: Readonly<Record<string, OldVersions>> = {
  ...ALPHA,
  ...WORKLOADS,
  ...NETWORKING,
  ...POLICIES,
  ...EXTENDING,
  ...REVIEWS,
};

const NONE: OldVersions = {};

/** @param resource such as `deployments.apps` */
export const oldVersionsOf = (resource: string): OldVersions =>
  Object.hasOwn(OLD_VERSIONS, resource) ? (OLD_VERSIONS[resource] ?? NONE) : NONE;

/** Resources of the group `extensions` are those of other groups: one object under two paths. */
const HEIRS: Readonly<Record<string, string>> = {
  'deployments.extensions': 'deployments.apps',
  'daemonsets.extensions': 'daemonsets.apps',
  'replicasets.extensions': 'replicasets.apps',
  'ingresses.extensions': 'ingresses.networking.k8s.io',
  'networkpolicies.extensions': 'networkpolicies.networking.k8s.io',
  'podsecuritypolicies.extensions': 'podsecuritypolicies.policy',
};

/** The resource whose objects are meant; most are their own. */
export const heirOf = (resource: string): string => HEIRS[resource] ?? resource;

/** Kinds that 1.31 does not have. */
export const FORMER_KINDS: readonly KindDefinition[] = [
  {
    group: 'policy',
    resource: 'podsecuritypolicies',
    storageDirectory: 'podsecuritypolicy',
    conversion: { storage: 'policy/v1beta1', versions: {} },
  },
];
