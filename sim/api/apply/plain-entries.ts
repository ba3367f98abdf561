/**
 * The entries after the usual update, of values that nobody but the writer owns (a heartbeat, a status): those from
 * before, but for the writer's own. Found without a set of managers. What is not so plain is left to `managed-update.ts`,
 * which gives the same entries: a test holds the two together.
 */
import type { ManagedFieldsEntry } from '../object.ts';
import { FieldSet } from './field-set.ts';
import type { Manager } from './managers.ts';
import { compareManagers, MAX_UPDATERS, readManager, renewedManager } from './managers.ts';
import type { Owned, Owners } from './plain-update.ts';

/** Whose update it is, and when. */
export interface Writer {
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
  /** RFC 3339, whole seconds. */
  readonly now: string;
}

/**
 * @param ownedAfter what these owners' writer owns after the update; undefined if there is more to it
 * @returns the same list if it stays as it is; undefined if there is more to the update
 */
export const plainEntries = (
  entries: readonly ManagedFieldsEntry[],
  writer: Writer,
  ownedAfter: (owners: Omit<Owners, 'reset'>) => Owned | undefined,
): readonly ManagedFieldsEntry[] | undefined => {
  const read = readFor(writer, entries);
  if (!read) return undefined;
  const { managers, at } = read;
  const own = managers[at] ?? newcomer(writer);
  const owned = ownedAfter({
    writer: own.fields,
    others: managers.flatMap(({ fields }, index) => (index === at ? [] : [fields])),
  });
  if (!owned) return undefined;
  const { fields, hasSet } = owned;
  const time = hasSet ? writer.now : own.time;
  if (fields === own.fields && own.time === time) return entries;
  if (fields.isEmpty) return undefined;
  const after = managers.toSpliced(at, 1, renewedManager(own, fields, time));
  if (after.length > 1) after.sort(compareManagers);
  return after.map(({ entry }) => entry as ManagedFieldsEntry);
};

interface Read {
  readonly managers: readonly Manager[];
  /** Where the writer's own is, or is to be. */
  readonly at: number;
}

/** Undefined unless all can be read, are of the version of the writer, own something, and are named once. */
function readFor(writer: Writer, entries: readonly ManagedFieldsEntry[]): Read | undefined {
  const managers: Manager[] = [];
  let at: number | undefined;
  let updaters = 0;
  for (const entry of entries) {
    const manager = readManager(entry);
    if (!manager?.entry || manager.apiVersion !== writer.apiVersion || manager.fields.isEmpty)
      return undefined;
    if (manager.operation === 'Update') updaters++;
    if (isAmong(managers, manager)) return undefined;
    if (isEntryOf(manager, writer)) at = managers.length;
    managers.push(manager);
  }
  // Nobody tracks the object; or there are so many that the oldest are to be merged.
  if (managers.length === 0 || updaters + (at === undefined ? 1 : 0) > MAX_UPDATERS) return undefined;
  return { managers, at: at ?? managers.length };
}

/** A write through a Scale may leave two entries for one manager. */
function isAmong(managers: readonly Manager[], { operation, name, subresource }: Manager): boolean {
  for (const known of managers)
    if (known.name === name && known.operation === operation && known.subresource === subresource)
      return true;
  return false;
}

/** Who owns nothing yet. */
const newcomer = ({ manager, apiVersion, subresource = '' }: Writer): Manager => ({
  name: manager,
  operation: 'Update',
  apiVersion,
  subresource,
  time: undefined,
  fields: FieldSet.EMPTY,
});

const isEntryOf = (
  { operation, name, subresource }: Manager,
  { manager, subresource: written = '' }: Writer,
): boolean => operation === 'Update' && name === manager && subresource === written;
