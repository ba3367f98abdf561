/** Restricted: volumes are of the cluster's own kinds; all else comes through claims. */
import type { Volume } from '../../../../api/types/core-v1.ts';
import { type Find, plural, type PodCheck, quoted, sortedSet } from '../check.ts';
import { hostPathVolumes } from './host-access.ts';

const ALLOWED = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
] as const satisfies readonly (keyof Volume)[];

const RESTRICTED = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
] as const satisfies readonly (keyof Volume)[];

const has = (volume: Volume, type: keyof Volume): boolean => volume[type] !== undefined;

const find: Find = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter((volume) => !ALLOWED.some((type) => has(volume, type)));
  if (bad.length === 0) return undefined;
  const types = sortedSet(bad.map((volume) => RESTRICTED.find((type) => has(volume, type)) ?? 'unknown'));
  const names = quoted(bad.map(({ name }) => name));
  const verb = bad.length === 1 ? 'uses' : 'use';
  return {
    reason: 'restricted volume types',
    detail: `${plural('volume', bad.length)} ${names} ${verb} ${plural('restricted volume type', types.length)} ${quoted(types)}`,
  };
};

export const restrictedVolumes: PodCheck = {
  id: 'restrictedVolumes',
  level: 'restricted',
  replaces: hostPathVolumes.id,
  versions: [{ since: 0, find }],
};
