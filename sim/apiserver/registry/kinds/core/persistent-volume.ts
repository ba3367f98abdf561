/** PersistentVolume: a piece of storage of the cluster; where it is never changes. */
import { append } from '../../../../api/append.ts';
import { formatTime } from '../../../../api/time-format.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { PersistentVolume, PersistentVolumeSpec } from '../../../../api/types/core-v1.ts';
import { immutable } from '../../../../api/validation/field-checks.ts';
import { forbidden, invalid } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import type { TableClock, TableRow } from '../../table-row.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { keepMember } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import type { Draft, HookContext } from '../../strategy.ts';
import { roundAll } from '../pod-spec/quantities.ts';
import { changedDespite, goValue } from '../go-value.ts';
import { accessModesText } from './access-modes.ts';
import { nodeLabelKeyWarning } from './node-label-deprecation.ts';
import { VOLUME_SOURCES, volumeSpecErrors } from './persistent-volume-validation.ts';

const SPEC = FieldPath.of('spec');
const MOUNT_OPTIONS = 'volume.beta.kubernetes.io/mount-options';

export const persistentVolumeKind = defineKind<PersistentVolume>({
  resource: 'persistentvolumes',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    tellingEmptyLists: [['spec', 'capacity']],
    metadataChecks: ['object', 'rules', 'object', 'rules'],
    returnsDeletedObject: true,
    defaults: setDefaults,
    prepareForCreate: (draft, context) => {
      if (!context.isFeatureEnabled('VolumeAttributesClass')) delete draft.spec?.volumeAttributesClassName;
      draft.status = { phase: 'Pending', lastPhaseTransitionTime: formatTime(context.nowMs) };
    },
    validate: (object) => [...volumeErrors(object), ...mountErrors(object)],
    rulesOnUpdate: volumeErrors,
    prepareForUpdate: (draft, old, context) => {
      keepMember(draft, old, 'status');
      if (
        old.spec?.volumeAttributesClassName === undefined &&
        !context.isFeatureEnabled('VolumeAttributesClass')
      )
        delete draft.spec?.volumeAttributesClassName;
    },
    validateUpdate: changeErrors,
    resetFields: [['status']],
    warningsOnCreate: warnings,
    warningsOnUpdate: (object, _old, context) => warnings(object, context),
    subresources: { status: { prepareForUpdate: prepareStatus, resetFields: [['spec']] } },
    selectableFields: ({ metadata }) => ({ name: metadata.name ?? '' }),
    tableRow: volumeRow,
  },
});

function setDefaults(draft: Draft<PersistentVolume>): void {
  (draft.status ??= {}).phase ||= 'Pending';
  const spec = (draft.spec ??= {});
  spec.persistentVolumeReclaimPolicy ||= 'Retain';
  spec.volumeMode ??= 'Filesystem';
  roundAll(spec.capacity);
  if (spec.hostPath) spec.hostPath.type ??= '';
  if (spec.iscsi) spec.iscsi.iscsiInterface ||= 'default';
  if (spec.rbd) {
    spec.rbd.pool ||= 'rbd';
    spec.rbd.user ||= 'admin';
    spec.rbd.keyring ||= '/etc/ceph/keyring';
  }
  if (spec.scaleIO) {
    spec.scaleIO.storageMode ||= 'ThinProvisioned';
    spec.scaleIO.fsType ||= 'xfs';
  }
  if (spec.azureDisk) {
    spec.azureDisk.cachingMode ??= 'ReadWrite';
    spec.azureDisk.kind ??= 'Shared';
    spec.azureDisk.fsType ??= 'ext4';
    spec.azureDisk.readOnly ??= false;
  }
}

function prepareStatus(draft: Draft<PersistentVolume>, old: PersistentVolume, { nowMs }: HookContext): void {
  keepMember(draft, old, 'spec');
  const status = (draft.status ??= {});
  const before = old.status?.lastPhaseTransitionTime;
  const isNewPhase = status.phase !== old.status?.phase;
  if (isNewPhase && (status.lastPhaseTransitionTime ?? before) === before)
    status.lastPhaseTransitionTime = formatTime(nowMs);
  // Who does not know of the time does not take it away.
  if (before !== undefined) status.lastPhaseTransitionTime ??= before;
}

function volumeErrors({ metadata, spec = {} }: PersistentVolume): FieldError[] {
  return volumeSpecErrors(spec, SPEC, { isInline: false, name: metadata.name ?? '' });
}

/** Sources that can be mounted in more than one way. */
const MOUNTED_WITH_OPTIONS = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
] as const;

function mountErrors({ metadata, spec = {} }: PersistentVolume): readonly FieldError[] {
  if (metadata.annotations?.[MOUNT_OPTIONS] === undefined) return [];
  if (MOUNTED_WITH_OPTIONS.some((name) => spec[name] !== undefined)) return [];
  const path = FieldPath.of('metadata', 'annotations', MOUNT_OPTIONS);
  return [forbidden(path, 'may not specify mount options for this volume type')];
}

