/**
 * `metadata.managedFields` after a create, an update or a patch that is no apply. An update owns what it adds or
 * modifies; what it takes leaves the other entries, what it removes leaves all.
 *
 * How the verbs call it. All objects are canonical, in the version of the request, and defaulted:
 * - create: after decoding and defaulting, before admission; `live: undefined`. Of the entries in its body those stay
 *   that name what the object does not have.
 * - update and patch: after the new object is complete (decoded, defaulted), before the strategy's preparation and
 *   admission. `sentEntries` is `metadata.managedFields` as the body, or the patched object, has it: absent or null is
 *   undefined, an empty list is `[]`. Then validate the entries, and before the no-op check call `keepIdleTimes`.
 * - subresources: the same with `subresource`; their entries in the body are ignored.
 * Whatever is returned replaces `metadata.managedFields`; undefined removes it, and so does a ConversionError.
 */

import { canonical } from '../codec/canonical.ts';
import type { Json, JsonObject, ManagedFieldsEntry, ObjectMeta } from '../object.ts';
import type { StructSchema } from '../schema.ts';
import type { Steps } from '../steps.ts';
import { createdFieldsV1 } from './created-fields.ts';
import { FieldSet } from './field-set.ts';
import type { Manager, Managers } from './managers.ts';
import {
  capUpdaters,
  equalButForTimes,
  managerId,
  readManagers,
  writeEntry,
  writeManagers,
} from './managers.ts';
import type { ResetFields, Versions } from './ownership.ts';
import { askForAllManagers, changeBy, transferOwnership, withoutServerFields } from './ownership.ts';
import { plainEntries } from './plain-entries.ts';
import { ownedAfter } from './plain-update.ts';
import { equalJson } from './shape.ts';
import { hasUnnamedElements } from './unnamed-elements.ts';

export interface ManagedUpdate extends Versions {
  /** The object before; undefined when it is created. */
  readonly live: JsonObject | undefined;
  readonly updated: JsonObject;
  /** API version of both objects, in which the fields are named. */
  readonly apiVersion: string;
  /** Name of the field manager. */
  readonly manager: string;
  readonly subresource?: string | undefined;
  /** RFC 3339, whole seconds. */
  readonly now: string;
  readonly sentEntries?: readonly ManagedFieldsEntry[] | undefined;
  /** Members that the resource's strategy puts back, such as `status` of a main resource. */
  readonly resetFields?: ResetFields | undefined;
  /** No short ways: what those are compared with. */
  readonly isGeneral?: boolean;
}

const NO_MANAGERS: Managers = new Map();

export const managedFieldsOfUpdate = (
  update: ManagedUpdate,
): Steps<readonly ManagedFieldsEntry[] | undefined> => {
  const { live } = update;
  // Nobody can say who owns what has no name: the server forgets all it knew.
  if (hasUnnamedElements(schemaIn(update), update.updated)) return undefined;
  if (live === undefined) return () => entriesOfCreation(update);
  const entries = entriesOf(live);
  const isAsBefore = keepsEntries(update, entries);
  const plain = isAsBefore && !update.isGeneral ? entriesOfPlain(update, live, entries) : undefined;
  if (plain) return plain;
  const managers = isAsBefore ? (readManagers(entries) ?? NO_MANAGERS) : managersBefore(update);
  // An object that nobody tracks stays so until the first apply.
  if (managers.size === 0) return undefined;
  return () => {
    const after = managersAfterUpdate(update, managers);
    return after === managers && isWrittenAs(after, entries) ? entries : () => writeManagers(after);
  };
};

/** Whether the request leaves the entries to the server, or has sent them back as they are. */
const keepsEntries = (
  { sentEntries, subresource }: ManagedUpdate,
  entries: readonly ManagedFieldsEntry[],
): boolean =>
  !sentEntries ||
  (subresource !== undefined && subresource !== '') ||
  sentEntries === entries ||
  (entries.length > 0 && equalJson(jsonOf(sentEntries), jsonOf(entries)));

/** Entries are JSON through and through; their TypeScript type is just more precise. */
const jsonOf = (entries: readonly ManagedFieldsEntry[]): Json => entries as unknown as Json;

/** After an update of values that nobody else owns; undefined if there is more to it. */
const entriesOfPlain = (
  update: ManagedUpdate,
  live: JsonObject,
  entries: readonly ManagedFieldsEntry[],
): readonly ManagedFieldsEntry[] | undefined => {
  const { updated, apiVersion, resetFields } = update;
  const reset = resetFields?.[apiVersion] ?? FieldSet.EMPTY;
  return plainEntries(entries, update, ({ writer, others }) =>
    ownedAfter(schemaIn(update), live, updated, { writer, others, reset }),
  );
};

