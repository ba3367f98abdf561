/**
 * Rules of `metadata`, on create and on update. Specification: "Common object metadata".
 *
 * How the verbs use them (each line is one list of findings, in this order):
 * - create: the kind's own validation, which for built-in kinds starts with
 *   `validateObjectMeta(meta, {…, checksFinalizerNames: true}, …)`; only if that finds nothing,
 *   `validateObjectMeta(meta, {isNamespaced, nameCheck: pathSegmentName}, …)`.
 * - update: `validateObjectMeta(… pathSegmentName)`, then `validateObjectMetaUpdate`, then the kind's own
 *   update validation, all in one 422. Built-in kinds call `validateObjectMetaUpdate(…, {checksFinalizerNames: true})`
 *   again, and most of them `validateObjectMeta` too. So an immutable field that changes is listed twice among
 *   the causes and a bad label up to four times; the message shows each once. That is the real server's answer.
 */

import { append } from '../append.ts';
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from '../object.ts';
import type { FieldError } from '../status.ts';
import { compareStrings, goLength, goStringSlice, goStruct, GoSyntax, isPrintable } from '../go-text.ts';
import type { BadValue } from './field-error.ts';
import { forbidden, invalid, required, tooLong } from './field-error.ts';
import { FieldPath } from './field-path.ts';
import { validateAnnotations, validateLabels } from './labels.ts';
import type { NameCheck } from './names.ts';
import { nameIsDnsLabel, qualifiedName } from './names.ts';

const NONE: readonly FieldError[] = [];

export interface ObjectMetaRules {
  readonly isNamespaced: boolean;
  readonly nameCheck: NameCheck;
  /** Built-in kinds: a finalizer without a slash must be one of the known ones. */
  readonly checksFinalizerNames?: boolean;
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** Rules that hold for the metadata of a stored object, whatever the verb. */
export const validateObjectMeta = (
  meta: ObjectMeta,
  rules: ObjectMetaRules,
  path: FieldPath,
): readonly FieldError[] => {
  const errors: FieldError[] = [];
  validateName(meta, rules.nameCheck, path, errors);
  validateNamespace(meta.namespace ?? '', rules.isNamespaced, path, errors);
  const { generation = 0 } = meta;
  if (generation < 0)
    errors.push(invalid(path.child('generation'), generation, 'must be greater than or equal to 0'));
  if (meta.labels) append(errors, validateLabels(meta.labels, path.child('labels')));
  if (meta.annotations) append(errors, validateAnnotations(meta.annotations, path.child('annotations')));
  if (meta.ownerReferences)
    append(errors, validateOwnerReferences(meta.ownerReferences, path.child('ownerReferences')));
  if (meta.finalizers) append(errors, validateFinalizers(meta.finalizers, path.child('finalizers')));
  if (meta.managedFields)
    append(errors, validateManagedFields(meta.managedFields, path.child('managedFields')));
  if (rules.checksFinalizerNames) append(errors, validateFinalizerNames(meta, path));
  return errors;
};

/** The part of `validateObjectMeta` that depends on the check of names. */
export const validateObjectName = (
  meta: ObjectMeta,
  check: NameCheck,
  path: FieldPath,
): readonly FieldError[] => {
  const errors: FieldError[] = [];
  validateName(meta, check, path, errors);
  return errors;
};

const validateName = (meta: ObjectMeta, check: NameCheck, path: FieldPath, errors: FieldError[]): void => {
  const { name, generateName } = meta;
  if (generateName) {
    for (const finding of check(generateName, true))
      errors.push(invalid(path.child('generateName'), generateName, finding));
  }
  if (!name) {
    errors.push(required(path.child('name'), 'name or generateName is required'));
    return;
  }
  for (const finding of check(name)) errors.push(invalid(path.child('name'), name, finding));
};

const validateNamespace = (
  namespace: string,
  isNamespaced: boolean,
  path: FieldPath,
  errors: FieldError[],
): void => {
  if (!isNamespaced) {
    if (namespace) errors.push(forbidden(path.child('namespace'), 'not allowed on this type'));
    return;
  }
  if (!namespace) errors.push(required(path.child('namespace')));
  else
    for (const finding of nameIsDnsLabel(namespace))
      errors.push(invalid(path.child('namespace'), namespace, finding));
};

/**
 * What an update may not do. `updated` is the new metadata after the server put back what updates never
 * change (creationTimestamp, and on a terminating object deletionTimestamp and an absent grace period) and
 * filled an absent uid and, for unconditional updates, the resource version.
 */
export const validateObjectMetaUpdate = (
  updated: ObjectMeta,
  old: ObjectMeta,
  path: FieldPath,
  rules: { readonly checksFinalizerNames?: boolean } = {},
): readonly FieldError[] => {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp) append(errors, validateNoNewFinalizers(updated, old, path.child('finalizers')));
  if (!updated.resourceVersion)
    errors.push(invalid(path.child('resourceVersion'), '', 'must be specified for an update'));
  const { generation = 0 } = updated;
  if (generation < (old.generation ?? 0))
    errors.push(invalid(path.child('generation'), generation, 'must not be decremented'));
  for (const member of IMMUTABLE_MEMBERS) {
    const value = updated[member] ?? undefined;
    if (value === (old[member] ?? undefined) || (value ?? '') === (old[member] ?? '')) continue;
    errors.push(invalid(path.child(member), immutableText(member, value), 'field is immutable'));
  }
  if (updated.labels) append(errors, validateLabels(updated.labels, path.child('labels')));
  if (updated.annotations)
    append(errors, validateAnnotations(updated.annotations, path.child('annotations')));
  if (updated.ownerReferences)
    append(errors, validateOwnerReferences(updated.ownerReferences, path.child('ownerReferences')));
  if (updated.managedFields)
    append(errors, validateManagedFields(updated.managedFields, path.child('managedFields')));
  if (rules.checksFinalizerNames) append(errors, validateFinalizerNames(updated, path));
  return errors;
};

