/** PersistentVolumeClaim: a wish for storage; only its size, and the volume it is bound to, may change. */
import { append } from '../../../../api/append.ts';
import { compareQuantities, parseQuantity } from '../../../../api/quantity.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../../../api/types/core-v1.ts';
import { immutable } from '../../../../api/validation/field-checks.ts';
import { forbidden, ifOn, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import type { TableClock, TableRow } from '../../table-row.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { keepMember } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import type { Draft, HookContext } from '../../strategy.ts';
import { changedDespite } from '../go-value.ts';
import { roundAll } from '../pod-spec/quantities.ts';
import { accessModesText } from './access-modes.ts';
import { growthErrors } from './claim-growth.ts';
import { claimSizeWarnings, claimSpecErrors, defaultClaimSpec } from './claim-spec.ts';
import { basicResourceErrors } from './persistent-volume-validation.ts';

const SPEC = FieldPath.of('spec');
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

const ATTRIBUTES_CLASS = 'VolumeAttributesClass';
const SHRINKS = 'RecoverVolumeExpansionFailure';

export const persistentVolumeClaimKind = defineKind<PersistentVolumeClaim>({
  resource: 'persistentvolumeclaims',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    metadataChecks: ['object', 'rules', 'change', 'object', 'rules'],
    laterChecks: [['1.35', ['change', 'object', 'rules']]],
    returnsDeletedObject: true,
    defaults: (draft) => {
      (draft.status ??= {}).phase ||= 'Pending';
      const spec = (draft.spec ??= {});
      defaultClaimSpec(spec);
      roundAll(draft.status.capacity, draft.status.allocatedResources);
    },
    prepareForCreate: (draft, context) => {
      draft.status = { phase: 'Pending' };
      const spec = (draft.spec ??= {});
      if (!context.isFeatureEnabled(ATTRIBUTES_CLASS)) delete spec.volumeAttributesClassName;
      settleDataSources(spec, undefined);
    },
    validate: ({ spec = {} }) => claimSpecErrors(spec, SPEC),
    rulesOnUpdate: ({ spec = {} }, old) => claimSpecErrors(spec, SPEC, { hasFreeGroups: namedGroup(old) }),
    prepareForUpdate: (draft, old, context) => {
      keepMember(draft, old, 'status');
      const spec = (draft.spec ??= {});
      if (old.spec?.volumeAttributesClassName === undefined && !context.isFeatureEnabled(ATTRIBUTES_CLASS))
        delete spec.volumeAttributesClassName;
      settleDataSources(spec, old.spec);
    },
    validateUpdate: changeErrors,
    isStoredOtherwise: () => true,
    resetFields: [['status']],
    warningsOnCreate: warnings,
    warningsOnUpdate: warnings,
    subresources: {
      status: {
        prepareForUpdate: (draft, old, context) => {
          keepMember(draft, old, 'spec');
          dropUnknownStatus(draft.status, context);
        },
        validateUpdate: statusErrors,
        resetFields: [['spec']],
      },
    },
    selectableFields: ({ metadata }) => ({ name: metadata.name ?? '' }),
    tableRow: claimRow,
  },
});

type DraftSpec = Draft<PersistentVolumeClaimSpec>;

const namedGroup = ({ spec }: PersistentVolumeClaim): boolean =>
  typeof spec?.dataSource?.apiGroup === 'string' || typeof spec?.dataSourceRef?.apiGroup === 'string';

