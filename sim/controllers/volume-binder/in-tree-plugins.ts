/**
 * What the manager's own plugins can do with volumes: nearly nothing is left to them. Those of clouds have given all to
 * CSI drivers, paths of a machine can be wiped and deleted, NFS can be wiped. Pure. Kubernetes 1.31.
 */
import type { PersistentVolume } from '../../api/types/core-v1.ts';
import { driverOf } from '../../api/volume/migrated-plugins.ts';

export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
export const MIGRATED_TO = 'pv.kubernetes.io/migrated-to';
const OWN = 'kubernetes.io/';
const HOST_PATH = 'kubernetes.io/host-path';
const NFS = 'kubernetes.io/nfs';
const OWN_FINALIZER = 'kubernetes.io/pv-controller';
const EXTERNAL_FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer';

type Annotated = { readonly annotations?: Readonly<Record<string, string>> };

/** Says whose work it is now; the same metadata where that stands there already. */
export function migrated<M extends Annotated>(metadata: M, provisioner: string | undefined): M {
  const { annotations } = metadata;
  if (!annotations || provisioner === undefined) return metadata;
  const driver = driverOf(provisioner);
  if (annotations[MIGRATED_TO] === driver) return metadata;
  const { [MIGRATED_TO]: _, ...others } = annotations;
  return { ...metadata, annotations: driver === undefined ? others : { ...others, [MIGRATED_TO]: driver } };
}

/** A volume that a plugin of the manager has made is not to go before what it stands for; the same list where nothing changes. */
export function finalizersOf({ metadata, spec }: PersistentVolume): readonly string[] | undefined {
  const { finalizers } = metadata;
  const provisioner = metadata.annotations?.[PROVISIONED_BY];
  if (provisioner === undefined) return finalizers;
  if (driverOf(provisioner) !== undefined) return without(finalizers, OWN_FINALIZER);
  if (!provisioner.startsWith(OWN)) return finalizers;
  const isDeleted = spec?.persistentVolumeReclaimPolicy === 'Delete';
  const own = isDeleted ? withOne(finalizers, OWN_FINALIZER) : without(finalizers, OWN_FINALIZER);
  return without(own, EXTERNAL_FINALIZER);
}

export const withoutOwnFinalizer = (finalizers: readonly string[] | undefined) =>
  without(finalizers, OWN_FINALIZER);

const without = (list: readonly string[] | undefined, name: string): readonly string[] | undefined =>
  list?.includes(name) ? list.filter((each) => each !== name) : list;

const withOne = (list: readonly string[] | undefined, name: string): readonly string[] =>
  list?.includes(name) ? list : [...(list ?? []), name];

export type Provisioner =
  | { readonly kind: 'external'; readonly name: string }
  /** It is one of the manager's own, and refuses. */
  | { readonly kind: 'refusing'; readonly name: string; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

export function provisionerOf(name: string): Provisioner {
  const driver = driverOf(name);
  if (driver !== undefined) return { kind: 'external', name: driver };
  if (!name.startsWith(OWN)) return { kind: 'external', name };
  if (name === NFS) return { kind: 'unknown', message: 'no provisionable volume plugin matched' };
  if (name !== HOST_PATH) return { kind: 'unknown', message: `no volume plugin matched name: ${name}` };
  const message = `Failed to create provisioner: provisioning in volume plugin "${HOST_PATH}" is disabled`;
  return { kind: 'refusing', name, message };
}

/** What comes of deleting what a volume stands for. */
export type Deletion = 'done' | 'left to others' | { readonly failure: string };

export function deletionOf(volume: PersistentVolume): Deletion {
  const { annotations, name = '' } = volume.metadata;
  const provisioner = annotations?.[PROVISIONED_BY] ?? '';
  if (provisioner !== '') return deletionBy(provisioner, volume);
  if (annotations?.[MIGRATED_TO] !== undefined || volume.spec?.csi) return 'left to others';
  if (volume.spec?.hostPath) return pathDeletion(volume);
  const reason = volume.spec?.nfs ? 'no deletable volume plugin matched' : 'no volume plugin matched';
  return { failure: `error getting deleter volume plugin for volume "${name}": ${reason}` };
}

function deletionBy(provisioner: string, volume: PersistentVolume): Deletion {
  if (provisioner === HOST_PATH) return pathDeletion(volume);
  if (!provisioner.startsWith(OWN)) return 'left to others';
  if (provisioner === NFS) return { failure: 'no deletable volume plugin matched' };
  return { failure: `no volume plugin matched name: ${provisioner}` };
}

function pathDeletion({ metadata, spec }: PersistentVolume): Deletion {
  if (!spec?.hostPath)
    return {
      failure: `failed to create deleter for volume "${metadata.name ?? ''}": spec.PersistentVolumeSource.HostPath is nil`,
    };
  const { path } = spec.hostPath;
  if (/\/tmp\/.+/.test(path)) return 'done';
  return { failure: `host_path deleter only supports /tmp/.+ but received provided ${path}` };
}

/** What a volume that can be wiped is, to the pod that wipes it, and how long that may take for a GiB, and at least. */
export function wipingOf({ spec }: PersistentVolume) {
  if (spec?.hostPath) return { source: { hostPath: { path: spec.hostPath.path } }, leastSeconds: 60 };
  if (!spec?.nfs) return undefined;
  const { server, path } = spec.nfs;
  return { source: { nfs: { server, path } }, leastSeconds: 300 };
}
