/** Plugins whose volumes are in the care of CSI drivers by now, and which those are. Kubernetes 1.31. */
import type { PersistentVolumeSpec } from '../types/core-v1.ts';

interface MigratedSource {
  /** Member of a volume that is of this plugin. */
  readonly source: keyof PersistentVolumeSpec;
  readonly plugin: string;
  readonly driver: string;
}

export const MIGRATED_SOURCES: readonly MigratedSource[] = [
  { source: 'awsElasticBlockStore', plugin: 'kubernetes.io/aws-ebs', driver: 'ebs.csi.aws.com' },
  { source: 'azureDisk', plugin: 'kubernetes.io/azure-disk', driver: 'disk.csi.azure.com' },
  { source: 'azureFile', plugin: 'kubernetes.io/azure-file', driver: 'file.csi.azure.com' },
  { source: 'cinder', plugin: 'kubernetes.io/cinder', driver: 'cinder.csi.openstack.org' },
  { source: 'gcePersistentDisk', plugin: 'kubernetes.io/gce-pd', driver: 'pd.csi.storage.gke.io' },
  { source: 'portworxVolume', plugin: 'kubernetes.io/portworx-volume', driver: 'pxd.portworx.com' },
  { source: 'vsphereVolume', plugin: 'kubernetes.io/vsphere-volume', driver: 'csi.vsphere.vmware.com' },
];

const DRIVERS: ReadonlyMap<string, string> = new Map(
  MIGRATED_SOURCES.map(({ plugin, driver }) => [plugin, driver]),
);

/** Undefined: the plugin still does its work itself, or there is none of that name. */
export const driverOf = (plugin: string): string | undefined => DRIVERS.get(plugin);
