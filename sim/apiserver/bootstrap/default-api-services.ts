/**
 * The APIServices of the versions that the server answers itself. Their numbers order groups, and versions within a
 * group, for clients that ask for no particular one. Specification: "Group discovery".
 */
import type { ApiObject } from '../../api/object.ts';
import { splitGroupVersion } from '../../api/catalog/builtin-kinds.ts';
import type { ServicePriorities } from '../../api/release/release.ts';
import type { Registry } from '../registry/registry.ts';

const AUTO_MANAGED = { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' };

/** One for each version that is served. */
export function defaultApiServices(
  registry: Registry,
  priorities: ServicePriorities,
  now: string,
): readonly ApiObject[] {
  const served = new Set(
    [...registry.all()].flatMap(({ versions }) => [...versions.values()].map(versionOf)),
  );
  return [...served].sort().flatMap((apiVersion) => {
    const { group, version } = splitGroupVersion(apiVersion);
    const [groupPriorityMinimum, versions] = priorities[group] ?? [];
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
