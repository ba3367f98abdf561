/**
 * The APIServices of the versions that the server answers itself. Their numbers order groups, and versions within a
 * group, for clients that ask for no particular one. Specification: "Group discovery".
 */
import type { ApiObject } from '../../api/object.ts';
import { splitGroupVersion } from '../../api/catalog/builtin-kinds.ts';
import type { Registry } from '../registry/registry.ts';

/** Of the group, then of each of its versions. */
const PRIORITIES: Readonly<
  Record<string, readonly [group: number, versions: Readonly<Record<string, number>>]>
> = {
  '': [18_000, { v1: 1 }],
  apps: [17_800, { v1: 15 }],
  'events.k8s.io': [17_750, { v1: 15, v1beta1: 5 }],
  'authentication.k8s.io': [17_700, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
  'authorization.k8s.io': [17_600, { v1: 15 }],
  autoscaling: [17_500, { v1: 15, v2: 30 }],
  batch: [17_400, { v1: 15 }],
  'certificates.k8s.io': [17_300, { v1: 15, v1alpha1: 1 }],
  'networking.k8s.io': [17_200, { v1: 15, v1beta1: 1 }],
  policy: [17_100, { v1: 15 }],
  'rbac.authorization.k8s.io': [17_000, { v1: 15 }],
  'storage.k8s.io': [16_800, { v1: 15, v1beta1: 11, v1alpha1: 1 }],
  'storagemigration.k8s.io': [16_800, { v1alpha1: 1 }],
  'admissionregistration.k8s.io': [16_700, { v1: 15, v1beta1: 12, v1alpha1: 9 }],
  'apiextensions.k8s.io': [16_700, { v1: 15 }],
  'scheduling.k8s.io': [16_600, { v1: 15 }],
  'coordination.k8s.io': [16_500, { v1: 15, v1alpha1: 9 }],
  'node.k8s.io': [16_300, { v1: 15 }],
  'discovery.k8s.io': [16_200, { v1: 15 }],
  'flowcontrol.apiserver.k8s.io': [16_100, { v1: 21, v1beta3: 18 }],
  'internal.apiserver.k8s.io': [16_000, { v1alpha1: 9 }],
  'resource.k8s.io': [15_900, { v1alpha3: 9 }],
};

const AUTO_MANAGED = { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' };

/** One for each version that is served. */
export function defaultApiServices(registry: Registry, now: string): readonly ApiObject[] {
  const served = new Set(
    [...registry.all()].flatMap(({ versions }) => [...versions.values()].map(versionOf)),
  );
  return [...served].sort().flatMap((apiVersion) => {
    const { group, version } = splitGroupVersion(apiVersion);
    const [groupPriorityMinimum, versions] = PRIORITIES[group] ?? [];
    const versionPriority = versions?.[version];
    if (groupPriorityMinimum === undefined || versionPriority === undefined) return [];
    return [apiService({ ...(group && { group }), version, groupPriorityMinimum, versionPriority }, now)];
  });
}

const versionOf = ({ apiVersion }: { readonly apiVersion: string }): string => apiVersion;

const apiService = (
  spec: { readonly group?: string; readonly version: string; readonly [member: string]: unknown },
  now: string,
): ApiObject => ({
  kind: 'APIService',
  apiVersion: 'apiregistration.k8s.io/v1',
  metadata: { name: `${spec.version}.${spec.group ?? ''}`, labels: AUTO_MANAGED },
  spec,
  status: {
    conditions: [
      {
        type: 'Available',
        status: 'True',
        lastTransitionTime: now,
        reason: 'Local',
        message: 'Local APIServices are always available',
      },
    ],
  },
});
