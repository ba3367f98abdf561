/** The rules of a volume's spec, also where it stands inline in another object. */
import { append } from '../../../../api/append.ts';
import { GoSyntax, goQuote, jsonMembers } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { PersistentVolumeSpec } from '../../../../api/types/core-v1.ts';
import { checkedBy, isPositiveQuantity, oneOf, wholeValue } from '../../../../api/validation/field-checks.ts';
import { forbidden, invalid, notSupported, required } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Label, dns1123Subdomain } from '../../../../api/validation/names.ts';
import { validateNodeSelector } from '../pod-spec/validate-affinity.ts';
import { validateNoBacksteps } from '../pod-spec/validate-paths.ts';
import { goQuantity } from '../pod-spec/quantities.ts';
import {
  awsDiskErrors,
  azureDiskErrors,
  azureFileErrors,
  cephErrors,
  checkedAs,
  countedAs,
  csiDriverErrors,
  fibreErrors,
  flexErrors,
  flockerErrors,
  gceDiskErrors,
  glusterErrors,
  hostPathErrors,
  iscsiErrors,
  needed,
  nfsErrors,
  photonErrors,
  portworxErrors,
  quobyteErrors,
  rbdErrors,
  scaleIoErrors,
  storageOsErrors,
  vsphereErrors,
} from '../pod-spec/volume-sources.ts';

const ONCE_PER_POD = 'ReadWriteOncePod';
export const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', ONCE_PER_POD];
export const VOLUME_MODES = ['Block', 'Filesystem'];

/** Members of a spec that say where the volume is, in the order in which they are looked at. */
export const VOLUME_SOURCES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
] as const;

export interface VolumePlace {
  /** Inside another object, where it is a place of storage and nothing else. */
  readonly isInline: boolean;
  /** Name of the volume. */
  readonly name: string;
}

export function volumeSpecErrors(
  spec: PersistentVolumeSpec,
  path: FieldPath,
  place: VolumePlace,
): FieldError[] {
  const { isInline } = place;
  const errors: FieldError[] = isInline ? inlineErrors(spec, path) : [];
  append(errors, accessModesErrors(spec.accessModes ?? [], path.child('accessModes'), ''));
  if (!isInline) append(errors, capacityErrors(spec.capacity, path.child('capacity')));
  const policy = spec.persistentVolumeReclaimPolicy;
  const policyPath = path.child('persistentVolumeReclaimPolicy');
  if (policy && !isInline) append(errors, oneOf(policy, ['Delete', 'Recycle', 'Retain'], policyPath));
  if (policy && isInline && policy !== 'Retain')
    errors.push(forbidden(policyPath, 'may only be Retain in the context of inline volumes'));
  const affinityPath = path.child('nodeAffinity');
  if (!isInline) append(errors, nodeAffinityErrors(spec, affinityPath));
  else if (spec.nodeAffinity) errors.push(forbidden(affinityPath, NOT_INLINE));
  append(errors, sourceErrors(spec, path, place));
  if (isRootPath(spec.hostPath?.path) && policy === 'Recycle') {
    errors.push(forbidden(policyPath, "may not be 'recycle' for a hostPath mount of '/'"));
  }
  return [...errors, ...(isInline ? inlineClassErrors(spec, path) : classErrors(spec, path))];
}

function classErrors(spec: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.storageClassName)
    append(errors, checkedBy(dns1123Subdomain, spec.storageClassName, path.child('storageClassName')));
  if (spec.volumeMode !== undefined)
    append(errors, oneOf(spec.volumeMode, VOLUME_MODES, path.child('volumeMode')));
  if (spec.volumeAttributesClassName !== undefined)
    append(errors, attributesClassErrors(spec.volumeAttributesClassName, spec, path));
  return errors;
}

function attributesClassErrors(name: string, { csi }: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  const field = path.child('volumeAttributesClassName');
  return [
    ...(name ? checkedBy(dns1123Subdomain, name, field) : [required(field, 'an empty string is disallowed')]),
    ...(csi ? [] : [required(path.child('csi'), 'has to be specified when using volumeAttributesClassName')]),
  ];
}

const isRootPath = (text: string | undefined): boolean => text !== undefined && /^\/[./]*$/.test(text);

