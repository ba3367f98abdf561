/** Rules of places where volumes are, as far as pods and persistent volumes share them. */
import type { FieldError } from '../../../../api/status.ts';
import type { PersistentVolumeSpec, Volume } from '../../../../api/types/core-v1.ts';
import { checkedBy, oneOf } from '../../../../api/validation/field-checks.ts';
import { goStringSlice } from '../../../../api/go-text.ts';
import { invalid, notSupported, required } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Label, rangeFinding } from '../../../../api/validation/names.ts';
import { driverNameErrors } from '../storage/driver-name.ts';
import { validateNoBacksteps } from './validate-paths.ts';

export const NONE: readonly FieldError[] = [];

/** A source of either, whichever members of secrets it has. */
type Source<Name extends keyof PersistentVolumeSpec & keyof Volume> =
  NonNullable<PersistentVolumeSpec[Name]> | NonNullable<Volume[Name]>;
type Errors = readonly FieldError[];

export const needed = (text: string | null | undefined, path: FieldPath): Errors =>
  text ? NONE : [required(path)];

export const neededList = (list: readonly unknown[] | undefined, path: FieldPath): Errors =>
  list && list.length > 0 ? NONE : [required(path)];

const HOST_PATH_TYPES = [
  ...['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'],
];

export function hostPathErrors({ path: text, type }: Source<'hostPath'>, path: FieldPath): Errors {
  if (!text) return [required(path.child('path'))];
  return [
    ...validateNoBacksteps(text, path.child('path')),
    ...(type === undefined || HOST_PATH_TYPES.includes(type)
      ? NONE
      : [notSupported(path.child('type'), type, HOST_PATH_TYPES)]),
  ];
}

const MAX_PARTITION = 255;

function partitionErrors(partition: number | undefined, path: FieldPath): Errors {
  if (partition === undefined || (partition >= 0 && partition <= MAX_PARTITION)) return NONE;
  return [invalid(path, partition, rangeFinding(1, MAX_PARTITION))];
}

export const gceDiskErrors = (
  { pdName, partition }: Source<'gcePersistentDisk'>,
  path: FieldPath,
): Errors => [
  ...needed(pdName, path.child('pdName')),
  ...partitionErrors(partition, path.child('partition')),
];

export const awsDiskErrors = (
  { volumeID, partition }: Source<'awsElasticBlockStore'>,
  path: FieldPath,
): Errors => [
  ...needed(volumeID, path.child('volumeID')),
  ...partitionErrors(partition, path.child('partition')),
];

export const nfsErrors = (source: Source<'nfs'>, path: FieldPath): Errors => [
  ...needed(source.server, path.child('server')),
  ...needed(source.path, path.child('path')),
  ...(source.path?.startsWith('/')
    ? NONE
    : [invalid(path.child('path'), source.path ?? '', 'must be an absolute path')]),
];

const IQN = /iqn\.\d{4}-\d{2}\.([0-9A-Za-z\-.]+)(:[^,;*&$|\s]+)$/;
const EUI = /^eui.[0-9A-Za-z]{16}$/;
const NAA = /^naa.[0-9A-Za-z]{32}$/;
const INITIATORS = [
  ['iqn', IQN],
  ['eui', EUI],
  ['naa', NAA],
] as const;

const OTHER_INITIATOR = 'must be valid format starting with iqn, eui, or naa';

function initiatorErrors(name: string, path: FieldPath, other = OTHER_INITIATOR): Errors {
  const form = INITIATORS.find(([prefix]) => name.startsWith(prefix));
  if (!form) return [invalid(path, name, other)];
  return form[1].test(name) ? NONE : [invalid(path, name, 'must be valid format')];
}

const MAX_LUN = 255;

export function iscsiErrors(
  source: Source<'iscsi'>,
  path: FieldPath,
  otherInitiator = OTHER_INITIATOR,
): FieldError[] {
  const { targetPortal, iqn, lun = 0, initiatorName, chapAuthDiscovery, chapAuthSession, secretRef } = source;
  return [
    ...needed(targetPortal, path.child('targetPortal')),
    ...(iqn ? initiatorErrors(iqn, path.child('iqn'), otherInitiator) : [required(path.child('iqn'))]),
    ...(lun < 0 || lun > MAX_LUN ? [invalid(path.child('lun'), lun, rangeFinding(0, MAX_LUN))] : NONE),
    ...((chapAuthDiscovery || chapAuthSession) && !secretRef ? [required(path.child('secretRef'))] : NONE),
    ...(initiatorName === undefined
      ? NONE
      : initiatorErrors(initiatorName, path.child('initiatorname'), otherInitiator)),
  ];
}

export const glusterErrors = (source: Source<'glusterfs'>, path: FieldPath): Errors => [
  ...needed(source.endpoints, path.child('endpoints')),
  ...needed(source.path, path.child('path')),
];

export function flockerErrors(
  { datasetName = '', datasetUUID = '' }: Source<'flocker'>,
  path: FieldPath,
): Errors {
  const errors: FieldError[] = [];
  if (!datasetName && !datasetUUID)
    errors.push(required(path, 'one of datasetName and datasetUUID is required'));
  if (datasetName && datasetUUID) {
    errors.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  }
  if (datasetName.includes('/'))
    errors.push(invalid(path.child('datasetName'), datasetName, "must not contain '/'"));
  return errors;
}

export const rbdErrors = ({ monitors, image }: Source<'rbd'>, path: FieldPath): Errors => [
  ...neededList(monitors, path.child('monitors')),
  ...needed(image, path.child('image')),
];

const MAX_TENANT = 64;
const REGISTRY = 'must be a host:port pair or multiple pairs separated by commas';