function changeErrors(object: PersistentVolume, { spec: old = {} }: PersistentVolume): FieldError[] {
  const { spec = {} } = object;
  const errors: FieldError[] = [...mountErrors(object)];
  const own = withoutNewExpandSecret(spec, old);
  if (VOLUME_SOURCES.some((name) => !isEqualJson(own[name], old[name]))) {
    errors.push(
      changedDespite(
        SPEC.child('persistentvolumesource'),
        'spec.persistentvolumesource is immutable after creation',
        { type: 'v1.PersistentVolumeSource', before: old, after: own },
      ),
    );
  }
  append(errors, immutable(spec.volumeMode === old.volumeMode, spec.volumeMode, FieldPath.of('volumeMode')));
  if (old.nodeAffinity && !isSameAffinity(spec.nodeAffinity, old.nodeAffinity)) {
    const shown = spec.nodeAffinity ? goValue('v1.VolumeNodeAffinity', spec.nodeAffinity) : null;
    const detail = 'field is immutable, except for updating from beta label to GA';
    errors.push(invalid(FieldPath.of('nodeAffinity'), shown, detail));
  }
  return errors;
}

/** Where no secret for growing was named, one may be. */
function withoutNewExpandSecret(spec: PersistentVolumeSpec, old: PersistentVolumeSpec): PersistentVolumeSpec {
  if (!spec.csi?.controllerExpandSecretRef || !old.csi || old.csi.controllerExpandSecretRef) return spec;
  const { controllerExpandSecretRef: _secret, ...csi } = spec.csi;
  return { ...spec, csi };
}

/** Labels that were renamed when they became stable. */
const STABLE_LABELS: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
]);

type Affinity = NonNullable<PersistentVolume['spec']>['nodeAffinity'];

function isSameAffinity(affinity: Affinity, old: Affinity): boolean {
  if (isEqualJson(affinity, old)) return true;
  const terms = old?.required?.nodeSelectorTerms?.map((term, at) => ({
    ...term,
    ...(term.matchExpressions && {
      matchExpressions: term.matchExpressions.map((expression, index) => {
        const now = affinity?.required?.nodeSelectorTerms?.[at]?.matchExpressions?.[index];
        // A key that was not renamed may be emptied: nothing is what it was renamed to.
        return now && (STABLE_LABELS.get(expression.key) ?? '') === now.key
          ? { ...expression, key: now.key }
          : expression;
      }),
    }),
  }));
  return terms !== undefined && isEqualJson(affinity, { required: { nodeSelectorTerms: terms } });
}

const DEPRECATED_SOURCES: readonly (readonly [member: (typeof VOLUME_SOURCES)[number], text: string])[] = [
  ['cephfs', 'spec.cephfs: deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'spec.photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'spec.scaleIO: deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'spec.storageOS: deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'spec.glusterfs: deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'spec.rbd: deprecated in v1.28, non-functional in v1.31+'],
];

/** `warnedSince`: none before that release. */
interface OldWay {
  readonly text: string;
  readonly warnedSince: string;
}

const OLD_ANNOTATIONS: Readonly<Record<string, OldWay>> = {
  'volume.beta.kubernetes.io/storage-class': {
    text: 'deprecated since v1.8; use "storageClassName" attribute instead',
    warnedSince: '1.20',
  },
  [MOUNT_OPTIONS]: {
    text: 'deprecated since v1.31; use "mountOptions" attribute instead',
    warnedSince: '1.31',
  },
};
const WARNS_OF_RECYCLING = '1.30';

function warnings({ metadata, spec = {} }: PersistentVolume, release: HookContext): string[] {
  const found = Object.entries(OLD_ANNOTATIONS).flatMap(([name, { text, warnedSince }]) =>
    metadata.annotations?.[name] !== undefined && release.isReleasedBy(warnedSince)
      ? [`metadata.annotations[${name}]: ${text}`]
      : [],
  );
  if (spec.persistentVolumeReclaimPolicy === 'Recycle' && release.isReleasedBy(WARNS_OF_RECYCLING)) {
    found.push(
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    );
  }
  for (const [at, { matchExpressions = [] }] of (
    spec.nodeAffinity?.required?.nodeSelectorTerms ?? []
  ).entries()) {
    for (const [index, { key }] of matchExpressions.entries()) {
      append(
        found,
        nodeLabelKeyWarning(
          `spec.nodeAffinity.required.nodeSelectorTerms[${at}].matchExpressions[${index}].key`,
          key,
        ),
      );
    }
  }
  return [
    ...found,
    ...DEPRECATED_SOURCES.filter(([member]) => spec[member] !== undefined).map(([, text]) => text),
  ];
}

function volumeRow({ metadata, spec = {}, status = {} }: PersistentVolume, { age }: TableClock): TableRow {
  const { claimRef } = spec;
  return {
    cells: [
      metadata.name,
      spec.capacity?.['storage'] ?? '0',
      accessModesText(spec.accessModes ?? []),
      spec.persistentVolumeReclaimPolicy ?? '',
      metadata.deletionTimestamp ? 'Terminating' : (status.phase ?? ''),
      claimRef ? `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}` : '',
      metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec.storageClassName ?? '',
      spec.volumeAttributesClassName ?? '<unset>',
      status.reason ?? '',
      age(metadata.creationTimestamp),
      spec.volumeMode ?? '<unset>',
    ],
  };
}