/** Whether the entries are these managers and no others. */
const isWrittenAs = (managers: Managers, entries: readonly ManagedFieldsEntry[]): boolean => {
  if (managers.size !== entries.length) return false;
  let at = 0;
  for (const { entry } of managers.values()) if (entry !== entries[at++]) return false;
  return true;
};

const entriesOfCreation = (update: ManagedUpdate): Steps<readonly ManagedFieldsEntry[] | undefined> => {
  const { updated, apiVersion, manager: name, subresource = '', now, resetFields } = update;
  const others = managersBefore(update);
  if (others.size > 0) return () => writeManagers(managersAfterUpdate(update, others));
  const schema = schemaIn(update);
  const fields = createdFieldsV1(schema, emptyObjectOf(schema), updated);
  const reset = resetFields?.[apiVersion];
  if (fields && reset && [...reset.children.keys()].some((element) => Object.hasOwn(fields, element))) {
    return () => {
      const managers = managersAfterUpdate(update, NO_MANAGERS);
      return () => writeManagers(managers);
    };
  }
  return fields && [writeEntry({ name, operation: 'Update', apiVersion, subresource, time: now }, fields)];
};

const schemaIn = ({ schemaOf, apiVersion }: ManagedUpdate): StructSchema => {
  const schema = schemaOf(apiVersion);
  if (schema === undefined) throw new TypeError(`no schema of ${apiVersion}`);
  return schema;
};

const entriesOf = (object: JsonObject | undefined): readonly ManagedFieldsEntry[] =>
  (object?.['metadata'] as ObjectMeta | undefined)?.managedFields ?? [];

/** Of an update that has something to say about the entries, if that can be read. */
const managersBefore = ({ live, sentEntries }: ManagedUpdate): Managers => {
  if (sentEntries && isReset(sentEntries)) return NO_MANAGERS;
  return (sentEntries && readManagers(sentEntries)) ?? readManagers(entriesOf(live)) ?? NO_MANAGERS;
};

/** `[{}]` clears the list, as `[]` does. */
const isReset = ([first, second]: readonly ManagedFieldsEntry[]): boolean =>
  first !== undefined && second === undefined && Object.keys(first).length === 0;

const EMPTY_OBJECTS = new WeakMap<StructSchema, JsonObject>();

/** An object of the kind with nothing in it, as a new object is compared with. */
export const emptyObjectOf = (schema: StructSchema): JsonObject => {
  let empty = EMPTY_OBJECTS.get(schema);
  if (empty === undefined) {
    empty = frozen(canonical(schema, {}));
    EMPTY_OBJECTS.set(schema, empty);
  }
  return empty;
};

/** As a new object is compared: of its kind already. */
const newObjectFor = (update: ManagedUpdate): JsonObject => {
  const { kind = null, apiVersion = null } = update.updated;
  return { ...emptyObjectOf(schemaIn(update)), kind, apiVersion };
};

/** Results may share parts of it. */
const frozen = <T extends Json>(value: T): T => {
  if (typeof value !== 'object' || value === null) return value;
  Object.values(value).forEach((member) => frozen(member as Json));
  return Object.freeze(value);
};

/** The managers after an update by `update.manager`. @throws ConversionError */
export const managersAfterUpdate = (update: ManagedUpdate, managers: Managers): Managers => {
  const { live, updated, apiVersion, manager: name, subresource = '', now } = update;
  const before = live ?? newObjectFor(update);
  askForAllManagers(update, before, { apiVersion, managers });
  const change = changeBy(update, before, updated);
  const { managers: left, comparison } = transferOwnership(change, managers, undefined);
  const owned = withoutServerFields(comparison.modified.union(comparison.added));
  if (owned.isEmpty) return capUpdaters(left);
  const writer: Manager = { name, operation: 'Update', apiVersion, subresource, time: now, fields: owned };
  const id = managerId(writer);
  const fields = owned.union(left.get(id)?.fields ?? FieldSet.EMPTY);
  return capUpdaters(new Map(left).set(id, { ...writer, fields }));
};

/**
 * The object with the live entries if only their times differ and nothing else does: what a write that changes
 * nothing must store. Objects are canonical and of one version.
 */
export const keepIdleTimes = (live: JsonObject, updated: JsonObject): JsonObject => {
  const [before, after] = [entriesOf(live), entriesOf(updated)];
  if (before === after || before.length === 0) return updated;
  // What is cheap to compare, and differs as a rule, comes first.
  for (const name in live) if (name !== 'metadata' && !equalJson(live[name], updated[name])) return updated;
  if (!equalButForTimes(before, after)) return updated;
  const metadata: JsonObject = {
    ...(updated['metadata'] as JsonObject),
    managedFields: jsonOf(before),
  };
  const idle = { ...updated, metadata };
  return equalJson(live, idle) ? live : updated;
};
