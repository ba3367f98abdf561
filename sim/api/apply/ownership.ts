/**
 * What a write does to the ownership of fields: who loses what, and who stands in the way. One rule for updates
 * and for apply; objects of other versions are converted by the caller's function.
 */

import type { JsonObject } from '../object.ts';
import type { StructSchema } from '../schema.ts';
import type { Comparison } from './compare.ts';
import { compare } from './compare.ts';
import { FieldSet } from './field-set.ts';
import type { Manager, ManagerId, Managers } from './managers.ts';
import { NEVER_OWNED_MEMBERS, NEVER_OWNED_METADATA } from './never-owned.ts';
import { memberElement, type PathElement } from './path-element.ts';

/** The versions in which fields of one kind are named. */
export interface Versions {
  /** Schema of the kind in an API version, such as `apps/v1`; undefined where the kind does not exist. */
  readonly schemaOf: (apiVersion: string) => StructSchema | undefined;
  /** The object in another version, canonical; undefined: there is no such version. @throws ConversionError */
  readonly convert: (object: JsonObject, toApiVersion: string) => JsonObject | undefined;
  /** Of some kinds a version that does not exist is no version at all. @throws ConversionError */
  readonly checkVersion?: ((apiVersion: string) => void) | undefined;
  /** Somebody else converts, and is asked as often as by the real server. */
  readonly isAsked?: boolean | undefined;
}

/** Before anything else the real server looks whether schemas have changed, in the version of each manager. */
export const askForAllManagers = (
  { convert, checkVersion, isAsked }: Versions,
  live: JsonObject,
  { apiVersion, managers }: { readonly apiVersion: string; readonly managers: Managers },
): void => {
  for (const manager of managers.values()) {
    if (manager.apiVersion === apiVersion) continue;
    checkVersion?.(manager.apiVersion);
    if (isAsked) convert(live, manager.apiVersion);
  }
};

/** An untyped object has a member of a wrong type, or cannot be of a version; the message is the server's. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
}

export interface Change extends Versions {
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** API version of both. */
  readonly apiVersion: string;
  /** Paths per API version that a write here does not change, whatever it says. */
  readonly resetFields?: ResetFields | undefined;
}

/** What a request changes; member by member, as spreading it would cost more than comparing. */
export const changeBy = (
  { schemaOf, convert, apiVersion, resetFields }: Omit<Change, 'before' | 'after'>,
  before: JsonObject,
  after: JsonObject,
): Change => ({ schemaOf, convert, apiVersion, resetFields, before, after });

export type ResetFields = Readonly<Record<string, FieldSet>>;

export interface Conflict {
  readonly manager: Manager;
  readonly path: readonly PathElement[];
}

export interface Transfer {
  readonly managers: Managers;
  readonly comparison: Comparison;
  readonly conflicts: readonly Conflict[];
}

/** Members that no manager owns: what names an object and what the server itself keeps. */
const NEVER_OWNED = FieldSet.ofPaths([
  ...NEVER_OWNED_MEMBERS.map((name) => [memberElement(name)]),
  ['f:metadata'],
  ...NEVER_OWNED_METADATA.map((name) => ['f:metadata', memberElement(name)]),
]);

export const withoutServerFields = (fields: FieldSet): FieldSet => fields.difference(NEVER_OWNED);

const compareVersions = (change: Change, apiVersion: string): Comparison | undefined => {
  const schema = change.schemaOf(apiVersion);
  if (schema === undefined) return undefined;
  const isSame = apiVersion === change.apiVersion;
  const before = isSame ? change.before : change.convert(change.before, apiVersion);
  const after = isSame ? change.after : change.convert(change.after, apiVersion);
  if (before === undefined || after === undefined) return undefined;
  const found = compare(schema, before, after);
  const reset = change.resetFields?.[apiVersion];
  if (reset === undefined) return found;
  return {
    added: found.added.recursiveDifference(reset),
    removed: found.removed.recursiveDifference(reset),
    modified: found.modified.recursiveDifference(reset),
  };
};

/** What the change does, in its own version. */
const comparisonOf = (change: Change): Comparison => {
  const own = compareVersions(change, change.apiVersion);
  if (own === undefined) throw new TypeError(`no schema of ${change.apiVersion}`);
  return own;
};

/**
 * Takes from all managers but `writer` what the change removes, and what it adds or modifies; the latter are the
 * conflicts. Managers left with nothing, or of a version that is no more, are dropped.
 */
export const transferOwnership = (
  change: Change,
  managers: Managers,
  writer: ManagerId | undefined,
): Transfer => {
  const own = comparisonOf(change);
  const comparisons = new Map<string, Comparison | undefined>([[change.apiVersion, own]]);
  const left = new Map<ManagerId, Manager>();
  const conflicts: Conflict[] = [];
  let isSame = true;
  for (const [id, manager] of managers) {
    const { apiVersion, fields } = manager;
    let kept = fields;
    if (id !== writer) {
      if (!comparisons.has(apiVersion)) comparisons.set(apiVersion, compareVersions(change, apiVersion));
      const comparison = comparisons.get(apiVersion);
      const taken = comparison && fields.intersection(comparison.modified.union(comparison.added));
      if (taken && !taken.isEmpty) for (const path of taken.paths()) conflicts.push({ manager, path });
      kept = comparison && taken ? fields.difference(taken).difference(comparison.removed) : FieldSet.EMPTY;
    }
    if (kept !== fields || kept.isEmpty) isSame = false;
    if (!kept.isEmpty)
      left.set(id, kept === fields ? manager : { ...manager, fields: kept, entry: undefined });
  }
  return { managers: isSame ? managers : left, comparison: own, conflicts };
};
