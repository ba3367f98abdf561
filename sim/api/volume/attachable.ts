/**
 * Volumes that have to be attached to a node before they can be mounted there: those of CSI drivers, and those of clouds
 * that drivers have taken over. Pure. Kubernetes 1.31.
 */
import type { PersistentVolume, PersistentVolumeSpec } from '../types/core-v1.ts';

export interface AttachableVolume {
  /** Of the driver that attaches it. */
  readonly driver: string;
  readonly handle: string;
  /** As Nodes call it in `volumesInUse` and `volumesAttached`. */
  readonly uniqueName: string;
  /** Several nodes may have it at once. */
  readonly isShared: boolean;
}

/** Undefined: nothing has to be attached. `skipsAttach`: drivers whose CSIDriver says so. */
export function attachableOf(
  { spec }: PersistentVolume,
  skipsAttach: (driver: string) => boolean = () => false,
): AttachableVolume | undefined {
  const found = spec && driverOf(spec);
  if (!found || skipsAttach(found.driver)) return undefined;
  const modes = spec.accessModes ?? [];
  return {
    ...found,
    uniqueName: `kubernetes.io/csi/${found.driver}^${found.handle}`,
    isShared: modes.length === 0 || modes.some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany'),
  };
}

function driverOf({
  csi,
  awsElasticBlockStore,
  azureDisk,
  cinder,
  gcePersistentDisk,
  vsphereVolume,
}: PersistentVolumeSpec): { readonly driver: string; readonly handle: string } | undefined {
  if (csi) return { driver: csi.driver, handle: csi.volumeHandle };
  if (awsElasticBlockStore) return { driver: 'ebs.csi.aws.com', handle: awsElasticBlockStore.volumeID };
  if (azureDisk) return { driver: 'disk.csi.azure.com', handle: azureDisk.diskURI };
  if (cinder) return { driver: 'cinder.csi.openstack.org', handle: cinder.volumeID };
  if (vsphereVolume) return { driver: 'csi.vsphere.vmware.com', handle: vsphereVolume.volumePath };
  if (!gcePersistentDisk) return undefined;
  const handle = `projects/UNSPECIFIED/zones/UNSPECIFIED/disks/${gcePersistentDisk.pdName}`;
  return { driver: 'pd.csi.storage.gke.io', handle };
}
