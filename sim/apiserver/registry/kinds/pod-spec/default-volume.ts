/** Defaults of one volume of a pod. A volume that names no source is an empty directory. */
import type { DownwardAPIVolumeFile, Volume } from '../../../../api/types/core-v1.ts';
import type { Draft } from '../../strategy.ts';
import { defaultClaimSpec } from '../core/claim-spec.ts';

const FILE_MODE = 0o644;
const TOKEN_SECONDS = 3_600;

export function defaultVolume(volume: Draft<Volume>): void {
  if (Object.keys(volume).every((member) => member === 'name')) volume.emptyDir = {};
  if (volume.secret) volume.secret.defaultMode ??= FILE_MODE;
  if (volume.configMap) volume.configMap.defaultMode ??= FILE_MODE;
  if (volume.downwardAPI) {
    volume.downwardAPI.defaultMode ??= FILE_MODE;
    defaultFiles(volume.downwardAPI.items);
  }
  if (volume.hostPath) volume.hostPath.type ??= '';
  if (volume.iscsi) volume.iscsi.iscsiInterface ||= 'default';
  const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
  if (claim) defaultClaimSpec(claim);
  defaultProjected(volume);
  defaultRemoteDisks(volume);
}

function defaultProjected({ projected }: Draft<Volume>): void {
  if (!projected) return;
  projected.defaultMode ??= FILE_MODE;
  for (const source of projected.sources ?? []) {
    defaultFiles(source.downwardAPI?.items);
    if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= TOKEN_SECONDS;
  }
}

function defaultRemoteDisks({ rbd, azureDisk, scaleIO }: Draft<Volume>): void {
  if (rbd) {
    rbd.pool ||= 'rbd';
    rbd.user ||= 'admin';
    rbd.keyring ||= '/etc/ceph/keyring';
  }
  if (azureDisk) {
    azureDisk.cachingMode ??= 'ReadWrite';
    azureDisk.kind ??= 'Shared';
    azureDisk.fsType ??= 'ext4';
    azureDisk.readOnly ??= false;
  }
  if (scaleIO) {
    scaleIO.storageMode ||= 'ThinProvisioned';
    scaleIO.fsType ||= 'xfs';
  }
}

function defaultFiles(items: Draft<DownwardAPIVolumeFile>[] | undefined): void {
  for (const { fieldRef } of items ?? []) if (fieldRef) fieldRef.apiVersion ||= 'v1';
}
