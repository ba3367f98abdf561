/**
 * The managers of an object: `metadata.managedFields` read, changed and written back. A manager is told apart by
 * name, operation, subresource and, for updates, API version. Specification: "Server-side apply".
 */

import { compareStrings } from '../go-text.ts';
import type { JsonObject, ManagedFieldsEntry } from '../object.ts';
import { FieldSet } from './field-set.ts';
import { fieldsV1Of, readFieldsV1 } from './fields-v1.ts';

export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  /** RFC 3339, whole seconds; absent until the manager changes a value. */
  readonly time: string | undefined;
  readonly fields: FieldSet;
  /** The entry that this manager was read from, or undefined if it changed since. */
  readonly entry?: ManagedFieldsEntry | undefined;
}

export type ManagerId = string;

/** Managers by id; no two of one id. */
export type Managers = ReadonlyMap<ManagerId, Manager>;

/** Text in which managers of equal times are ordered when the oldest are merged. */
export const managerId = ({
  name,
  operation,
  apiVersion,
  subresource,
}: Pick<Manager, 'name' | 'operation' | 'apiVersion' | 'subresource'>): ManagerId => {
  // An applier has one entry, whatever the version that it applies in.
  const version = operation === 'Apply' ? '' : apiVersion;
  return `${name && `"manager":${JSON.stringify(name)},`}"operation":"${operation}"${version && `,"apiVersion":${JSON.stringify(version)}`}${subresource && `,"subresource":${JSON.stringify(subresource)}`}`;
};

/** Managers of stored or sent entries; undefined if one of them cannot be read. */
export const readManagers = (entries: readonly ManagedFieldsEntry[]): Managers | undefined => {
  const managers = new Map<ManagerId, Manager>();
  for (const entry of entries) {
    const manager = readManager(entry);
    if (manager === undefined) return undefined;
    managers.set(managerId(manager), manager);
  }
  return managers;
};

/**
 * An entry that remembers which manager it stands for: reading it again costs nothing. In JSON it is an entry like
 * any other. Entries are never changed, whoever holds them.
 */
class OwnEntry implements ManagedFieldsEntry {
  declare readonly manager?: string;
  declare readonly operation: 'Apply' | 'Update';
  declare readonly apiVersion: string;
  declare readonly time?: string;
  declare readonly fieldsType: 'FieldsV1';
  declare readonly fieldsV1: JsonObject;
  declare readonly subresource?: string;
  #source: Manager | undefined;

  constructor(
    { name, operation, apiVersion, subresource }: Omit<Manager, 'time' | 'fields' | 'entry'>,
    time: string | undefined,
    fieldsV1: JsonObject,
    source: Manager | undefined,
  ) {
    if (name) this.manager = name;
    this.operation = operation;
    this.apiVersion = apiVersion;
    if (time !== undefined) this.time = time;
    this.fieldsType = 'FieldsV1';
    this.fieldsV1 = fieldsV1;
    if (subresource) this.subresource = subresource;
    this.#source = source;
  }

