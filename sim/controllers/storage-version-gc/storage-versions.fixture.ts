/** For tests of what servers say of the versions in which they store. */
import type { StorageVersion } from '../../api/types/internal-apiserver-k8s-io-v1alpha1.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';

export const STORAGE_VERSIONS: ResourceHandle<StorageVersion> = {
  group: 'internal.apiserver.k8s.io',
  version: 'v1alpha1',
  resource: 'storageversions',
  kind: 'StorageVersion',
  isNamespaced: false,
};
