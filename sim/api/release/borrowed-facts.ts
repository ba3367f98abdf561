/**
 * Columns, texts and field labels of versions that 1.31 does not serve: those of the same resource in a version that it
 * does. Inferred: no server of a release that has them was asked.
 */
import type { ResourceTable } from '../catalog/builtin-resources.ts';

type Rows<T> = Readonly<Record<string, T>>;

const HEIRS: Readonly<Record<string, readonly string[]>> = {
  extensions: ['apps', 'networking.k8s.io', 'policy'],
};

const STABLE_FIRST = ['v1', 'v2', 'v1beta3', 'v1beta1', 'v1alpha3', 'v1alpha1'] as const;

/** The rows, and for each resource without one that of its namesake, or what is usual. */
export function borrowed<T>(rows: Rows<T>, resources: ResourceTable['resources'], usual?: T): Rows<T> {
  const all: Record<string, T> = { ...rows };
  for (const { g: group, v: version, r: resource } of resources) {
    const key = `${group}/${version}/${resource}`;
    if (key in rows) continue;
    const row = namesakes(group, resource)
      .map((name) => rows[name])
      .find((known) => known !== undefined);
    const own = row ?? usual;
    if (own !== undefined) all[key] = own;
  }
  return all;
}

const namesakes = (group: string, resource: string): readonly string[] =>
  [group, ...(HEIRS[group] ?? [])].flatMap((heir) =>
    STABLE_FIRST.map((version) => `${heir}/${version}/${resource}`),
  );