  static read(entry: ManagedFieldsEntry): Manager | undefined {
    if (!(#source in entry)) return decodeManager(entry);
    if (entry.#source) {
      // So that it is written back as this very entry.
      if (entry.#source.entry !== entry) entry.#source = { ...entry.#source, entry };
      return entry.#source;
    }
    const source = decodeManager(entry);
    // An own entry is written as its set would be: nobody need write it again.
    if (source && source.fields.children.size > 0) source.fields.encoded ??= entry.fieldsV1;
    entry.#source = source;
    return source;
  }

  static at(entry: ManagedFieldsEntry, time: string): ManagedFieldsEntry | undefined {
    if (!(#source in entry)) return undefined;
    const { manager: name = '', operation, apiVersion, subresource = '', fieldsV1 } = entry;
    return new OwnEntry({ name, operation, apiVersion, subresource }, time, fieldsV1, undefined);
  }

  static isOne(value: object): boolean {
    return #source in value;
  }
}

/** Whether it is an entry that this server wrote: such entries are shared, and nobody changes them. */
export const isOwnEntry = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && OwnEntry.isOne(value);

/** The same entry at another time; undefined if it is not one that this server wrote. */
export const entryAt = (entry: ManagedFieldsEntry, time: string): ManagedFieldsEntry | undefined =>
  OwnEntry.at(entry, time);

/** The manager that an entry stands for; undefined if it cannot be read. */
export const readManager = (entry: ManagedFieldsEntry): Manager | undefined => OwnEntry.read(entry);

const decodeManager = (entry: ManagedFieldsEntry): Manager | undefined => {
  const { manager: name = '', operation, apiVersion, subresource = '', time, fieldsType, fieldsV1 } = entry;
  if ((operation !== 'Apply' && operation !== 'Update') || !apiVersion || fieldsType !== 'FieldsV1')
    return undefined;
  const read = readFieldsV1(fieldsV1);
  const manager = { name, operation, apiVersion, subresource, time };
  return read && { ...manager, fields: read.set, ...(read.isCanonical && { entry }) };
};

/** Entries as the server orders them; a manager that did not change gives the same entry again. */
export const writeManagers = (managers: Managers): readonly ManagedFieldsEntry[] | undefined => {
  if (managers.size === 0) return undefined;
  const sorted = [...managers.values()];
  if (sorted.length > 1) sorted.sort(compareManagers);
  return sorted.map(
    (manager) => manager.entry ?? new OwnEntry(manager, manager.time, fieldsV1Of(manager.fields), manager),
  );
};

/** The entry of a manager whose fields are at hand in encoded form only. */
export const writeEntry = (
  manager: Omit<Manager, 'fields' | 'entry'>,
  fieldsV1: JsonObject,
): ManagedFieldsEntry => new OwnEntry(manager, manager.time, fieldsV1, undefined);

/** The manager with other fields and another time, and with the entry that says so. */
export const renewedManager = (manager: Manager, fields: FieldSet, time: string | undefined): Manager => {
  const renewed: { -readonly [Member in keyof Manager]: Manager[Member] } = { ...manager, fields, time };
  renewed.entry = new OwnEntry(manager, time, fieldsV1Of(fields), renewed);
  return renewed;
};

/** Order of entries. */
export const compareManagers = (a: Manager, b: Manager): number =>
  compareStrings(a.operation, b.operation) ||
  compareStrings(a.time ?? '', b.time ?? '') ||
  compareStrings(a.name, b.name) ||
  compareStrings(a.apiVersion, b.apiVersion) ||
  compareStrings(a.subresource, b.subresource);

/** Entries of updates beyond this number are merged, oldest first. */
export const MAX_UPDATERS = 10;
const OLD_UPDATES = 'ancient-changes';

/** Merges the oldest updates, version by version, until no more than ten are left. */
export const capUpdaters = (managers: Managers): Managers => {
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update');
  let surplus = updaters.length - MAX_UPDATERS;
  if (surplus <= 0) return managers;
  updaters.sort(
    ([a, { time: at = '' }], [b, { time: bt = '' }]) => compareStrings(at, bt) || compareStrings(a, b),
  );
  const capped = new Map(managers);
  const firstOfVersion = new Map<string, ManagerId>();
  for (const [id, updater] of updaters) {
    if (surplus <= 0) break;
    const first = firstOfVersion.get(updater.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(updater.apiVersion, id);
      continue;
    }
    const bucket: Manager = { ...updater, name: OLD_UPDATES, subresource: '', entry: undefined };
    const bucketId = managerId(bucket);
    // The first of a version becomes the bucket when a second one is merged into it.
    const merged = capped.get(bucketId) ?? capped.get(first);
    if (!capped.has(bucketId)) capped.delete(first);
    capped.delete(id);
    capped.set(bucketId, { ...bucket, fields: updater.fields.union(merged?.fields ?? FieldSet.EMPTY) });
    surplus--;
  }
  return capped;
};

/** Whether two lists of entries say the same, apart from times. */
export const equalButForTimes = (
  left: readonly ManagedFieldsEntry[] | undefined,
  right: readonly ManagedFieldsEntry[] | undefined,
): boolean => {
  if (left === right) return true;
  // Of two entries for one manager the first is lost when they are read: that is a change, too.
  if ((left?.length ?? 0) !== (right?.length ?? 0)) return false;
  const [ours, theirs] = [readManagers(left ?? []), readManagers(right ?? [])];
  if (ours === undefined || theirs === undefined || ours.size !== theirs.size) return false;
  for (const [id, manager] of ours) {
    const other = theirs.get(id);
    if (!other || other.apiVersion !== manager.apiVersion || !other.fields.equals(manager.fields))
      return false;
  }
  return true;
};
