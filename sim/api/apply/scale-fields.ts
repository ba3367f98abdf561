/**
 * Managed fields of a `scale` subresource. A Scale is a view of a workload, so are its entries: whoever owns the
 * workload's replicas owns `spec.replicas` of the Scale, and what a write does to that goes back into the workload's
 * entries. Times do not follow: whoever owns the replicas after a write through the Scale has an entry for them alone,
 * without a time.
 *
 * How the verbs call it: give the Scale that is read from a workload `scaleEntriesOf(…)` as its managed fields, run
 * the update or apply on the Scale (API version `autoscaling/v1`, subresource `scale`), and store the workload with
 * `workloadEntriesOf(…)` of what came out.
 */

import type { ManagedFieldsEntry } from '../object.ts';
import { FieldSet } from './field-set.ts';
import type { Manager, ManagerId, Managers } from './managers.ts';
import { managerId, readManagers, writeManagers } from './managers.ts';
import type { PathElement } from './path-element.ts';

/** Where each API version of the workload keeps its replicas, such as `['f:spec', 'f:replicas']`. */
export type ReplicasPaths = Readonly<Record<string, readonly PathElement[]>>;

type Entries = readonly ManagedFieldsEntry[] | undefined;

const SCALE_VERSION = 'autoscaling/v1';
const REPLICAS: readonly PathElement[] = ['f:spec', 'f:replicas'];
const SCALE_FIELDS = FieldSet.ofPaths([REPLICAS]);
/** Begins the keys of what comes out of the Scale. */
const OF_SCALE = 'scale:';
const NO_MANAGERS: Managers = new Map();

const managersOf = (entries: Entries): Managers => readManagers(entries ?? []) ?? NO_MANAGERS;

const ownsReplicas = ({ apiVersion, fields }: Manager, paths: ReplicasPaths): boolean => {
  const path = paths[apiVersion];
  return path !== undefined && fields.has(path);
};

/** The entries of the Scale of a workload with these entries. */
export const scaleEntriesOf = (workloadEntries: Entries, paths: ReplicasPaths): Entries => {
  const views = new Map<ManagerId, Manager>();
  for (const manager of managersOf(workloadEntries).values()) {
    if (!ownsReplicas(manager, paths)) continue;
    const view = { ...manager, apiVersion: SCALE_VERSION, fields: SCALE_FIELDS, entry: undefined };
    views.set(managerId(view), view);
  }
  return writeManagers(views);
};

/** The entries of the workload after a write through its Scale left the Scale with `scaleEntries`. */
export const workloadEntriesOf = (
  workloadEntries: Entries,
  scaleEntries: Entries,
  apiVersion: string,
  paths: ReplicasPaths,
): Entries => {
  const views = new Map(managersOf(scaleEntries));
  const left = new Map<ManagerId, Manager>();
  for (const [id, manager] of managersOf(workloadEntries)) {
    const path = paths[manager.apiVersion];
    if (path === undefined) continue;
    // Only who applies has the same name in both versions.
    const keeps =
      !manager.fields.has(path) ||
      (manager.operation === 'Apply' && views.delete(managerId({ ...manager, apiVersion: SCALE_VERSION })));
    const fields = keeps ? manager.fields : manager.fields.difference(FieldSet.ofPaths([path]));
    if (!fields.isEmpty) left.set(id, keeps ? manager : { ...manager, fields, entry: undefined });
  }
  const path = paths[apiVersion];
  for (const view of path ? views.values() : []) {
    // What else of the Scale somebody owns, its status or no more than its spec, the workload has no place for.
    if (!view.fields.has(REPLICAS)) continue;
    const owner = {
      ...view,
      apiVersion,
      time: undefined,
      fields: FieldSet.ofPaths(path ? [path] : []),
      entry: undefined,
    };
    // A manager of the workload's other fields gets a second entry.
    left.set(`${OF_SCALE}${managerId(owner)}`, owner);
  }
  return writeManagers(left);
};
