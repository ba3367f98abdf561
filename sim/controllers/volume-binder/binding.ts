/** The two sides of a binding, as they are to be written; the same object where nothing is missing. Pure. */
import type { ObjectReference, PersistentVolume, PersistentVolumeClaim } from '../../api/types/core-v1.ts';
import { BIND_COMPLETED, BOUND_BY_CONTROLLER } from './claim-plan.ts';

/** The volume says whose it is. */
export function volumeBoundTo(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const { claimRef } = volume.spec ?? {};
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  if (claimRef?.uid === uid && claimRef?.name === name && claimRef?.namespace === namespace) return volume;
  const reference: ObjectReference = {
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  // Whoever named the claim in the volume keeps that word when the claim goes.
  const metadata = claimRef ? volume.metadata : annotated(volume.metadata, BOUND_BY_CONTROLLER);
  return { ...volume, metadata, spec: { ...volume.spec, claimRef: reference } };
}

/** The claim says what it has. */
export function claimBoundTo(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim {
  const { name = '' } = volume.metadata;
  const isNamed = claim.spec?.volumeName === name;
  const isComplete = claim.metadata.annotations?.[BIND_COMPLETED] !== undefined;
  if (isNamed && isComplete) return claim;
  const named = isNamed ? claim.metadata : annotated(claim.metadata, BOUND_BY_CONTROLLER);
  const metadata = isComplete ? named : annotated(named, BIND_COMPLETED);
  return { ...claim, metadata, spec: { ...claim.spec, volumeName: name } };
}

/** The volume without the claim that it was given: what somebody else wrote of it stays. */
export function volumeUnbound(volume: PersistentVolume): PersistentVolume {
  const { claimRef, ...spec } = volume.spec ?? {};
  if (volume.metadata.annotations?.[BOUND_BY_CONTROLLER] !== undefined) {
    const { [BOUND_BY_CONTROLLER]: _, ...annotations } = volume.metadata.annotations;
    return { ...volume, metadata: { ...volume.metadata, annotations }, spec };
  }
  const { uid: _, resourceVersion: __, ...meant } = claimRef ?? {};
  return { ...volume, spec: { ...spec, claimRef: meant } };
}

const annotated = <M extends PersistentVolume['metadata']>(metadata: M, name: string): M => ({
  ...metadata,
  annotations: { ...metadata.annotations, [name]: 'yes' },
});
