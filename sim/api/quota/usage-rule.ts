/** How quotas count the objects of one resource. */
import type { ApiObject } from '../object.ts';
import type { ScopedResourceSelectorRequirement } from '../types/core-v1.ts';
import { type Amounts, counts } from './amounts.ts';

export interface GroupResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
}

export interface UsageRule {
  /** Updates may change what is used. */
  readonly countsUpdates: boolean;
  /** May the amounts of this resource be limited under that name? */
  tracks(name: string): boolean;
  usageOf(object: ApiObject, nowMs: number): Amounts;
  /** A change after which less may be counted. */
  frees?(object: ApiObject, old: ApiObject, nowMs: number): boolean;
  /** Why an object cannot be counted under the names that are limited: `must specify …`. */
  problemWith?(object: ApiObject, limited: readonly string[]): string | undefined;
  /** Absent: the resource is in no scope. */
  isInScope?(object: ApiObject, scope: ScopedResourceSelectorRequirement): boolean;
}

/** Kinds that had a name of their own before `count/…`. */
const NAMED: ReadonlySet<string> = new Set([
  'configmaps',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
]);

/** `count/deployments.apps` */
export const countNameOf = ({ group, resource }: GroupResource): string =>
  group === '' ? `count/${resource}` : `count/${resource}.${group}`;

/** Any kind: how many there are. */
export function objectCountRule(resource: GroupResource): UsageRule {
  const names = [countNameOf(resource)];
  if (resource.group === '' && NAMED.has(resource.resource)) names.push(resource.resource);
  const usage = counts(Object.fromEntries(names.map((name) => [name, 1])));
  return { countsUpdates: false, tracks: (name) => names.includes(name), usageOf: () => usage };
}
