/**
 * How API servers order groups, and the versions of a group, for clients that ask for none in particular. One table
 * for all releases: of it counts what a release serves.
 */
import { compareVersions } from '../version-order.ts';
import type { ServicePriorities } from './release.ts';

const SERVICE_PRIORITIES: ServicePriorities = {
  '': [18_000, { v1: 1 }],
  // Above the rest, so that old clients find by short names what they always found.
  extensions: [17_900, { v1beta1: 1 }],
  apps: [17_800, { v1: 15, v1beta2: 9, v1beta1: 1 }],
  'events.k8s.io': [17_750, { v1: 15, v1beta1: 5 }],
  'authentication.k8s.io': [17_700, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
  'authorization.k8s.io': [17_600, { v1: 15, v1beta1: 9 }],
  autoscaling: [17_500, { v1: 15, v2: 30, v2beta1: 9, v2beta2: 1 }],
  batch: [17_400, { v1: 15, v1beta1: 9, v2alpha1: 8 }],
  'certificates.k8s.io': [17_300, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
  'networking.k8s.io': [17_200, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
  policy: [17_100, { v1: 15, v1beta1: 9 }],
  'rbac.authorization.k8s.io': [17_000, { v1: 15, v1beta1: 12, v1alpha1: 9 }],
  'settings.k8s.io': [16_900, { v1alpha1: 9 }],
  'storage.k8s.io': [16_800, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
  'admissionregistration.k8s.io': [16_700, { v1: 15, v1beta1: 12, v1alpha1: 9 }],
  'apiextensions.k8s.io': [16_700, { v1: 15, v1beta1: 9 }],
  'scheduling.k8s.io': [16_600, { v1: 15, v1beta1: 12, v1alpha3: 3, v1alpha2: 2, v1alpha1: 9 }],
  'coordination.k8s.io': [16_500, { v1: 15, v1beta1: 13, v1alpha2: 12, v1alpha1: 9 }],
  'auditregistration.k8s.io': [16_400, { v1alpha1: 1 }],
  'node.k8s.io': [16_300, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
  'discovery.k8s.io': [16_200, { v1: 15, v1beta1: 12, v1alpha1: 9 }],
  'resource.k8s.io': [16_200, { v1: 21, v1beta2: 15, v1beta1: 9, v1alpha3: 1, v1alpha2: 1, v1alpha1: 1 }],
  'flowcontrol.apiserver.k8s.io': [16_100, { v1: 21, v1beta3: 18, v1beta2: 15, v1beta1: 12, v1alpha1: 9 }],
  'internal.apiserver.k8s.io': [16_000, { v1alpha1: 9 }],
  'storagemigration.k8s.io': [15_800, { v1: 15, v1beta1: 12, v1alpha1: 9 }],
};

/** Dynamic resources came to the front when they became stable. */
const RESOURCES = 'resource.k8s.io';
const RESOURCES_ARE_STABLE_SINCE = 34;

/** Those of a release. */
export const prioritiesOf = (minor: number): ServicePriorities =>
  minor < RESOURCES_ARE_STABLE_SINCE
    ? {
        ...SERVICE_PRIORITIES,
        [RESOURCES]: [15_900, { v1beta2: 15, v1beta1: 11, v1alpha3: 9, v1alpha2: 9, v1alpha1: 9 }],
      }
    : SERVICE_PRIORITIES;

/** Names of groups as discovery lists them; the aggregator is ahead of what it aggregates. */
export function groupOrder(minor: number): readonly string[] {
  const names = Object.keys(SERVICE_PRIORITIES).filter((name) => name !== '');
  if (minor < RESOURCES_ARE_STABLE_SINCE) {
    names.splice(names.indexOf(RESOURCES), 1);
    names.splice(names.indexOf('internal.apiserver.k8s.io') + 1, 0, RESOURCES);
  }
  return ['', 'apiregistration.k8s.io', ...names];
}

/** For sorting: versions of a group, those first that clients prefer; where nothing is said, the stabler and newer. */
export function byPriority(group: string): (a: string, b: string) => number {
  const [, versions = {}] = SERVICE_PRIORITIES[group] ?? [];
  return (a, b) => (versions[b] ?? 0) - (versions[a] ?? 0) || compareVersions(a, b);
}
