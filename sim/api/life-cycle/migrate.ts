/**
 * An object of a version that goes, as one of the version that takes its place: the same meaning, also where the
 * defaults of the two differ. Specification: "Removed API versions by release", the notable changes.
 */
import { lifeCycleOf, type LifeCycle, successorAt } from './life-cycles.ts';
import { EXTENDING } from './migrations/extending.ts';
import type { Migration, Parts } from './migrations/migration.ts';
import { NETWORKING } from './migrations/networking.ts';
import { POLICIES } from './migrations/policies.ts';
import { WORKLOADS } from './migrations/workloads.ts';
import type { ReleaseName } from './release-name.ts';

/** Those whose objects have other members or other defaults; of the others only the version changes. */
const MIGRATIONS: Readonly<Record<string, Migration>> = {
  ...WORKLOADS,
  ...NETWORKING,
  ...EXTENDING,
  ...POLICIES,
};

export interface Migrated {
  readonly object: Parts;
  /** What its owner has to look at, one sentence each. */
  readonly notes: readonly string[];
}

/** Undefined: in that release nothing takes its place. The given object stays as it is. */
export function migrated(object: Parts, release: ReleaseName): Migrated | undefined {
  const life = lifeCycleOf({ apiVersion: String(object['apiVersion']), kind: String(object['kind']) });
  const successor = life && successorAt(life, release);
  if (!life || !successor) return undefined;
  const copy = structuredCopy(object) as Parts;
  const notes = MIGRATIONS[nameOf(life)]?.(copy) ?? [];
  const { apiVersion, kind } = successor;
  return { object: { ...copy, apiVersion, kind }, notes };
}

export const nameOf = ({ apiVersion, kind }: Pick<LifeCycle, 'apiVersion' | 'kind'>): string =>
  `${apiVersion}.${kind}`;

function structuredCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => structuredCopy(item));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, structuredCopy(member)]));
}
