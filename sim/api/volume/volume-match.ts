/** Which volume a claim gets: the smallest that fits, one that is meant for it before all others. Pure. Kubernetes 1.31. */
import { compareQuantities, parseQuantity } from '../quantity.ts';
import { labelSelectorOf } from '../selector/label-selector.ts';
import type { ObjectReference, PersistentVolume, PersistentVolumeClaim } from '../types/core-v1.ts';

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** Empty: of no class. */
export const classOf = ({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string =>
  metadata.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? '';

/** The volume's own word: it may be given to this claim alone. */
export const isMeantFor = (
  reference: ObjectReference | undefined,
  { metadata: { name, namespace, uid } }: PersistentVolumeClaim,
): boolean =>
  reference !== undefined &&
  reference.name === name &&
  reference.namespace === namespace &&
  (!reference.uid || reference.uid === uid);

/** Why a volume that the claim names itself does not do; undefined: it does. */
export function mismatchOf(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (isSmaller(capacityOf(volume), requestOf(claim))) return 'requested PV is too small';
  if (classOf(volume) !== classOf(claim)) return 'storageClassName does not match';
  if (modeOf(volume) !== modeOf(claim)) return 'incompatible volumeMode';
  if (!offersModes(volume, claim)) return 'incompatible accessMode';
  return undefined;
}

/** `isDelayed`: the claim waits for its first pod, so it only gets what is meant for it. */
export function bestVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  isDelayed: boolean,
): PersistentVolume | undefined {
  const selector = claim.spec?.selector && labelSelectorOf(claim.spec.selector);
  let best: PersistentVolume | undefined;
  for (const volume of volumes) {
    if (volume.metadata.deletionTimestamp || modeOf(volume) !== modeOf(claim)) continue;
    if (!offersModes(volume, claim) || isSmaller(capacityOf(volume), requestOf(claim))) continue;
    if (isMeantFor(volume.spec?.claimRef, claim)) return volume;
    if (isDelayed || volume.spec?.claimRef || volume.status?.phase !== 'Available') continue;
    if (selector && !selector.matches(volume.metadata.labels ?? {})) continue;
    if (classOf(volume) !== classOf(claim)) continue;
    if (!best || isSmaller(capacityOf(volume), capacityOf(best))) best = volume;
  }
  return best;
}

const capacityOf = ({ spec }: PersistentVolume): string => spec?.capacity?.['storage'] ?? '0';

const requestOf = ({ spec }: PersistentVolumeClaim): string => spec?.resources?.requests?.['storage'] ?? '0';

const isSmaller = (one: string, other: string): boolean =>
  compareQuantities(parseQuantity(one), parseQuantity(other)) < 0;

const modeOf = ({ spec }: PersistentVolume | PersistentVolumeClaim): string =>
  spec?.volumeMode ?? 'Filesystem';

const offersModes = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (claim.spec?.accessModes ?? []).every((mode) => volume.spec?.accessModes?.includes(mode));