function nodeAffinityErrors({ nodeAffinity }: PersistentVolumeSpec, path: FieldPath): readonly FieldError[] {
  if (!nodeAffinity) return [];
  const { required: selector } = nodeAffinity;
  if (!selector) return [required(path.child('required'), 'must specify required node constraints')];
  return validateNodeSelector(selector, path.child('required'));
}

const NOT_INLINE = 'may not be specified in the context of inline volumes';

function inlineClassErrors(
  { storageClassName, volumeMode }: PersistentVolumeSpec,
  path: FieldPath,
): FieldError[] {
  const errors = storageClassName ? [forbidden(path.child('storageClassName'), NOT_INLINE)] : [];
  if (volumeMode === undefined || volumeMode === 'Filesystem') return errors;
  const why = 'may not specify volumeMode other than Filesystem in the context of inline volumes';
  return [...errors, forbidden(path.child('volumeMode'), why)];
}

function inlineErrors(spec: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  const errors = spec.claimRef ? [forbidden(path.child('claimRef'), NOT_INLINE)] : [];
  if (Object.keys(spec.capacity ?? {}).length > 0) errors.push(forbidden(path.child('capacity'), NOT_INLINE));
  if (!spec.csi)
    errors.push(required(path.child('csi'), 'has to be specified in the context of inline volumes'));
  return errors;
}

/** `missing` is the text for no mode at all. */
export function accessModesErrors(modes: readonly string[], path: FieldPath, missing: string): FieldError[] {
  if (modes.length === 0) return [required(path, missing)];
  const errors = modes.flatMap((mode) => oneOf(mode, ACCESS_MODES, path));
  const others = ACCESS_MODES.filter((mode) => mode !== ONCE_PER_POD && modes.includes(mode));
  const isMixed = modes.includes(ONCE_PER_POD) && others.length > 0;
  return isMixed
    ? [...errors, forbidden(path, 'may not use ReadWriteOncePod with other access modes')]
    : errors;
}

type Amounts = Readonly<Record<string, string>>;

function capacityErrors(capacity: Amounts | undefined, path: FieldPath): FieldError[] {
  const names = Object.keys(capacity ?? {}).sort();
  const errors: FieldError[] = names.length === 0 ? [required(path)] : [];
  if (!names.includes('storage') || names.length > 1) {
    errors.push(notSupported(path, resourceListText(capacity), ['storage']));
  }
  for (const name of names) {
    const amount = capacity?.[name] ?? '0';
    append(errors, basicResourceErrors(amount, path.key(name)));
    if (!isPositiveQuantity(amount))
      errors.push(invalid(path.key(name), amount, 'must be greater than zero'));
  }
  return errors;
}

export const basicResourceErrors = (amount: string, path: FieldPath): FieldError[] => {
  const value = wholeValue(amount);
  const shown = new GoSyntax(value.toString());
  return value < 0n ? [invalid(path, shown, 'must be a valid resource quantity')] : [];
};

/** As Go prints a list of small quantities. */
function resourceListText(amounts: Amounts | undefined): GoSyntax {
  if (!amounts || Object.keys(amounts).length === 0)
    return amounts
      ? new GoSyntax('core.ResourceList{}', '{}')
      : new GoSyntax('core.ResourceList(nil)', 'null');
  const members = Object.keys(amounts)
    .sort()
    .map((name) => [name, goQuantity(amounts[name] ?? '0')] as const);
  return new GoSyntax(
    `core.ResourceList{${members.map(([name, { text }]) => `${goQuote(name)}:${text}`).join(', ')}}`,
    jsonMembers(members.map(([name, { json = '""' }]) => [name, json])),
  );
}

function sourceErrors(spec: PersistentVolumeSpec, path: FieldPath, place: VolumePlace): FieldError[] {
  const errors: FieldError[] = [];
  let count = 0;
  for (const name of VOLUME_SOURCES) {
    if (spec[name] === undefined) continue;
    // The real server forgets to count with this one.
    if (count > 0 && name !== 'flexVolume')
      errors.push(forbidden(path.child(countedAs(name)), 'may not specify more than 1 volume type'));
    else append(errors, checkSource(spec, name, path.child(checkedAs(name))));
    if (count === 0 && name === 'iscsi') append(errors, portalErrors(spec, path.child(name), place));
    if (count === 0 && name === 'local' && !spec.nodeAffinity)
      errors.push(required(path.child('nodeAffinity'), 'Local volume requires node affinity'));
    count += 1;
  }
  if (count === 0) errors.push(required(path, 'must specify a volume type'));
  return errors;
}

