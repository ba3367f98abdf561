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
  const errors: FieldError[] = [];
  /** UTF-8 takes three bytes for a UTF-16 unit at the most. */
  let bound = 0;
  for (const key of Object.keys(data).sort()) {
    for (const message of configMapKey(key)) errors.push(invalid(pathOf('data', key), key, message));
    if (Object.hasOwn(binaryData, key))
      errors.push(invalid(pathOf('data', key), key, `duplicate of key present in binaryData`));
    bound += 3 * (data[key] ?? '').length;
  }
  for (const key of Object.keys(binaryData).sort()) {
    for (const message of configMapKey(key)) errors.push(invalid(pathOf('binaryData', key), key, message));
    bound += (binaryData[key] ?? '').length;
  }
  // The real server names no field here.
  if (bound > MAX_BYTES && bytesIn(data, binaryData) > MAX_BYTES)
    errors.push({ ...tooLong(FieldPath.of(''), MAX_BYTES), field: '[]' });
  return errors;
}

function bytesIn(
  data: Readonly<Record<string, string>>,
  binaryData: Readonly<Record<string, string | null>>,
): number {
  let bytes = 0;
  for (const value of Object.values(data)) bytes += goLength(value);
  // A null value is an empty one.
  for (const value of Object.values(binaryData)) bytes += decodedLength(value ?? '');
  return bytes;
}

const pathOf = (member: 'data' | 'binaryData', key: string): FieldPath => FieldPath.of(member).key(key);

function immutabilityErrors(object: ConfigMap, old: ConfigMap): FieldError[] {
  if (old.immutable !== true) return [];
  const errors: FieldError[] = [];
  if (object.immutable !== true) errors.push(forbidden(FieldPath.of('immutable'), IMMUTABLE));
  if (!isEqualJson(object.data ?? {}, old.data ?? {}))
    errors.push(forbidden(FieldPath.of('data'), IMMUTABLE));
  if (!isEqualJson(object.binaryData ?? {}, old.binaryData ?? {})) {
    errors.push(forbidden(FieldPath.of('binaryData'), IMMUTABLE));
  }
  return errors;
}
