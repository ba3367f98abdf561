/** Rules of a pod's volumes. A volume that breaks one does not exist for the containers' mounts. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { Volume } from '../../../../api/types/core-v1.ts';
import { duplicate, forbidden, invalid, required } from '../../../../api/validation/field-error.ts';
import { goLength, goQuote } from '../../../../api/go-text.ts';
import { checkedBy, isNegativeQuantity, oneOf } from '../../../../api/validation/field-checks.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Label, dns1123Subdomain } from '../../../../api/validation/names.ts';
import { validateItems, validateMode } from './validate-files.ts';
import { claimTemplateErrors } from '../core/claim-spec.ts';
import { validateDescendingPath } from './validate-paths.ts';
import { validateDownwardFile, validateProjected } from './validate-projected.ts';
import {
  awsDiskErrors,
  azureDiskErrors,
  azureFileErrors,
  cephErrors,
  checkedAs,
  cinderErrors,
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
  NONE,
  photonErrors,
  portworxErrors,
  quobyteErrors,
  rbdErrors,
  scaleIoErrors,
  storageOsErrors,
  vsphereErrors,
} from './volume-sources.ts';

export interface CheckedVolumes {
  readonly errors: readonly FieldError[];
  /** By name, those without errors. */
  readonly volumes: ReadonlyMap<string, Volume>;
}

/** `podName`: of the pod itself; templates have none, nor volumes of their own. */
export function validateVolumes(
  list: readonly Volume[] | undefined,
  path: FieldPath,
  podName = '',
): CheckedVolumes {
  const volumes = new Map<string, Volume>();
  const errors: FieldError[] = [];
  list?.forEach((volume, at) => {
    const own = path.index(at);
    const found = [
      ...validateSources(volume, own),
      ...claimNameErrors(volume, podName, own.child('name')),
      ...portalErrors(volume, own.child('name')),
      ...validateName(volume.name, volumes, own.child('name')),
    ];
    if (found.length === 0) volumes.set(volume.name, volume);
    append(errors, found);
  });
  return { errors, volumes };
}

const MAX_PORTAL = 64;

function portalErrors({ name, iscsi }: Volume, path: FieldPath): readonly FieldError[] {
  if (iscsi?.initiatorName === undefined) return NONE;
  if (goLength(`${name}:${iscsi.targetPortal}`) <= MAX_PORTAL) return NONE;
  const why =
    'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
  return [invalid(path, name, why)];
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
  hostPath: hostPathErrors,
  gitRepo: ({ repository, directory }, path) => [
    ...needed(repository, path.child('repository')),
    ...(directory ? validateDescendingPath(directory, path.child('directory')) : NONE),
  ],
  gcePersistentDisk: gceDiskErrors,
  awsElasticBlockStore: awsDiskErrors,
  secret: ({ secretName, defaultMode, items }, path) => [
    ...needed(secretName, path.child('secretName')),
    ...validateMode(defaultMode, path.child('defaultMode')),
    ...validateItems(items, path.child('items')),
  ],
  nfs: nfsErrors,
  iscsi: iscsiErrors,
  glusterfs: glusterErrors,
  flocker: flockerErrors,
  persistentVolumeClaim: ({ claimName }, path) => needed(claimName, path.child('claimName')),
  rbd: rbdErrors,
  cinder: cinderErrors,
  cephfs: cephErrors,
  quobyte: quobyteErrors,
  downwardAPI: ({ defaultMode, items }, path) => [
    ...validateMode(defaultMode, path.child('defaultMode')),
    ...(items ?? []).flatMap((file) => validateDownwardFile(file, path)),
  ],
  fc: fibreErrors,
  flexVolume: flexErrors,
  configMap: ({ name, defaultMode, items }, path) => [
    ...needed(name, path.child('name')),
    ...validateMode(defaultMode, path.child('defaultMode')),
    ...validateItems(items, path.child('items')),
  ],
  azureFile: azureFileErrors,
  vsphereVolume: vsphereErrors,
  photonPersistentDisk: photonErrors,
  portworxVolume: portworxErrors,
  azureDisk: azureDiskErrors,
  storageos: storageOsErrors,
  projected: (source, path) => validateProjected(source, path),
  scaleIO: scaleIoErrors,
  csi: ({ driver, nodePublishSecretRef: secret }, path) => [
    ...csiDriverErrors(driver, path),
    ...(secret ? secretNameErrors(secret.name, path.child('nodePublishSecretRef', 'name')) : NONE),
  ],
  ephemeral: ({ volumeClaimTemplate }, path) => claimTemplateErrors(volumeClaimTemplate, path),
  image: ({ reference, pullPolicy = '' }, path) => [
    ...(reference ? NONE : [required(path.child('reference'))]),
    ...oneOf(pullPolicy, ['Always', 'IfNotPresent', 'Never'], path.child('pullPolicy')),
  ],
};

const secretNameErrors = (name: string | undefined, path: FieldPath): readonly FieldError[] =>
  name ? checkedBy(dns1123Subdomain, name, path) : [required(path)];

const SOURCES = Object.keys(CHECKS) as (keyof typeof CHECKS)[];

function validateSources(volume: Volume, path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  let count = 0;
  for (const name of SOURCES) {
    if (volume[name] === undefined) continue;
    count += 1;
    if (count > 1)
      errors.push(forbidden(path.child(countedAs(name)), 'may not specify more than 1 volume type'));
    else append(errors, checkSource(volume, name, path.child(checkedAs(name))));
  }
  if (count === 0) errors.push(required(path, 'must specify a volume type'));
  return errors;
}

/** A claim is made for the volume, under the names of both. */
function claimNameErrors(volume: Volume, podName: string, path: FieldPath): readonly FieldError[] {
  const { name, ephemeral } = volume;
  if (!ephemeral || SOURCES.find((each) => volume[each]) !== 'ephemeral' || !podName || !name) return NONE;
  const claimName = `${podName}-${name}`;
  return dns1123Subdomain(claimName).map((finding) =>
    invalid(path, name, `PVC name ${goQuote(claimName)}: ${finding}`),
  );
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