/**
 * Whether the rules above have the same to say of an update's metadata as of the old: nothing that they look at is
 * another, but for entries of managed fields that are in order and a generation that has risen.
 */
export const isCheckedAs = (updated: ObjectMeta, old: ObjectMeta): boolean => {
  const [after, before] = [updated as Members, old as Members];
  for (const name in after) if (after[name] !== before[name] && !FREE_MEMBERS.has(name)) return false;
  for (const name in before)
    if (before[name] !== undefined && after[name] === undefined && !FREE_MEMBERS.has(name)) return false;
  return (
    (updated.generation ?? 0) >= (old.generation ?? 0) &&
    (updated.managedFields === old.managedFields ||
      validateManagedFields(updated.managedFields ?? [], FieldPath.of('metadata')).length === 0)
  );
};

type Members = Readonly<Record<string, unknown>>;

const FREE_MEMBERS: ReadonlySet<string> = new Set(['managedFields', 'generation']);

const IMMUTABLE_MEMBERS = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

/** Times are shown as Go prints them, absent texts as empty, absent times and numbers as null. */
const immutableText = (
  member: (typeof IMMUTABLE_MEMBERS)[number],
  value: string | number | null | undefined,
): BadValue => {
  switch (member) {
    case 'creationTimestamp':
    case 'deletionTimestamp':
      return value
        ? new GoSyntax(goTimeText(String(value)), JSON.stringify(String(value).replace(/\.[0-9]+Z$/, 'Z')))
        : member === 'creationTimestamp'
          ? new GoSyntax(GO_ZERO_TIME, 'null')
          : null;
    case 'deletionGracePeriodSeconds':
      return value;
    default:
      return value ?? '';
  }
};

export const GO_ZERO_TIME = '0001-01-01 00:00:00 +0000 UTC';

/** A time as Go prints it: fractions of a second without zeros at their end. */
export const goTimeText = (rfc3339: string): string =>
  rfc3339
    .replace('T', ' ')
    .replace(/(\.[0-9]*?)0*Z$/, (_, fraction: string) => `${fraction === '.' ? '' : fraction}Z`)
    .replace(/Z$/, ' +0000 UTC');

const validateNoNewFinalizers = (
  updated: ObjectMeta,
  old: ObjectMeta,
  path: FieldPath,
): readonly FieldError[] => {
  const had = new Set(old.finalizers);
  const added = new Set((updated.finalizers ?? []).filter((finalizer) => !had.has(finalizer)));
  if (added.size === 0) return NONE;
  const list = goStringSlice([...added].sort(compareStrings)).text;
  return [
    forbidden(
      path,
      `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`,
    ),
  ];
};

/** A finalizer is a qualified name; orphan and foregroundDeletion exclude each other. */
export const validateFinalizers = (finalizers: readonly string[], path: FieldPath): readonly FieldError[] => {
  const errors = finalizers.flatMap((finalizer) =>
    qualifiedName(finalizer).map((finding) => invalid(path, finalizer, finding)),
  );
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(
      invalid(path, goStringSlice(finalizers), 'finalizer orphan and foregroundDeletion cannot be both set'),
    );
  }
  return errors;
};