const MAX_PORTAL = 64;

function portalErrors(
  { iscsi }: PersistentVolumeSpec,
  path: FieldPath,
  { name }: VolumePlace,
): readonly FieldError[] {
  const { targetPortal = '', initiatorName } = iscsi ?? {};
  if (initiatorName === undefined || `${name}:${targetPortal}`.length <= MAX_PORTAL) return [];
  const why =
    'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
  return [invalid(path.child('targetportal'), targetPortal, why)];
}

type SourceName = (typeof VOLUME_SOURCES)[number];
type Check<Name extends SourceName> = (
  source: NonNullable<PersistentVolumeSpec[Name]>,
  path: FieldPath,
) => readonly FieldError[];

const CHECKS: { readonly [Name in SourceName]: Check<Name> } = {
  hostPath: hostPathErrors,
  gcePersistentDisk: gceDiskErrors,
  awsElasticBlockStore: awsDiskErrors,
  glusterfs: ({ endpointsNamespace, ...source }, path) => [
    ...glusterErrors(source, path),
    ...endpointsNamespaceErrors(endpointsNamespace, path.child('endpointsNamespace')),
  ],
  flocker: flockerErrors,
  nfs: nfsErrors,
  rbd: rbdErrors,
  quobyte: quobyteErrors,
  cephfs: cephErrors,
  iscsi: (source, path) => [
    ...iscsiErrors(source, path, 'must be valid format'),
    ...(source.secretRef ? needed(source.secretRef.name, path.child('secretRef', 'name')) : []),
  ],
  cinder: ({ volumeID, secretRef }, path) => [
    ...needed(volumeID, path.child('volumeID')),
    ...(secretRef ? secretErrors(secretRef, path.child('secretRef')) : []),
  ],
  fc: fibreErrors,
  flexVolume: flexErrors,
  azureFile: (source, path) => [
    ...azureFileErrors(source, path),
    ...(source.secretNamespace === '' ? [required(path.child('secretNamespace'))] : []),
  ],
  vsphereVolume: vsphereErrors,
  photonPersistentDisk: photonErrors,
  portworxVolume: portworxErrors,
  azureDisk: azureDiskErrors,
  scaleIO: scaleIoErrors,
  local: ({ path: text }, path) =>
    text ? validateNoBacksteps(text, path.child('path')) : [required(path.child('path'))],
  storageos: ({ secretRef, ...source }, path) => [
    ...storageOsErrors(source, path),
    ...(secretRef ? secretErrors(secretRef, path.child('secretRef')) : []),
  ],
  csi: (source, path) => [
    ...csiDriverErrors(source.driver, path),
    ...needed(source.volumeHandle, path.child('volumeHandle')),
    ...CSI_SECRETS.flatMap((name) => csiSecretErrors(source[name], path.child(name))),
  ],
};

const CSI_SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const;

function checkSource<Name extends SourceName>(
  spec: Pick<PersistentVolumeSpec, Name>,
  name: Name,
  path: FieldPath,
): readonly FieldError[] {
  const source = spec[name];
  return source === undefined || source === null ? [] : CHECKS[name](source, path);
}

function endpointsNamespaceErrors(namespace: string | undefined, path: FieldPath): readonly FieldError[] {
  if (namespace === undefined) return [];
  if (namespace === '')
    return [invalid(path, namespace, 'if the endpointnamespace is set, it must be a valid namespace name')];
  return checkedBy(dns1123Label, namespace, path);
}

interface SecretReference {
  readonly name?: string;
  readonly namespace?: string;
}

const secretErrors = ({ name, namespace }: SecretReference, path: FieldPath): readonly FieldError[] => [
  ...needed(name, path.child('name')),
  ...needed(namespace, path.child('namespace')),
];

function csiSecretErrors(secret: SecretReference | undefined, path: FieldPath): readonly FieldError[] {
  if (!secret) return [];
  const { name, namespace } = secret;
  return [
    ...(name ? checkedBy(dns1123Subdomain, name, path.child('name')) : [required(path.child('name'))]),
    ...(namespace
      ? checkedBy(dns1123Label, namespace, path.child('namespace'))
      : [required(path.child('namespace'))]),
  ];
}
