/** The two sides of a binding, as they are to be written; the same object where nothing is missing. Pure. */
import type { ObjectReference, PersistentVolume, PersistentVolumeClaim } from '../../api/types/core-v1.ts';
import { BIND_COMPLETED, BOUND_BY_CONTROLLER } from './claim-plan.ts';

type ClaimPhase = NonNullable<NonNullable<PersistentVolumeClaim['status']>['phase']>;

const PRE_RESIZE_CAPACITY = 'volume.alpha.kubernetes.io/pre-resize-capacity';

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

/** The volume without the claim that it was given: what somebody else wrote of it stays, but for the uid. */
export function volumeUnbound(volume: PersistentVolume): PersistentVolume {
  const { claimRef, ...spec } = volume.spec ?? {};
  const { annotations, ...others } = volume.metadata;
  if (annotations?.[BOUND_BY_CONTROLLER] !== undefined) {
    const { [BOUND_BY_CONTROLLER]: _, ...kept } = annotations;
    const metadata = Object.keys(kept).length > 0 ? { ...others, annotations: kept } : others;
    return { ...volume, metadata, spec };
  }
  const { uid: _, ...meant } = claimRef ?? {};
  return { ...volume, spec: { ...spec, claimRef: meant } };
}

/** The claim in that phase; the same object where it says so already. What others wrote of its state stays. */
export function claimInPhase(
  claim: PersistentVolumeClaim,
  phase: ClaimPhase,
  volume?: PersistentVolume,
): PersistentVolumeClaim {
  const { accessModes, capacity, currentVolumeAttributesClassName, ...others } = claim.status ?? {};
  const isNew = claim.status?.phase !== phase;
  if (!volume) {
    if (!isNew && !accessModes && !capacity && currentVolumeAttributesClassName === undefined) return claim;
    return { ...claim, status: { ...others, phase } };
  }
  const offered = volume.spec?.accessModes;
  if (!isNew && (accessModes ?? []).join() === (offered ?? []).join()) return claim;
  const given = isNew ? { ...capacity, ...capacityOf(volume) } : capacity;
  const className = isNew ? volume.spec?.volumeAttributesClassName : currentVolumeAttributesClassName;
  const status = {
    ...others,
    phase,
    ...(offered && { accessModes: offered }),
    ...(given && { capacity: given }),
    ...(className !== undefined && { currentVolumeAttributesClassName: className }),
  };
  return { ...claim, status };
}

/** Of a volume that has grown and whose files have not yet, as much as they have. */
function capacityOf({ metadata, spec }: PersistentVolume): Readonly<Record<string, string>> | undefined {
  const before = metadata.annotations?.[PRE_RESIZE_CAPACITY];
  return before === undefined ? spec?.capacity : { storage: before };
}

const annotated = <M extends PersistentVolume['metadata']>(metadata: M, name: string): M => ({
  ...metadata,
  annotations: { ...metadata.annotations, [name]: 'yes' },
});
