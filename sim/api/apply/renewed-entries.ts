/**
 * The entries after the usual update, of values that the writer alone owns already (a heartbeat): those from before,
 * with another time in the writer's own. Found without a set of managers. What is not so plain is left to
 * `managed-update.ts`, which gives the same entries: a test holds the two together.
 */
import type { ManagedFieldsEntry } from '../object.ts';
import type { FieldSet } from './field-set.ts';
import { MORE } from './renewal.ts';
import type { Manager } from './managers.ts';
import { compareManagers, MAX_UPDATERS, readManager, renewedEntry } from './managers.ts';

/** Whose update it is, and when. */
export interface Writer {
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
  /** RFC 3339, whole seconds. */
  readonly now: string;
}

/**
 * @param renewedValues how many values of these owners' writer the update changes, or `MORE`
 * @returns the same list if it stays as it is; undefined if there is more to the update
 */
export const renewedEntries = (
  entries: readonly ManagedFieldsEntry[],
  writer: Writer,
  renewedValues: (owners: { readonly writer: FieldSet; readonly others: readonly FieldSet[] }) => number,
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
  const own = managers[at];
  if (!own || managers.length !== others.length + 1 || updaters > MAX_UPDATERS) return undefined;
  const count = renewedValues({ writer: own.fields, others });
  if (count === MORE) return undefined;
  if (count === 0 || own.time === now) return entries;
  managers[at] = renewedEntry(own, now);
  if (managers.length > 1) managers.sort(compareManagers);
  return managers.map(({ entry }) => entry as ManagedFieldsEntry);
};

const isEntryOf = (
  { operation, name, subresource }: Manager,
  { manager, subresource: written = '' }: Writer,
): boolean => operation === 'Update' && name === manager && subresource === written;
