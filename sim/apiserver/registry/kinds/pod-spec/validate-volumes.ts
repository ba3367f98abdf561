/** Rules of a pod's volumes. A volume that breaks one does not exist for the containers' mounts. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { Volume } from '../../../../api/types/core-v1.ts';
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../../api/validation/field-error.ts';
import { isNegativeQuantity } from '../../../../api/validation/field-checks.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Label } from '../../../../api/validation/names.ts';
import { validateItems, validateMode } from './validate-files.ts';
import { validateFilePath, validateNoBacksteps } from './validate-paths.ts';
import { validateDownwardFile, validateProjected } from './validate-projected.ts';

const NONE: readonly FieldError[] = [];

export interface CheckedVolumes {
  readonly errors: readonly FieldError[];
  /** By name, those without errors. */
  readonly volumes: ReadonlyMap<string, Volume>;
}

export function validateVolumes(list: readonly Volume[] | undefined, path: FieldPath): CheckedVolumes {
  const volumes = new Map<string, Volume>();
  const errors: FieldError[] = [];
  list?.forEach((volume, at) => {
    const own = path.index(at);
    const found = [...validateSources(volume, own), ...validateName(volume.name, volumes, own.child('name'))];
    if (found.length === 0) volumes.set(volume.name, volume);
    append(errors, found);
  });
  return { errors, volumes };
}

function validateName(
  name: string,
  seen: ReadonlyMap<string, Volume>,
  path: FieldPath,
): readonly FieldError[] {
  if (!name) return [required(path)];
  const errors = dns1123Label(name).map((finding) => invalid(path, name, finding));
  if (seen.has(name)) errors.push(duplicate(path, name));
  return errors;
}

type Sources = Omit<Volume, 'name'>;
type Check<Name extends keyof Sources> = (
  source: NonNullable<Volume[Name]>,
  path: FieldPath,
) => readonly FieldError[];

