/** StorageClass: how volumes of a class are made; nothing of that may change. */
import type { ObjectMeta } from '../../../../api/object.ts';
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { TopologySelectorTerm } from '../../../../api/types/core-v1.ts';
import type { StorageClass } from '../../../../api/types/storage-k8s-io-v1.ts';
import { checkedBy, immutable, noDuplicates, oneOf } from '../../../../api/validation/field-checks.ts';
import {
  duplicate,
  forbidden,
  invalid,
  required,
  since,
  until,
} from '../../../../api/validation/field-error.ts';
import { goStringMap } from '../../../../api/go-text.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { nameIsDnsSubdomain, qualifiedName } from '../../../../api/validation/names.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { defineKind } from '../../define-kind.ts';
import { nodeLabelWarning } from '../core/node-label-deprecation.ts';

/** Annotations that mark the class of claims which name none. */
export const IS_DEFAULT_STORAGE = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

const isDefault = ({ annotations }: ObjectMeta): boolean =>
  IS_DEFAULT_STORAGE.some((name) => annotations?.[name] === 'true');

export const storageClassKind = defineKind<StorageClass>({
  group: 'storage.k8s.io',
  resource: 'storageclasses',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    tellingEmptyLists: [['parameters']],
    metadataChecks: ['object', 'rules', 'change'],
    returnsDeletedObject: true,
    defaults: (draft) => {
      draft.reclaimPolicy ??= 'Delete';
      draft.volumeBindingMode ??= 'Immediate';
    },
    validate: classErrors,
    validateUpdate: changeErrors,
    warningsOnCreate: warnings,
    warningsOnUpdate: warnings,
    tableRow: (object, { age }) => {
      const {
        metadata,
        provisioner,
        reclaimPolicy = 'Delete',
        volumeBindingMode,
        allowVolumeExpansion = false,
      } = object;
      return {
        cells: [
          isDefault(metadata) ? `${metadata.name} (default)` : metadata.name,
          provisioner,
          reclaimPolicy,
          volumeBindingMode ?? '<unset>',
          allowVolumeExpansion,
          age(metadata.creationTimestamp),
        ],
      };
    },
  },
});

function warnings({ allowedTopologies = [] }: StorageClass): string[] {
  return allowedTopologies.flatMap(({ matchLabelExpressions = [] }, at) =>
    matchLabelExpressions.flatMap(({ key }, index) =>
      nodeLabelWarning(`allowedTopologies[${at}].matchLabelExpressions[${index}].key`, key),
    ),
  );
}

function classErrors(object: StorageClass): FieldError[] {
  const { provisioner, parameters, reclaimPolicy, volumeBindingMode, allowedTopologies = [] } = object;
  const errors: FieldError[] = [];
  const path = FieldPath.of('provisioner');
  if (!provisioner) errors.push(required(path));
  else
    for (const finding of qualifiedName(provisioner.toLowerCase()))
      errors.push(invalid(path, provisioner.toLowerCase(), finding));
  if (parameters && '' in parameters)
    errors.push(invalid(FieldPath.of('parameters'), '', 'field can not be empty.'));
  if (reclaimPolicy)
    append(errors, oneOf(reclaimPolicy, ['Delete', 'Retain'], FieldPath.of('reclaimPolicy')));
  const modePath = FieldPath.of('volumeBindingMode');
  if (volumeBindingMode === undefined) errors.push(required(modePath));
  else append(errors, oneOf(volumeBindingMode, ['Immediate', 'WaitForFirstConsumer'], modePath));
  return [...errors, ...topologyErrors(allowedTopologies, FieldPath.of('allowedTopologies'))];
}

function topologyErrors(terms: readonly TopologySelectorTerm[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  // The real server's list of terms before begins with as many empty ones as there are terms.
  const before = new Map([[meaningOf({}), terms.length]]);
  for (const [at, term] of terms.entries()) {
    const expressions = term.matchLabelExpressions ?? [];
    const keys = new Set<string>();
    for (const [index, { key, values: given }] of expressions.entries()) {
      // Required, but a client may leave it out.
      const values = given ?? [];
      const field = path.index(at).child('matchLabelExpressions').index(index);
      if (values.length === 0) errors.push(required(field.child('values')));
      append(errors, noDuplicates(values, field.child('values')));
      append(errors, checkedBy(qualifiedName, key, field.child('key')));
      if (keys.has(key)) errors.push(duplicate(field.child('key'), key));
      keys.add(key);
    }
    const meaning = meaningOf(term);
    const alike = before.get(meaning) ?? 0;
    for (let i = 0; i < alike; i += 1)
      errors.push(duplicate(path.index(at).child('matchLabelExpressions'), ''));
    before.set(meaning, alike + 1);
  }
  return errors;
}

/** Order and repetition do not matter; of expressions with one key the last counts. */
function meaningOf({ matchLabelExpressions = [] }: TopologySelectorTerm): string {
  const byKey = new Map(
    (matchLabelExpressions ?? []).map(({ key, values }) => [key, [...new Set(values ?? [])].sort()]),
  );
  return JSON.stringify([...byKey].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function changeErrors(object: StorageClass, old: StorageClass): FieldError[] {
  const changed = (['parameters', 'provisioner', 'reclaimPolicy'] as const).filter(
    (member) => !isEqualJson(object[member] ?? null, storedOf(old[member]) ?? null),
  );
  return [
    ...until(
      '1.36',
      changed.map((member) => forbidden(FieldPath.of(member), `updates to ${member} are forbidden.`)),
    ),
    ...since(
      '1.36',
      changed
        .filter((member) => !isNothing(storedOf(object[member]), storedOf(old[member])))
        .map((member) => fixed(object, member)),
    ),
    ...immutable(
      object.volumeBindingMode === old.volumeBindingMode,
      object.volumeBindingMode,
      FieldPath.of('volumeBindingMode'),
    ),
  ];
}

/** An empty map is not told from none once it is stored. */
const storedOf = <Value>(value: Value): Value | undefined =>
  typeof value === 'object' && Object.keys(value ?? {}).length === 0 ? undefined : value;

function fixed(object: StorageClass, member: 'parameters' | 'provisioner' | 'reclaimPolicy'): FieldError {
  const value = member === 'parameters' ? goStringMap(object.parameters) : (object[member] ?? null);
  return invalid(FieldPath.of(member), value, 'field is immutable');
}

const isNothing = (...values: readonly unknown[]): boolean => values.every((value) => value === undefined);
