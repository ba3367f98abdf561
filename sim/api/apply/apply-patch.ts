/**
 * Server-side apply: a configuration is merged into the object, fields that its manager applied before and left out
 * now are removed unless others own them, and conflicts with other owners refuse it unless forced.
 *
 * How the patch verb calls it: `live` is canonical in the version of the request (undefined if there is no object;
 * then the result is created), `applied` the decoded YAML, not yet typed. The returned `object` is typed but raw: decode
 * it, default it, write `managers` into its metadata, go on as in an update (or create), and before the no-op check
 * call `keepIdleTimes`. `object` is undefined when no value changes; then only the entries may have.
 */

import { readsAsTime } from '../time-format.ts';
import { ApiError, badRequest, plainError } from '../status.ts';
import { goQuote } from '../go-text.ts';
import type { Json, JsonObject, ObjectMeta } from '../object.ts';
import type { StructSchema } from '../schema.ts';
import type { Steps } from '../steps.ts';
import { appliedSetOf, schemaErrorsOf, schemaErrorText } from './applied-set.ts';
import { clientAppliedFields, withLastApplied } from './client-side-apply.ts';
import { FieldSet } from './field-set.ts';
import type { Manager, Managers } from './managers.ts';
import { managerId, readManagers } from './managers.ts';
import { emptyObjectOf, managersAfterUpdate } from './managed-update.ts';
import { mergeApplied, removeFields, withDeclaredMembers } from './merge.ts';
import type { Conflict, ResetFields, Versions } from './ownership.ts';
import {
  askForAllManagers,
  changeBy,
  ConversionError,
  transferOwnership,
  withoutServerFields,
} from './ownership.ts';
import { pathText } from './path-element.ts';
import { equalJson } from './shape.ts';

export interface ApplyPatch extends Versions {
  readonly live: JsonObject | undefined;
  /** Its schema may have changed since it was stored. */
  readonly mayNotFit?: boolean;
  /** Kind and API version of `live`; the configuration must be of the same. */
  readonly kind: string;
  readonly apiVersion: string;
  readonly applied: JsonObject;
  readonly manager: string;
  readonly subresource?: string | undefined;
  readonly force: boolean;
  /** RFC 3339, whole seconds. */
  readonly now: string;
  readonly resetFields?: ResetFields | undefined;
}

export interface Applied {
  /** Undefined: the object keeps its values. */
  readonly object: JsonObject | undefined;
  /** Not written yet. */
  readonly managers: Managers;
}

const BEFORE_FIRST_APPLY = 'before-first-apply';

/** Throws ApiError: 400 for a wrong type or entries in the body, 409 for conflicts, 500 for what does not fit the schema. */
export const applyPatchToObject = (patch: ApplyPatch): Steps<Applied> => {
  checkType(patch);
  const schema = patch.schemaOf(patch.apiVersion);
  if (schema === undefined) throw new TypeError(`no schema of ${patch.apiVersion}`);
  const live = patch.live ?? emptyObjectOf(schema);
  const managers = managersBefore(patch, live, schema);
  const errors = schemaErrorsOf(schema, patch.applied);
  if (errors.length > 0) {
    throw plainError(
      `failed to create typed patch object (${typedName(patch.applied)}): ${schemaErrorText(errors)}`,
    );
  }
  const misfits = patch.mayNotFit ? misfitsOf(schema, live) : [];
  if (misfits.length > 0)
    throw plainError(`failed to create typed live object (${typedName(live)}): ${schemaErrorText(misfits)}`);
  return () => mergeAndTransfer(patch, schema, live, managers);
};

/** Of what is stored: an element may be there twice, and a schema may have changed since. */
const misfitsOf = (schema: StructSchema, live: JsonObject): readonly string[] =>
  schemaErrorsOf(schema, live).filter((error) => !error.includes('duplicate entries'));

const checkType = ({ kind, apiVersion, applied }: ApplyPatch): void => {
  if (applied['kind'] !== kind || applied['apiVersion'] !== apiVersion) {
    throw badRequest(`invalid object type: ${groupVersionKindText(applied)}`);
  }
  const metadata = applied['metadata'] as JsonObject | null | undefined;
  if (isEntries(metadata?.['managedFields'])) throw badRequest('metadata.managedFields must be nil');
};

/** What is something else is told of where the configuration is typed; nulls are nothing at all. */
const isEntries = (value: Json | undefined): boolean => Array.isArray(value) && value.every(isEntry);

const ENTRY_TEXTS = ['manager', 'operation', 'apiVersion', 'fieldsType', 'subresource'];

const isEntry = (item: Json): boolean => {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false;
  const entry = item as JsonObject;
  return (
    ENTRY_TEXTS.every((name) => typeof (entry[name] ?? '') === 'string') && isTime(entry['time'] ?? null)
  );
};

const isTime = (value: Json): boolean => value === null || readsAsTime(value);

const textMember = (object: JsonObject | null | undefined, name: string): string => {
  const value = object?.[name];
  return typeof value === 'string' ? value : '';
};

