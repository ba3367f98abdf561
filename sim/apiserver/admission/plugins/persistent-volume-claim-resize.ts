/** PersistentVolumeClaimResize: a claim may ask for more only if it is bound and its class allows expansion. */
import { forbidden } from '../../../api/status.ts';
import { compareQuantities, parseQuantity } from '../../../api/quantity.ts';
import type { PersistentVolumeClaim } from '../../../api/types/core-v1.ts';
import type { StorageClass } from '../../../api/types/storage-k8s-io-v1.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';

export const persistentVolumeClaimResize: AdmissionPlugin = {
  name: 'PersistentVolumeClaimResize',
  handles: (operation, { group, resource }, subresource) =>
    operation === 'UPDATE' && group === '' && resource === 'persistentvolumeclaims' && subresource === '',
  validate: (attributes) => {
    const claim = attributes.object as PersistentVolumeClaim;
    const old = attributes.oldObject as PersistentVolumeClaim;
    const [wanted, present] = [sizeOf(claim), sizeOf(old)];
    if (wanted === undefined || present === undefined) return;
    if (compareQuantities(parseQuantity(wanted), parseQuantity(present)) <= 0) return;
    if (old.status?.phase !== 'Bound') return;
    if (!allowsExpansion(attributes, old)) {
      throw forbidden(
        attributes.resource,
        attributes.name,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      );
    }
  },
};

const sizeOf = ({ spec }: PersistentVolumeClaim): string | undefined => {
  const size: unknown = spec?.resources?.requests?.['storage'];
  return typeof size === 'string' ? size : undefined;
};

function allowsExpansion({ context }: AdmissionAttributes, claim: PersistentVolumeClaim): boolean {
  const name = claim.spec?.storageClassName ?? '';
  const storageClass = name === '' ? undefined : context.lookup('storageclasses.storage.k8s.io', '', name);
  return (storageClass as StorageClass | undefined)?.allowVolumeExpansion === true;
}
