/** PersistentVolumeClaim: a wish for storage; only its size, and the volume it is bound to, may change. */
import { append } from '../../../../api/append.ts';
import { compareQuantities, parseQuantity, scaledValue } from '../../../../api/quantity.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../../../api/types/core-v1.ts';
import { checkedBy, immutable, isPositiveQuantity, oneOf } from '../../../../api/validation/field-checks.ts';
import { forbidden, invalid, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { validateLabelSelector } from '../../../../api/validation/labels.ts';
import { dns1123Subdomain, nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import type { TableClock, TableRow } from '../../table-row.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { keepMember } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import type { Draft } from '../../strategy.ts';
import { accessModesText } from './access-modes.ts';
import { accessModesErrors, basicResourceErrors, VOLUME_MODES } from './persistent-volume-validation.ts';

const SPEC = FieldPath.of('spec');
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

export const persistentVolumeClaimKind = defineKind<PersistentVolumeClaim>({
  resource: 'persistentvolumeclaims',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    returnsDeletedObject: true,
    defaults: (draft) => {
      (draft.status ??= {}).phase ||= 'Pending';
      (draft.spec ??= {}).volumeMode ??= 'Filesystem';
    },
    prepareForCreate: (draft) => {
      draft.status = { phase: 'Pending' };
      const spec = (draft.spec ??= {});
      delete spec.volumeAttributesClassName;
      if (!isKnownSource(spec.dataSource)) delete spec.dataSource;
      alignDataSources(spec);
    },
    validate: claimErrors,
    prepareForUpdate: (draft, old) => {
      keepMember(draft, old, 'status');
      const spec = (draft.spec ??= {});
      if (old.spec?.volumeAttributesClassName === undefined) delete spec.volumeAttributesClassName;
      alignDataSources(spec);
    },
    validateUpdate: (object, old) => [...claimErrors(object), ...changeErrors(object, old)],
    resetFields: [['status']],
    warningsOnCreate: warnings,
    warningsOnUpdate: warnings,
    subresources: {
      status: {
        prepareForUpdate: (draft, old) => keepMember(draft, old, 'spec'),
        validateUpdate: ({ status }) =>
          Object.entries(status?.capacity ?? {}).flatMap(([name, amount]) =>
            basicResourceErrors(amount, FieldPath.of('status', 'capacity').key(name)),
          ),
        resetFields: [['spec']],
      },
    },
    selectableFields: ({ metadata }) => ({ name: metadata.name ?? '' }),
    tableRow: claimRow,
  },
});

type DraftSpec = Draft<PersistentVolumeClaimSpec>;

/** Sources that the older of the two members has always known. */
function isKnownSource(source: DraftSpec['dataSource']): boolean {
  if (!source) return false;
  const { kind, apiGroup = '' } = source;
  return (
    (kind === 'PersistentVolumeClaim' && apiGroup === '') ||
    (kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io')
  );
}

/** `dataSource` and `dataSourceRef` say the same, except of another namespace. */
function alignDataSources(spec: DraftSpec): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSourceRef?.namespace) return;
  if (dataSource && !dataSourceRef) spec.dataSourceRef = { ...dataSource };
  else if (dataSourceRef && !dataSource) {
    const { apiGroup, kind, name } = dataSourceRef;
    spec.dataSource = { ...(apiGroup !== undefined && { apiGroup }), kind, name };
  }
}

function claimErrors({ spec = {} }: PersistentVolumeClaim): FieldError[] {
  const { accessModes = [], selector, storageClassName, volumeMode } = spec;
  const errors: FieldError[] = [];
  if (accessModes.length === 0)
    errors.push(required(SPEC.child('accessModes'), 'at least 1 access mode is required'));
  append(errors, validateLabelSelector(selector, SPEC.child('selector')));
  if (accessModes.length > 0) append(errors, accessModesErrors(accessModes, SPEC.child('accessModes'), ''));
  append(errors, sizeErrors(spec));
  if (storageClassName)
    append(errors, checkedBy(dns1123Subdomain, storageClassName, SPEC.child('storageClassName')));
  if (volumeMode !== undefined) append(errors, oneOf(volumeMode, VOLUME_MODES, SPEC.child('volumeMode')));
  return [...errors, ...dataSourceErrors(spec)];
}