/** `apps/v1, Kind=Deployment`; a core version has an empty group. */
const groupVersionKindText = (object: JsonObject): string => {
  const version = textMember(object, 'apiVersion');
  return `${version.includes('/') ? version : `/${version}`}, Kind=${textMember(object, 'kind')}`;
};

const typedName = (object: JsonObject): string => {
  const metadata = object['metadata'] as JsonObject | null | undefined;
  return `${textMember(metadata, 'namespace')}/${textMember(metadata, 'name')}; ${groupVersionKindText(object)}`;
};

/** An object that nobody tracks belongs to one manager when it is applied to for the first time. */
const managersBefore = (patch: ApplyPatch, live: JsonObject, schema: StructSchema): Managers => {
  const entries = (live['metadata'] as ObjectMeta | undefined)?.managedFields ?? [];
  const managers = readManagers(entries);
  if (managers === undefined) throw plainError('failed to decode managed fields');
  if (managers.size > 0 || patch.live === undefined) return managers;
  const errors = misfitsOf(schema, live);
  if (errors.length > 0)
    throw plainError(
      `failed to create manager for existing fields: failed to convert new object (${typedName(live)}) to smd typed: ${schemaErrorText(errors)}`,
    );
  const everything = { ...patch, live: emptyObjectOf(schema), updated: live, manager: BEFORE_FIRST_APPLY };
  return managersAfterUpdate(everything, managers);
};

const mergeAndTransfer = (
  patch: ApplyPatch,
  schema: StructSchema,
  live: JsonObject,
  managers: Managers,
): Steps<Applied> => {
  const { apiVersion, manager: name, subresource = '' } = patch;
  converting(undefined, () => askForAllManagers(patch, live, { apiVersion, managers }));
  const id = managerId({ name, operation: 'Apply', apiVersion, subresource });
  const previous = managers.get(id);
  const reset = patch.resetFields?.[apiVersion];
  const claimed = appliedSetOf(schema, patch.applied);
  const applier: Manager = {
    name,
    operation: 'Apply',
    apiVersion,
    subresource,
    time: previous?.time,
    fields: reset ? claimed.recursiveDifference(reset) : claimed,
  };
  const claiming = new Map(managers).set(id, applier);
  const merged = mergeApplied(schema, live, patch.applied);
  return () => {
    const after = prune(patch, merged as JsonObject, claiming, previous);
    return () => transferred(patch, schema, { live, after, applier, previous, claiming });
  };
};

interface Merged {
  readonly live: JsonObject;
  readonly after: JsonObject;
  readonly applier: Manager;
  readonly previous: Manager | undefined;
  readonly claiming: Managers;
}

const transferred = (
  patch: ApplyPatch,
  schema: StructSchema,
  { live, after, applier, previous, claiming }: Merged,
): Applied => {
  const { manager: name, now } = patch;
  const id = managerId(applier);
  const transfer = converting('failed to convert new object', () =>
    transferOwnership(changeBy(patch, live, after), claiming, id),
  );
  if (!patch.force && transfer.conflicts.length > 0)
    refuseConflicts(transfer.conflicts, clientAppliedFields(schema, name, live));
  const isChanged = after !== live && !equalJson(after, live);
  const owned = withoutServerFields(applier.fields);
  const left = new Map(transfer.managers);
  if (owned.isEmpty) left.delete(id);
  else
    left.set(
      id,
      writtenApplier({ ...applier, fields: owned, time: isChanged ? now : applier.time }, previous),
    );
  const object = withLastApplied(after, name, patch.applied);
  return { object: isChanged || object !== after ? object : undefined, managers: left };
};

/** What is applied may be of wrong types that only show when somebody else's version is asked for. */
const converting = <T>(step: string | undefined, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    throw plainError(step === undefined ? error.message : `${step}: ${error.message}`);
  }
};

const refuseConflicts = (conflicts: readonly Conflict[], allowed: FieldSet): void => {
  const refused = allowed.isEmpty ? conflicts : conflicts.filter(({ path }) => !allowed.has(path));
  if (refused.length > 0) throw applyConflict(refused);
};

/** The previous entry itself if nothing about it changed, so that its encoded form is kept. */
const writtenApplier = (applier: Manager, previous: Manager | undefined): Manager => {
  if (!previous?.fields.equals(applier.fields)) return applier;
  const isSame = previous.time === applier.time && previous.apiVersion === applier.apiVersion;
  return isSame ? previous : { ...applier, fields: previous.fields, entry: undefined };
};