export function quobyteErrors(
  { registry = '', tenant = '', volume }: Source<'quobyte'>,
  path: FieldPath,
): Errors {
  const errors: FieldError[] = [];
  const own = path.child('registry');
  if (!registry) errors.push(required(own, REGISTRY));
  else if (tenant.length > MAX_TENANT) {
    errors.push(
      required(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters'),
    );
  } else {
    for (const pair of registry.split(','))
      if (!isHostAndPort(pair)) errors.push(invalid(own, registry, REGISTRY));
  }
  return [...errors, ...needed(volume, path.child('volume'))];
}

const isHostAndPort = (pair: string): boolean => /^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/.test(pair);

export const cephErrors = ({ monitors }: Source<'cephfs'>, path: FieldPath): Errors =>
  neededList(monitors, path.child('monitors'));

export const cinderErrors = ({ volumeID, secretRef }: Source<'cinder'>, path: FieldPath): Errors => [
  ...needed(volumeID, path.child('volumeID')),
  ...(secretRef ? needed(secretRef.name, path.child('secretRef', 'name')) : NONE),
];

const BOTH_NAMES = 'targetWWNs and wwids can not be specified simultaneously';
const NO_NAMES = 'must specify either targetWWNs or wwids, but not both';

export function fibreErrors({ targetWWNs = [], wwids = [], lun }: Source<'fc'>, path: FieldPath): Errors {
  const own = path.child('targetWWNs');
  const errors: FieldError[] = [];
  if (targetWWNs.length === 0 && wwids.length === 0) errors.push(required(own, NO_NAMES));
  if (targetWWNs.length === 0) return errors;
  if (wwids.length > 0) errors.push(invalid(own, goStringSlice(targetWWNs), BOTH_NAMES));
  if (lun === undefined)
    errors.push(required(path.child('lun'), 'lun is required if targetWWNs is specified'));
  else if (lun < 0 || lun > MAX_LUN) errors.push(invalid(path.child('lun'), lun, rangeFinding(0, MAX_LUN)));
  return errors;
}

export function flexErrors({ driver, options = {} }: Source<'flexVolume'>, path: FieldPath): Errors {
  const errors: FieldError[] = [...needed(driver, path.child('driver'))];
  for (const key of Object.keys(options).sort()) {
    const slash = key.indexOf('/');
    const domain = `.${(slash < 0 ? key : key.slice(0, slash)).toLowerCase()}`;
    if (domain.endsWith('.kubernetes.io') || domain.endsWith('.k8s.io')) {
      const why = 'kubernetes.io and k8s.io namespaces are reserved';
      errors.push(invalid(path.child('options').key(key), key, why));
    }
  }
  return errors;
}

export const azureFileErrors = (
  { secretName, shareName }: Source<'azureFile'>,
  path: FieldPath,
): FieldError[] => [
  ...needed(secretName, path.child('secretName')),
  ...needed(shareName, path.child('shareName')),
];

const MANAGED_DISK =
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_DISK = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

export function azureDiskErrors(source: Source<'azureDisk'>, path: FieldPath): Errors {
  const { diskName, diskURI = '', cachingMode, kind } = source;
  const errors: FieldError[] = [
    ...needed(diskName, path.child('diskName')),
    ...needed(diskURI, path.child('diskURI')),
    ...(cachingMode === undefined
      ? NONE
      : oneOf(cachingMode, ['None', 'ReadOnly', 'ReadWrite'], path.child('cachingMode'))),
    ...(kind === undefined ? NONE : oneOf(kind, ['Dedicated', 'Managed', 'Shared'], path.child('kind'))),
  ];
  if (kind === 'Managed' && !diskURI.startsWith('/subscriptions/'))
    errors.push(notSupported(path.child('diskURI'), diskURI, [MANAGED_DISK]));
  if (kind !== undefined && kind !== 'Managed' && !diskURI.startsWith('https://'))
    errors.push(notSupported(path.child('diskURI'), diskURI, [BLOB_DISK]));
  return errors;
}

export const vsphereErrors = ({ volumePath }: Source<'vsphereVolume'>, path: FieldPath): Errors =>
  needed(volumePath, path.child('volumePath'));

export const photonErrors = ({ pdID }: Source<'photonPersistentDisk'>, path: FieldPath): Errors =>
  needed(pdID, path.child('pdID'));

export const portworxErrors = ({ volumeID }: Source<'portworxVolume'>, path: FieldPath): Errors =>
  needed(volumeID, path.child('volumeID'));

export const scaleIoErrors = (source: Source<'scaleIO'>, path: FieldPath): Errors => [
  ...needed(source.gateway, path.child('gateway')),
  ...needed(source.system, path.child('system')),
  ...needed(source.volumeName, path.child('volumeName')),
];

export const storageOsErrors = (
  { volumeName, volumeNamespace, secretRef }: Source<'storageos'>,
  path: FieldPath,
): FieldError[] => [
  ...(volumeName
    ? checkedBy(dns1123Label, volumeName, path.child('volumeName'))
    : [required(path.child('volumeName'))]),
  ...(volumeNamespace ? checkedBy(dns1123Label, volumeNamespace, path.child('volumeNamespace')) : NONE),
  ...(secretRef ? needed(secretRef.name, path.child('secretRef', 'name')) : NONE),
];

export const csiDriverErrors = (driver: string | undefined, path: FieldPath): Errors =>
  driverNameErrors(driver ?? '', path.child('driver'));

/** Some sources have another name in the paths of what is wrong with them, or of there being one too many. */
const CHECKED_AS: Readonly<Record<string, string>> = { gcePersistentDisk: 'persistentDisk' };
const COUNTED_AS: Readonly<Record<string, string>> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' };

export const checkedAs = (name: string): string => CHECKED_AS[name] ?? name;
export const countedAs = (name: string): string => COUNTED_AS[name] ?? name;