/** In the order in which the server looks for them. */
const CHECKS: { readonly [Name in keyof Required<Sources>]?: Check<Name> } = {
  emptyDir: ({ sizeLimit }, path) =>
    sizeLimit !== undefined && isNegativeQuantity(sizeLimit)
      ? [forbidden(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity')]
      : NONE,
  hostPath: (source, path) => validateHostPath(source, path),
  gitRepo: ({ repository, directory }, path) => [
    ...needed(repository, path.child('repository')),
    ...(directory ? validateFilePath(directory, path.child('directory')) : NONE),
  ],
  gcePersistentDisk: ({ pdName }, path) => needed(pdName, path.child('pdName')),
  awsElasticBlockStore: ({ volumeID }, path) => needed(volumeID, path.child('volumeID')),
  secret: ({ secretName, defaultMode, items }, path) => [
    ...needed(secretName, path.child('secretName')),
    ...validateMode(defaultMode, path.child('defaultMode')),
    ...validateItems(items, path.child('items')),
  ],
  nfs: (source, path) => [
    ...needed(source.server, path.child('server')),
    ...needed(source.path, path.child('path')),
    ...(source.path && !source.path.startsWith('/')
      ? [invalid(path.child('path'), source.path, 'must be an absolute path')]
      : NONE),
  ],
  iscsi: ({ targetPortal, iqn }, path) => [
    ...needed(targetPortal, path.child('targetPortal')),
    ...needed(iqn, path.child('iqn')),
  ],
  glusterfs: (source, path) => [
    ...needed(source.endpoints, path.child('endpoints')),
    ...needed(source.path, path.child('path')),
  ],
  persistentVolumeClaim: ({ claimName }, path) => needed(claimName, path.child('claimName')),
  rbd: ({ monitors, image }, path) => [
    ...(monitors && monitors.length > 0 ? NONE : [required(path.child('monitors'))]),
    ...needed(image, path.child('image')),
  ],
  cinder: ({ volumeID }, path) => needed(volumeID, path.child('volumeID')),
  cephfs: ({ monitors }, path) =>
    monitors && monitors.length > 0 ? NONE : [required(path.child('monitors'))],
  flocker: ({ datasetName, datasetUUID }, path) =>
    datasetName || datasetUUID ? NONE : [required(path, 'one of datasetName and datasetUUID is required')],
  downwardAPI: ({ defaultMode, items }, path) => [
    ...validateMode(defaultMode, path.child('defaultMode')),
    ...(items ?? []).flatMap((file) => validateDownwardFile(file, path)),
  ],
  fc: () => NONE,
  azureFile: ({ secretName, shareName }, path) => [
    ...needed(secretName, path.child('secretName')),
    ...needed(shareName, path.child('shareName')),
  ],
  configMap: ({ name, defaultMode, items }, path) => [
    ...needed(name, path.child('name')),
    ...validateMode(defaultMode, path.child('defaultMode')),
    ...validateItems(items, path.child('items')),
  ],
  vsphereVolume: ({ volumePath }, path) => needed(volumePath, path.child('volumePath')),
  quobyte: ({ volume }, path) => needed(volume, path.child('volume')),
  azureDisk: ({ diskName, diskURI }, path) => [
    ...needed(diskName, path.child('diskName')),
    ...needed(diskURI, path.child('diskURI')),
  ],
  photonPersistentDisk: ({ pdID }, path) => needed(pdID, path.child('pdID')),
  projected: (source, path) => validateProjected(source, path),
  portworxVolume: ({ volumeID }, path) => needed(volumeID, path.child('volumeID')),
  scaleIO: ({ gateway, volumeName }, path) => [
    ...needed(gateway, path.child('gateway')),
    ...needed(volumeName, path.child('volumeName')),
  ],
  storageos: ({ volumeName }, path) => needed(volumeName, path.child('volumeName')),
  flexVolume: ({ driver }, path) => needed(driver, path.child('driver')),
  csi: ({ driver }, path) => needed(driver, path.child('driver')),
  ephemeral: ({ volumeClaimTemplate }, path) => {
    const own = path.child('volumeClaimTemplate');
    if (!volumeClaimTemplate) return [required(own)];
    const { accessModes, resources } = volumeClaimTemplate.spec ?? {};
    const errors: FieldError[] = [];
    if (!accessModes || accessModes.length === 0) {
      errors.push(required(own.child('spec', 'accessModes'), 'at least 1 access mode is required'));
    }
    if (resources?.requests?.['storage'] === undefined) {
      errors.push(required(own.child('spec', 'resources').key('storage')));
    }
    return errors;
  },
};

const SOURCES = Object.keys(CHECKS) as (keyof typeof CHECKS)[];

function validateSources(volume: Volume, path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  let count = 0;
  for (const name of SOURCES) {
    if (volume[name] === undefined) continue;
    count += 1;
    if (count > 1) errors.push(forbidden(path.child(name), 'may not specify more than 1 volume type'));
    else append(errors, checkSource(volume, name, path.child(name)));
  }
  if (count === 0) errors.push(required(path, 'must specify a volume type'));
  return errors;
}

function checkSource<Name extends keyof Sources>(
  volume: Pick<Volume, Name>,
  name: Name,
  path: FieldPath,
): readonly FieldError[] {
  const source = volume[name];
  const check = CHECKS[name];
  return source !== undefined && check ? check(source, path) : NONE;
}

const needed = (text: string | undefined, path: FieldPath): readonly FieldError[] =>
  text ? NONE : [required(path)];

const HOST_PATH_TYPES = [
  ...['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'],
];

function validateHostPath(
  { path: text, type = '' }: NonNullable<Volume['hostPath']>,
  path: FieldPath,
): readonly FieldError[] {
  if (!text) return [required(path.child('path'))];
  return [
    ...validateNoBacksteps(text, path.child('path')),
    ...(HOST_PATH_TYPES.includes(type) ? NONE : [notSupported(path.child('type'), type, HOST_PATH_TYPES)]),
  ];
}