/** Removes what the manager applied last time and did not apply now, except what anybody else owns. */
const prune = (
  patch: ApplyPatch,
  merged: JsonObject,
  managers: Managers,
  previous: Manager | undefined,
): JsonObject => {
  if (previous === undefined || previous.fields.isEmpty) return merged;
  const { apiVersion } = previous;
  const schema = patch.schemaOf(apiVersion);
  const current =
    schema &&
    converting('failed to prune fields: failed to convert merged object to last applied version', () =>
      versioned(patch, merged, patch.apiVersion, apiVersion),
    );
  if (!schema || !current) return merged;
  if (!patch.isAsked && isAppliedAgain(patch, managers, previous)) return merged;
  const last = withDeclaredMembers(schema, previous.fields);
  let pruned = fieldsRemoved(schema, current, last);
  pruned = addBackOwned(patch, { merged: current, pruned, apiVersion }, managers);
  const lost = membersOf(schema, current).difference(membersOf(schema, pruned)).intersection(last);
  return versioned(patch, fieldsRemoved(schema, current, lost), apiVersion, patch.apiVersion) ?? merged;
};

/** Most often the same fields are applied again where there is but one version, and nothing can have been dropped. */
const isAppliedAgain = ({ apiVersion }: ApplyPatch, managers: Managers, previous: Manager): boolean => {
  for (const manager of managers.values()) if (manager.apiVersion !== apiVersion) return false;
  const applier = managers.get(managerId(previous));
  return applier !== undefined && withoutServerFields(applier.fields).equals(previous.fields);
};

const fieldsRemoved = (schema: StructSchema, object: JsonObject, removed: FieldSet): JsonObject =>
  (removeFields(schema, object, removed) ?? {}) as JsonObject;

const membersOf = (schema: StructSchema, object: JsonObject): FieldSet =>
  withDeclaredMembers(schema, appliedSetOf(schema, object));

const versioned = (
  versions: Versions,
  object: JsonObject,
  from: string,
  to: string,
): JsonObject | undefined => (from === to ? object : versions.convert(object, to));

interface Pruning {
  readonly merged: JsonObject;
  readonly pruned: JsonObject;
  readonly apiVersion: string;
}

const ADD_BACK = 'failed to prune fields: failed add back owned items';

/** Puts back what some manager still owns: first in the version at hand, then in the others. */
const addBackOwned = (versions: Versions, start: Pruning, managers: Managers): JsonObject => {
  const owned = new Map<string, FieldSet>([[start.apiVersion, FieldSet.EMPTY]]);
  for (const { apiVersion, fields } of managers.values()) {
    owned.set(apiVersion, (owned.get(apiVersion) ?? FieldSet.EMPTY).union(fields));
  }
  let state = start;
  for (const [apiVersion, fields] of owned) {
    const schema = versions.schemaOf(apiVersion);
    const merged = converting(`${ADD_BACK}: failed to convert merged object at version ${apiVersion}`, () =>
      versioned(versions, state.merged, state.apiVersion, apiVersion),
    );
    const pruned = versioned(versions, state.pruned, state.apiVersion, apiVersion);
    if (!schema || !merged || !pruned || fields.isEmpty) continue;
    const kept = membersOf(schema, pruned).union(withDeclaredMembers(schema, fields));
    state = {
      merged,
      pruned: fieldsRemoved(schema, merged, membersOf(schema, merged).difference(kept)),
      apiVersion,
    };
  }
  return versioned(versions, state.pruned, state.apiVersion, start.apiVersion) ?? start.pruned;
};

/**
 * The 409 that lists who owns what, and for each the paths as the set has them: in the text sorted by manager, in the
 * causes those who apply before those who update. (A real server begins with any of them.)
 */
const applyConflict = (conflicts: readonly Conflict[]): ApiError => {
  const sorted = [...new Set(conflicts.map(({ manager }) => manager))].sort((a, b) =>
    managerId(a) < managerId(b) ? -1 : 1,
  );
  const listed = [
    ...sorted.filter(({ operation }) => operation === 'Apply'),
    ...sorted.filter(({ operation }) => operation !== 'Apply'),
  ];
  const [only] = conflicts;
  const text =
    conflicts.length === 1 && only
      ? `1 conflict: conflict with ${managerText(only.manager)}: ${pathText(only.path)}`
      : `${conflicts.length} conflicts: ${sorted.map((manager) => conflictLines(manager, conflicts)).join('\n')}`;
  const causes = listed.flatMap((manager) =>
    conflicts
      .filter((conflict) => conflict.manager === manager)
      .map(({ path }) => ({
        reason: 'FieldManagerConflict',
        message: `conflict with ${managerText(manager)}`,
        field: pathText(path),
      })),
  );
  return new ApiError({ reason: 'Conflict', message: `Apply failed with ${text}`, details: { causes } });
};

const conflictLines = (manager: Manager, conflicts: readonly Conflict[]): string => {
  const paths = conflicts
    .filter((conflict) => conflict.manager === manager)
    .map(({ path }) => `- ${pathText(path)}`);
  return [`conflicts with ${managerText(manager)}:`, ...paths].join('\n');
};

const managerText = ({ name, operation, apiVersion, subresource }: Manager): string => {
  const where = subresource ? `${goQuote(name)} with subresource ${goQuote(subresource)}` : goQuote(name);
  return operation === 'Update' ? `${where} using ${apiVersion}` : where;
};
