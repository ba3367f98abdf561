/** ConfigMap: keys are file names, everything together is bounded, and it may be made immutable. */
import { decodedLength } from '../../../../api/codec/base64.ts';
import { goLength } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { ConfigMap } from '../../../../api/types/core-v1.ts';
import { forbidden, invalid, tooLong } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { configMapKey, nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { defineKind } from '../../define-kind.ts';

const MAX_BYTES = 1024 * 1024;
const IMMUTABLE = 'field is immutable when `immutable` is set';

export const configMapKind = defineKind<ConfigMap>({
  resource: 'configmaps',
  columnDescriptions: {
    Data: "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is enforced during validation process.",
  },
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    metadataChecks: ['change', 'update', 'object', 'rules'],
    sharesUnchanged: 'parts',
    tellingEmptyLists: [['binaryData']],
    validate: (object) => contentErrors(object),
    validateUpdate: immutabilityErrors,
    tableRow: ({ metadata, data = {}, binaryData = {} }, context) => ({
      cells: [
        metadata.name,
        Object.keys(data).length + Object.keys(binaryData).length,
        context.age(metadata.creationTimestamp),
      ],
    }),
  },
});

function contentErrors({ data = {}, binaryData = {} }: ConfigMap): FieldError[] {
  const texts = Object.entries(data);
  const blobs = Object.entries(binaryData);
  const errors = [
    ...keyErrors('data', texts, (key) => Object.hasOwn(binaryData, key)),
    ...keyErrors('binaryData', blobs, () => false),
  ];
  // The real server names no field here.
  if (isTooMuch(texts, blobs)) errors.push({ ...tooLong(FieldPath.of(''), MAX_BYTES), field: '[]' });
  return errors;
}

type Entries = readonly (readonly [string, string | null])[];

function keyErrors(
  member: 'data' | 'binaryData',
  entries: Entries,
  isDuplicate: (key: string) => boolean,
): FieldError[] {
  const wrong = entries.map(([key]) => key).filter((key) => configMapKey(key).length > 0 || isDuplicate(key));
  return wrong.sort().flatMap((key) => {
    const path = FieldPath.of(member).key(key);
    const errors = configMapKey(key).map((message) => invalid(path, key, message));
    return isDuplicate(key)
      ? [...errors, invalid(path, key, `duplicate of key present in binaryData`)]
      : errors;
  });
}

function isTooMuch(texts: Entries, blobs: Entries): boolean {
  /** UTF-8 takes three bytes for a UTF-16 unit at the most. */
  let bound = 0;
  for (const [, value] of texts) bound += 3 * (value ?? '').length;
  for (const [, value] of blobs) bound += (value ?? '').length;
  if (bound <= MAX_BYTES) return false;
  let bytes = 0;
  for (const [, value] of texts) bytes += goLength(value ?? '');
  // A null value is an empty one.
  for (const [, value] of blobs) bytes += decodedLength(value ?? '');
  return bytes > MAX_BYTES;
}

function immutabilityErrors(object: ConfigMap, old: ConfigMap): FieldError[] {
  if (old.immutable !== true) return [];
  const errors: FieldError[] = [];
  if (object.immutable !== true) errors.push(forbidden(FieldPath.of('immutable'), IMMUTABLE));
  if (!isEqualJson(object.data ?? {}, old.data ?? {}))
    errors.push(forbidden(FieldPath.of('data'), IMMUTABLE));
  // No values are others than none here.
  if (!isEqualJson(object.binaryData, old.binaryData)) {
    errors.push(forbidden(FieldPath.of('binaryData'), IMMUTABLE));
  }
  return errors;
}
