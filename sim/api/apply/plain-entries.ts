/**
 * The entries after the usual update, of values that nobody but the writer owns (a heartbeat, a status): those from
 * before, but for the writer's own. Found without a set of managers. What is not so plain is left to `managed-update.ts`,
 * which gives the same entries: a test holds the two together.
 */
import type { ManagedFieldsEntry } from '../object.ts';
import { FieldSet } from './field-set.ts';
import type { Manager } from './managers.ts';
import { compareManagers, MAX_UPDATERS, readManager, renewedEntry } from './managers.ts';
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
  const { apiVersion, now } = writer;
  const managers: Manager[] = [];
  const others: FieldSet[] = [];
  let at = -1;
  let updaters = 0;
  for (const entry of entries) {
    const manager = readManager(entry);
    if (!manager || manager.apiVersion !== apiVersion || manager.fields.isEmpty) return undefined;
    if (manager.operation === 'Update') updaters++;
    if (isEntryOf(manager, writer)) at = managers.length;
    else others.push(manager.fields);
    managers.push(manager);
  }
  const own = managers[at] ?? newcomer(writer);
  if (managers.length === 0 || managers.length !== others.length + (at < 0 ? 0 : 1)) return undefined;
  if (updaters + (at < 0 ? 1 : 0) > MAX_UPDATERS) return undefined;
  const owned = ownedAfter({ writer: own.fields, others });
  if (!owned) return undefined;
  const { fields, hasSet } = owned;
  if (fields === own.fields && (!hasSet || own.time === now)) return entries;
  if (fields.isEmpty) return undefined;
  managers[at < 0 ? managers.length : at] = changedManager(own, fields, hasSet ? now : own.time);
  if (managers.length > 1) managers.sort(compareManagers);
  return managers.map(({ entry }) => entry as ManagedFieldsEntry);
};

/** Who owns nothing yet. */
const newcomer = ({ manager, apiVersion, subresource = '' }: Writer): Manager => ({
  name: manager,
  operation: 'Update',
  apiVersion,
  subresource,
  time: undefined,
  fields: FieldSet.EMPTY,
});

const changedManager = (own: Manager, fields: FieldSet, time: string | undefined): Manager =>
  renewedEntry(fields === own.fields ? own : { ...own, fields }, time);

const isEntryOf = (
  { operation, name, subresource }: Manager,
  { manager, subresource: written = '' }: Writer,
): boolean => operation === 'Update' && name === manager && subresource === written;