/** The further rule of built-in kinds, also for `spec.finalizers` of a Namespace. */
export const validateFinalizerName = (finalizer: string, path: FieldPath): readonly FieldError[] =>
  finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer)
    ? NONE
    : [invalid(path, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')];

const NO_FINALIZERS: readonly string[] = [];

/** What `checksFinalizerNames` adds. */
export const validateFinalizerNames = (meta: ObjectMeta, path: FieldPath): readonly FieldError[] =>
  (meta.finalizers ?? NO_FINALIZERS).flatMap((finalizer, at) =>
    validateFinalizerName(finalizer, path.child('finalizers').index(at)),
  );

export const validateOwnerReferences = (
  owners: readonly OwnerReference[],
  path: FieldPath,
): readonly FieldError[] => {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const owner of owners) {
    append(errors, validateOwnerReference(owner, path));
    if (!owner.controller) continue;
    const text = `${owner.kind}/${owner.name}`;
    if (controller === undefined) controller = text;
    else errors.push(invalid(path, goOwnerReferences(owners), secondController(controller, text)));
  }
  return errors;
};

const secondController = (first: string, second: string): string =>
  `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`;

const validateOwnerReference = (owner: OwnerReference, path: FieldPath): readonly FieldError[] => {
  const { group, version } = groupVersionOf(owner.apiVersion ?? '');
  const errors: FieldError[] = [];
  if (!version)
    errors.push(invalid(path.child('apiVersion'), owner.apiVersion ?? '', 'version must not be empty'));
  for (const member of ['kind', 'name', 'uid'] as const) {
    if (!owner[member]) errors.push(invalid(path.child(member), '', `${member} must not be empty`));
  }
  if (group === '' && version === 'v1' && owner.kind === 'Event') {
    errors.push(invalid(path, goOwnerReference(owner), '/v1, Kind=Event is disallowed from being an owner'));
  }
  return errors;
};

/** `v1`, `/v1` and `apps/v1` have a version; text with more slashes has none. */
const groupVersionOf = (apiVersion: string): { readonly group: string; readonly version: string } => {
  const parts = apiVersion.split('/');
  if (parts.length > 2) return { group: '', version: '' };
  return parts.length === 1
    ? { group: '', version: apiVersion }
    : { group: parts[0] ?? '', version: parts[1] ?? '' };
};

// Go prints where a pointer points to; no client can rely on which address that is.
const goBooleanPointer = (value: boolean | undefined): GoSyntax =>
  new GoSyntax(value === undefined ? '(*bool)(nil)' : '(*bool)(0xc000000000)');

const goOwnerReference = (owner: OwnerReference): GoSyntax =>
  new GoSyntax(goOwnerStruct(owner).text, () => ownerReferenceJson(owner));

const goOwnerStruct = (owner: OwnerReference): GoSyntax =>
  goStruct('v1.OwnerReference', [
    ['APIVersion', owner.apiVersion ?? ''],
    ['Kind', owner.kind ?? ''],
    ['Name', owner.name ?? ''],
    ['UID', owner.uid ?? ''],
    ['Controller', goBooleanPointer(owner.controller)],
    ['BlockOwnerDeletion', goBooleanPointer(owner.blockOwnerDeletion)],
  ]);

const goOwnerReferences = (owners: readonly OwnerReference[]): GoSyntax =>
  new GoSyntax(
    `[]v1.OwnerReference{${owners.map((owner) => goOwnerReference(owner).text).join(', ')}}`,
    () => `[${owners.map(ownerReferenceJson).join(',')}]`,
  );

const ownerReferenceJson = ({
  apiVersion = '',
  kind = '',
  name = '',
  uid = '',
  controller,
  blockOwnerDeletion,
}: OwnerReference): string => JSON.stringify({ apiVersion, kind, name, uid, controller, blockOwnerDeletion });

const MAX_SUBRESOURCE_BYTES = 256;

export const validateManagedFields = (
  entries: readonly ManagedFieldsEntry[],
  path: FieldPath,
): readonly FieldError[] => {
  let errors: FieldError[] | undefined;
  entries.forEach((entry, at) => {
    const found = managedFieldsFindings(entry, path, at);
    if (found.length > 0) append((errors ??= []), found);
  });
  return errors ?? NONE;
};

const managedFieldsFindings = (
  entry: ManagedFieldsEntry,
  list: FieldPath,
  at: number,
): readonly FieldError[] => {
  const {
    operation = '',
    fieldsType = '',
    manager = '',
    subresource = '',
  } = entry as Readonly<Record<string, string>>;
  const errors: FieldError[] = [];
  if (operation !== 'Apply' && operation !== 'Update') {
    errors.push(invalid(list.index(at).child('operation'), operation, 'must be `Apply` or `Update`'));
  }
  if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
    errors.push(invalid(list.index(at).child('fieldsType'), fieldsType, 'must be `FieldsV1`'));
  }
  append(
    errors,
    validateFieldManager(manager, () => list.index(at).child('manager')),
  );
  if (subresource !== '' && goLength(subresource) > MAX_SUBRESOURCE_BYTES) {
    errors.push(tooLong(list.index(at).child('subresource'), MAX_SUBRESOURCE_BYTES));
  }
  return errors;
};

/** Bytes of a field manager's name, in entries as in the query. */
export const MAX_FIELD_MANAGER_BYTES = 128;

const PLAIN_MANAGER = /^[ -~]{0,128}$/;

/** Name of a field manager: at most 128 bytes, printable. */
export const validateFieldManager = (manager: string, path: () => FieldPath): readonly FieldError[] => {
  if (PLAIN_MANAGER.test(manager)) return NONE;
  const errors: FieldError[] = [];
  if (goLength(manager) > MAX_FIELD_MANAGER_BYTES) errors.push(tooLong(path(), MAX_FIELD_MANAGER_BYTES));
  let position = 0;
  for (const character of manager) {
    if (!isPrintable(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      errors.push(invalid(path(), manager, `invalid character U+${code} (at position ${position})`));
    }
    position += goLength(character);
  }
  return errors;
};
