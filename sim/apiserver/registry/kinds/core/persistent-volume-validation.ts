/** The rules of a volume's spec, also where it stands inline in another object. */
import { append } from '../../../../api/append.ts';
import { GoSyntax, goQuote } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { PersistentVolumeSpec } from '../../../../api/types/core-v1.ts';
import { checkedBy, isPositiveQuantity, oneOf, wholeValue } from '../../../../api/validation/field-checks.ts';
import { forbidden, invalid, notSupported, required } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Subdomain } from '../../../../api/validation/names.ts';

export const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
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

export function volumeSpecErrors(
  spec: PersistentVolumeSpec,
  path: FieldPath,
  { isInline }: { readonly isInline: boolean },
): FieldError[] {
  const errors: FieldError[] = isInline ? inlineErrors(spec, path) : [];
  append(errors, accessModesErrors(spec.accessModes ?? [], path.child('accessModes'), ''));
  if (!isInline) append(errors, capacityErrors(spec.capacity, path.child('capacity')));
  const policy = spec.persistentVolumeReclaimPolicy;
  const policyPath = path.child('persistentVolumeReclaimPolicy');
  if (policy && !isInline) append(errors, oneOf(policy, ['Delete', 'Recycle', 'Retain'], policyPath));
  append(errors, sourceErrors(spec, path));
  if (spec.hostPath?.path === '/' && policy === 'Recycle') {
    errors.push(forbidden(policyPath, "may not be 'recycle' for a hostPath mount of '/'"));
  }
  if (isInline) return errors;
  if (spec.storageClassName)
    append(errors, checkedBy(dns1123Subdomain, spec.storageClassName, path.child('storageClassName')));
  if (spec.volumeMode !== undefined)
    append(errors, oneOf(spec.volumeMode, VOLUME_MODES, path.child('volumeMode')));
  return errors;
}

const NOT_INLINE = [
  'claimRef',
  'capacity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeMode',
] as const;

function inlineErrors(spec: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  const errors = NOT_INLINE.filter((member) => spec[member] !== undefined && spec[member] !== '').map(
    (member) => forbidden(path.child(member), 'may not be specified in the context of inline volumes'),
  );
  if (!spec.csi)
    errors.push(required(path.child('csi'), 'has to be specified in the context of inline volumes'));
  return errors;
}

/** `missing` is the text for no mode at all. */
export function accessModesErrors(modes: readonly string[], path: FieldPath, missing: string): FieldError[] {
  if (modes.length === 0) return [required(path, missing)];
  const errors = modes.flatMap((mode) => oneOf(mode, ACCESS_MODES, path));
  const isMixed = modes.includes('ReadWriteOncePod') && modes.some((mode) => mode !== 'ReadWriteOncePod');
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
  return value < 0n ? [invalid(path, Number(value), 'must be a valid resource quantity')] : [];
};

/** As Go prints a list of small quantities. */
function resourceListText(amounts: Amounts | undefined): GoSyntax {
  if (!amounts || Object.keys(amounts).length === 0) return new GoSyntax('core.ResourceList(nil)');
  const members = Object.keys(amounts)
    .sort()
    .map((name) => `${goQuote(name)}:${quantityText(amounts[name] ?? '0')}`);
  return new GoSyntax(`core.ResourceList{${members.join(', ')}}`);
}

const quantityText = (amount: string): string =>
  `resource.Quantity{i:resource.int64Amount{value:${wholeValue(amount)}, scale:0}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:${goQuote(amount)}, Format:${goQuote(/i$/.test(amount) ? 'BinarySI' : 'DecimalSI')}}`;

function sourceErrors(spec: PersistentVolumeSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  let count = 0;
  for (const name of VOLUME_SOURCES) {
    if (spec[name] === undefined) continue;
    if (count > 0) errors.push(forbidden(path.child(name), 'may not specify more than 1 volume type'));
    else append(errors, mandatoryMembers(spec, name, path.child(name)));
    count += 1;
  }
  if (count === 0) errors.push(required(path, 'must specify a volume type'));
  return errors;
}

/** Members without which a source says nothing. */
const MANDATORY: Readonly<Partial<Record<(typeof VOLUME_SOURCES)[number], readonly string[]>>> = {
  hostPath: ['path'],
  gcePersistentDisk: ['pdName'],
  awsElasticBlockStore: ['volumeID'],
  glusterfs: ['endpoints', 'path'],
  nfs: ['server', 'path'],
  rbd: ['monitors', 'image'],
  iscsi: ['targetPortal', 'iqn'],
  cinder: ['volumeID'],
  azureFile: ['secretName', 'shareName'],
  vsphereVolume: ['volumePath'],
  portworxVolume: ['volumeID'],
  azureDisk: ['diskName', 'diskURI'],
  local: ['path'],
  csi: ['driver', 'volumeHandle'],
};

function mandatoryMembers(
  spec: PersistentVolumeSpec,
  name: (typeof VOLUME_SOURCES)[number],
  path: FieldPath,
): FieldError[] {
  const source: object = spec[name] ?? {};
  return (MANDATORY[name] ?? [])
    .filter((member) => !Reflect.get(source, member))
    .map((member) => required(path.child(member)));
}
