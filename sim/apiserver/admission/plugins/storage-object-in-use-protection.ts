/** StorageObjectInUseProtection: volumes and claims get a finalizer, so that none goes while it is in use. */
import type { AdmissionPlugin } from '../admission.ts';

const FINALIZERS: Readonly<Record<string, string>> = {
  persistentvolumes: 'kubernetes.io/pv-protection',
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
};

export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  handles: (operation, { group, resource }, subresource) =>
    operation === 'CREATE' && group === '' && subresource === '' && Object.hasOwn(FINALIZERS, resource),
  admit: ({ object, resource }) => {
    const finalizer = FINALIZERS[resource.resource];
    if (!object || finalizer === undefined) return;
    const present = object.metadata.finalizers ?? [];
    if (!present.includes(finalizer)) object.metadata.finalizers = [...present, finalizer];
  },
};