function sizeErrors({ resources }: PersistentVolumeClaimSpec): FieldError[] {
  const path = SPEC.child('resources').key('storage');
  const size = resources?.requests?.['storage'];
  if (size === undefined) return [required(path)];
  const errors = basicResourceErrors(size, path);
  if (!isPositiveQuantity(size)) errors.push(invalid(path, size, 'must be greater than zero'));
  return errors;
}

function dataSourceErrors({ dataSource, dataSourceRef }: PersistentVolumeClaimSpec): FieldError[] {
  const errors: FieldError[] = [];
  for (const [member, source] of [
    ['dataSource', dataSource],
    ['dataSourceRef', dataSourceRef],
  ] as const) {
    if (!source) continue;
    const path = SPEC.child(member);
    if (!source.name) errors.push(required(path.child('name')));
    if (!source.kind) errors.push(required(path.child('kind')));
    if (source.apiGroup) append(errors, checkedBy(dns1123Subdomain, source.apiGroup, path.child('apiGroup')));
    else if (source.kind !== 'PersistentVolumeClaim') {
      errors.push(
        invalid(path, source.kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"),
      );
    }
  }
  if (!dataSource || !dataSourceRef || dataSourceRef.namespace) return errors;
  const isSame = (['apiGroup', 'kind', 'name'] as const).every(
    (member) => dataSource[member] === dataSourceRef[member],
  );
  return isSame ? errors : [...errors, invalid(SPEC, '', 'must match dataSourceRef')];
}

const IMMUTABLE =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

function changeErrors(
  { spec = {}, status }: PersistentVolumeClaim,
  { metadata, spec: old = {} }: PersistentVolumeClaim,
): FieldError[] {
  const errors: FieldError[] = [];
  const isBound = status?.phase === 'Bound';
  const comparable = (from: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec => {
    const copy: DraftSpec = { ...(from as DraftSpec) };
    if (!old.volumeName) delete copy.volumeName;
    // A claim made before there was a default class may get one as long as it has no volume.
    const maySetClass =
      old.storageClassName === undefined &&
      metadata.annotations?.[CLASS_ANNOTATION] === undefined &&
      !spec.volumeName;
    if (maySetClass) delete copy.storageClassName;
    if (isBound)
      copy.resources = { ...copy.resources, requests: { ...copy.resources?.requests, storage: '' } };
    return copy;
  };
  if (!isEqualJson(comparable(spec), comparable(old))) errors.push(forbidden(SPEC, IMMUTABLE));
  const [size, before] = [spec, old].map(({ resources }) => resources?.requests?.['storage']);
  if (
    isBound &&
    size !== undefined &&
    before !== undefined &&
    compareQuantities(parseQuantity(size), parseQuantity(before)) < 0
  ) {
    errors.push(
      forbidden(SPEC.child('resources', 'requests', 'storage'), 'field can not be less than previous value'),
    );
  }
  return [
    ...errors,
    ...immutable(spec.volumeMode === old.volumeMode, spec.volumeMode, FieldPath.of('volumeMode')),
  ];
}

const MILLI = -3;

function warnings({ metadata, spec = {} }: PersistentVolumeClaim): string[] {
  const found: string[] = [];
  if (metadata.annotations?.[CLASS_ANNOTATION] !== undefined) {
    found.push(
      `metadata.annotations[${CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`,
    );
  }
  for (const member of ['requests', 'limits'] as const) {
    const size = spec.resources?.[member]?.['storage'];
    if (size !== undefined && scaledValue(parseQuantity(size), MILLI) % 1000n !== 0n) {
      found.push(
        `spec.resources.${member}[storage]: fractional byte value "${size}" is invalid, must be an integer`,
      );
    }
  }
  return found;
}

function claimRow(
  { metadata, spec = {}, status = {} }: PersistentVolumeClaim,
  { age }: TableClock,
): TableRow {
  const isPlaced = Boolean(spec.volumeName);
  return {
    cells: [
      metadata.name,
      metadata.deletionTimestamp ? 'Terminating' : (status.phase ?? ''),
      spec.volumeName ?? '',
      isPlaced ? (status.capacity?.['storage'] ?? '0') : '',
      isPlaced ? accessModesText(status.accessModes ?? []) : '',
      metadata.annotations?.[CLASS_ANNOTATION] ?? spec.storageClassName ?? '',
      spec.volumeAttributesClassName ?? '<unset>',
      age(metadata.creationTimestamp),
      spec.volumeMode ?? '<unset>',
    ],
  };
}
