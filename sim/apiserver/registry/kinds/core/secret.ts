/** Secret: keys are file names, some types demand certain keys, and it may be made immutable. */
import { append } from '../../../../api/append.ts';
import { decodeBase64, decodedLength, encodeBase64 } from '../../../../api/codec/base64.ts';
import { DecodeError } from '../../../../api/codec/decode-error.ts';
import { parseJson } from '../../../../api/codec/strict-json.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { Secret } from '../../../../api/types/core-v1.ts';
import { checkedBy, immutable } from '../../../../api/validation/field-checks.ts';
import { forbidden, invalid, required, tooLong } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { configMapKey, nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { defineKind } from '../../define-kind.ts';
import type { Draft } from '../../strategy.ts';

const MAX_BYTES = 1024 * 1024;
const IMMUTABLE = 'field is immutable when `immutable` is set';
const OPAQUE = 'Opaque';
const ACCOUNT_ANNOTATION = 'kubernetes.io/service-account.name';
const DATA = FieldPath.of('data');

export const secretKind = defineKind<Secret>({
  resource: 'secrets',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    metadataChecks: ['change', 'update', 'object', 'rules'],
    tellingEmptyLists: [['data']],
    defaults: (draft) => {
      mergeStringData(draft);
      draft.type ||= OPAQUE;
    },
    prepareForUpdate: (draft, old) => {
      if (!draft.type) draft.type = old.type ?? OPAQUE;
    },
    validate: secretErrors,
    validateUpdate: (object, old) => [
      ...immutable(object.type === old.type, object.type, FieldPath.of('type')),
      ...immutabilityErrors(object, old),
    ],
    selectableFields: ({ type = '' }) => ({ type }),
    tableRow: ({ metadata, type = '', data = {} }, { age }) => ({
      cells: [metadata.name, type, Object.keys(data).length, age(metadata.creationTimestamp)],
    }),
  },
});

/** Plain texts are only a way to write data: they win over it and are never stored. */
function mergeStringData(draft: Draft<Secret>): void {
  const { stringData } = draft;
  if (!stringData) return;
  const encoder = new TextEncoder();
  const data = (draft.data ??= {});
  for (const [key, text] of Object.entries(stringData)) data[key] = encodeBase64(encoder.encode(text));
  delete draft.stringData;
}

function secretErrors({ metadata, data = {}, type }: Secret): FieldError[] {
  const errors: FieldError[] = [];
  let total = 0;
  for (const key of Object.keys(data).sort()) {
    append(errors, checkedBy(configMapKey, key, DATA.key(key)));
    total += decodedLength(data[key] ?? '');
  }
  if (total > MAX_BYTES) errors.push(tooLong(DATA, MAX_BYTES));
  if (type === 'kubernetes.io/service-account-token' && !metadata.annotations?.[ACCOUNT_ANNOTATION]) {
    errors.push(required(FieldPath.of('metadata', 'annotations').key(ACCOUNT_ANNOTATION)));
  }
  return [...errors, ...typeErrors(type ?? '', data)];
}

function typeErrors(type: string, data: Readonly<Record<string, string>>): readonly FieldError[] {
  switch (type) {
    case 'kubernetes.io/dockercfg':
      return jsonErrors(data, '.dockercfg');
    case 'kubernetes.io/dockerconfigjson':
      return jsonErrors(data, '.dockerconfigjson');
    case 'kubernetes.io/basic-auth':
      return 'username' in data || 'password' in data ? [] : missing('username', 'password');
    case 'kubernetes.io/ssh-auth':
      return data['ssh-privatekey'] ? [] : missing('ssh-privatekey');
    case 'kubernetes.io/tls':
      return missing(...['tls.crt', 'tls.key'].filter((key) => !(key in data)));
    default:
      return [];
  }
}

const missing = (...keys: readonly string[]): FieldError[] => keys.map((key) => required(DATA.key(key)));

function jsonErrors(data: Readonly<Record<string, string>>, key: string): readonly FieldError[] {
  const content = data[key];
  if (content === undefined) return missing(key);
  const path = DATA.key(key);
  const refused = (why: string): FieldError[] => [invalid(path, '<secret contents redacted>', why)];
  try {
    const { value } = parseJson(new TextDecoder().decode(decodeBase64(content)));
    if (value === null || (typeof value === 'object' && !Array.isArray(value))) return [];
    return refused(`json: cannot unmarshal ${goKindOf(value)} into Go value of type map[string]interface {}`);
  } catch (error) {
    if (error instanceof DecodeError) return refused(error.message);
    throw error;
  }
}

const goKindOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
};

function immutabilityErrors(object: Secret, old: Secret): FieldError[] {
  if (old.immutable !== true) return [];
  const errors: FieldError[] = [];
  if (object.immutable !== true) errors.push(forbidden(FieldPath.of('immutable'), IMMUTABLE));
  // No values are others than none.
  if (!isEqualJson(object.data, old.data)) errors.push(forbidden(DATA, IMMUTABLE));
  return errors;
}