/** Sources that the older of the two members has always known. */
function isKnownSource(source: DraftSpec['dataSource']): boolean {
  if (!source) return false;
  const { kind, apiGroup } = source;
  return (
    (kind === 'PersistentVolumeClaim' && !apiGroup) ||
    (kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io')
  );
}

/** Unless the claim had a source already: none of another namespace, and alone only one that is known. */
function settleDataSources(spec: DraftSpec, old: PersistentVolumeClaimSpec | undefined): void {
  if (spec.dataSourceRef?.namespace && !old?.dataSourceRef) delete spec.dataSourceRef;
  const hadSource = old?.dataSource !== undefined || old?.dataSourceRef !== undefined;
  if (!hadSource && !spec.dataSourceRef && !isKnownSource(spec.dataSource)) delete spec.dataSource;
  alignDataSources(spec);
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

const IMMUTABLE =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

function changeErrors(
  claim: PersistentVolumeClaim,
  before: PersistentVolumeClaim,
  context: HookContext,
): FieldError[] {
  const { spec = {}, status } = claim;
  const { spec: old = {} } = before;
  const isBound = status?.phase === 'Bound';
  const annotation = claim.metadata.annotations?.[CLASS_ANNOTATION] ?? '';
  const oldAnnotation = before.metadata.annotations?.[CLASS_ANNOTATION];
  const movesClass = movesClassToSpec(claim, before);
  const errors: FieldError[] = [];
  if (!movesClass && annotation !== (oldAnnotation ?? '')) {
    const path = FieldPath.of('metadata', 'annotations', CLASS_ANNOTATION);
    append(errors, immutable(false, annotation, path));
  }
  // A claim made before there was a default class may get one.
  const setsClass =
    old.storageClassName === undefined &&
    spec.storageClassName !== undefined &&
    (oldAnnotation === undefined || spec.storageClassName === oldAnnotation);
  const sizeBefore = old.resources?.requests?.['storage'] ?? '0';
  const comparable = (from: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec => {
    const copy: DraftSpec = { ...(from as DraftSpec) };
    if (!old.volumeName) delete copy.volumeName;
    if (movesClass || setsClass) delete copy.storageClassName;
    if (isBound)
      copy.resources = { ...copy.resources, requests: { ...copy.resources?.requests, storage: sizeBefore } };
    return copy;
  };
  const [after, fixed] = [comparable(spec), comparable(old)];
  if (!isEqualJson(after, fixed))
    errors.push(
      changedDespite(SPEC, IMMUTABLE, { type: 'v1.PersistentVolumeClaimSpec', before: fixed, after }),
    );
  append(errors, shrinkErrors(claim, before, context));
  return [
    ...errors,
    ...immutable(spec.volumeMode === old.volumeMode, spec.volumeMode, FieldPath.of('volumeMode')),
  ];
}

/** Whose growth has failed may ask for less, if that is still more than it has. */
function shrinkErrors(
  { spec }: PersistentVolumeClaim,
  { spec: old, status }: PersistentVolumeClaim,
  context: HookContext,
): FieldError[] {
  const isLess = (size: string | undefined, than: string | undefined): boolean =>
    compareQuantities(parseQuantity(size ?? '0'), parseQuantity(than ?? '0')) < 0;
  const size = spec?.resources?.requests?.['storage'];
  if (!isLess(size, old?.resources?.requests?.['storage'])) return [];
  const path = SPEC.child('resources', 'requests', 'storage');
  if (!context.isFeatureEnabled(SHRINKS))
    return [forbidden(path, 'field can not be less than previous value')];
  if (isLess(status?.capacity?.['storage'], size)) return [];
  return [forbidden(path, 'field can not be less than status.capacity')];
}

/** The class goes from the old annotation to the member that took its place. */
function movesClassToSpec(claim: PersistentVolumeClaim, before: PersistentVolumeClaim): boolean {
  const old = before.metadata.annotations?.[CLASS_ANNOTATION];
  const now = claim.metadata.annotations?.[CLASS_ANNOTATION];
  const isKept = now === undefined || now === old;
  return (
    old !== undefined &&
    before.spec?.storageClassName === undefined &&
    claim.spec?.storageClassName === old &&
    isKept
  );
}

function statusErrors({ spec, status }: PersistentVolumeClaim): FieldError[] {
  const errors: FieldError[] = [];
  if (!spec?.accessModes?.length) errors.push(required(FieldPath.of('Spec', 'accessModes')));
  for (const [name, amount] of Object.entries(status?.capacity ?? {}))
    append(errors, basicResourceErrors(amount, FieldPath.of('status', 'capacity').key(name)));
  append(errors, ifOn(SHRINKS, growthErrors(status ?? {})));
  return errors;
}

/** What only features know that are off. */
function dropUnknownStatus(status: Draft<PersistentVolumeClaim>['status'], context: HookContext): void {
  if (!status) return;
  if (!context.isFeatureEnabled(ATTRIBUTES_CLASS)) {
    delete status.modifyVolumeStatus;
    delete status.currentVolumeAttributesClassName;
  }
  if (context.isFeatureEnabled(SHRINKS)) return;
  delete status.allocatedResources;
  delete status.allocatedResourceStatuses;
}

function warnings({ metadata, spec = {} }: PersistentVolumeClaim): string[] {
  const found: string[] = [];
  if (metadata.annotations?.[CLASS_ANNOTATION] !== undefined) {
    found.push(
      `metadata.annotations[${CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`,
    );
  }
  append(found, claimSizeWarnings(spec, SPEC));
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
