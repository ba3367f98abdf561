/** Which volume a claim gets: the smallest that fits, one that is meant for it before all others. Pure. Kubernetes 1.31. */
import { compareQuantities, parseQuantity } from '../quantity.ts';
import { labelSelectorOf } from '../selector/label-selector.ts';
import type { ObjectReference, PersistentVolume, PersistentVolumeClaim } from '../types/core-v1.ts';

const ACCESS_MODES = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'] as const;
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** Empty: of no class. */
export const classOf = ({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string =>
  metadata.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? '';

/** It says of which class it is to be, even if of none: no class is chosen for it. */
export const hasClass = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  metadata.annotations?.[CLASS_ANNOTATION] !== undefined || spec?.storageClassName !== undefined;

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
  if (volume.metadata.deletionTimestamp)
    return `the volume is marked for deletion "${volume.metadata.name ?? ''}"`;
  if (isSmaller(capacityOf(volume), requestOf(claim))) return 'requested PV is too small';
  if (classOf(volume) !== classOf(claim)) return 'storageClassName does not match';
  if (attributesClassOf(volume) !== attributesClassOf(claim))
    return 'volumeAttributesClassName does not match';
  if (modeOf(volume) !== modeOf(claim)) return 'incompatible volumeMode';
  if (!offersModes(volume, claim)) return 'incompatible accessMode';
  return undefined;
}

/**
 * Of those that offer at least what the claim asks for, volumes with fewer access modes come first, and only among
 * those with equal ones the smallest. `isDelayed`: the claim waits for its first pod, so it only gets what is meant for it.
 */
export function volumeToBind(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  isDelayed: boolean,
): PersistentVolume | undefined {
  const offered = volumes.filter((volume) => offersModes(volume, claim));
  for (const modes of modeSetsOf(offered)) {
    const alike = offered.filter((volume) => modesOf(volume) === modes);
    const found = bestOf(claim, alike, { isDelayed });
    if (found) return found;
  }
  return undefined;
}

const modesOf = ({ spec }: PersistentVolume): string =>
  ACCESS_MODES.filter((mode) => spec?.accessModes?.includes(mode)).join();

const modeSetsOf = (volumes: readonly PersistentVolume[]): readonly string[] =>
  [...new Set(volumes.map(modesOf))].toSorted(
    (one, other) => one.split(',').length - other.split(',').length,
  );

export interface Search {
  readonly isDelayed?: boolean;
  /** Whether a volume may be used where the claim is wanted. One that is meant for the claim and may not ends the search. */
  readonly reaches?: (volume: PersistentVolume) => boolean;
}

/** The smallest that will do; one that is meant for the claim comes first. */
export function bestOf(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  { isDelayed = false, reaches = () => true }: Search,
): PersistentVolume | undefined {
  const selector = claim.spec?.selector && labelSelectorOf(claim.spec.selector);
  let best: PersistentVolume | undefined;
  for (const volume of volumes) {
    if (volume.metadata.deletionTimestamp || modeOf(volume) !== modeOf(claim)) continue;
    if (isSmaller(capacityOf(volume), requestOf(claim))) continue;
    if (attributesClassOf(volume) !== attributesClassOf(claim)) continue;
    if (isMeantFor(volume.spec?.claimRef, claim)) return reaches(volume) ? volume : undefined;
    if (isDelayed || volume.spec?.claimRef || volume.status?.phase !== 'Available') continue;
    if (selector && !selector.matches(volume.metadata.labels ?? {})) continue;
    if (classOf(volume) !== classOf(claim) || !offersModes(volume, claim) || !reaches(volume)) continue;
    if (!best || isSmaller(capacityOf(volume), capacityOf(best))) best = volume;
  }
  return best;
}

const capacityOf = ({ spec }: PersistentVolume): string => spec?.capacity?.['storage'] ?? '0';

const requestOf = ({ spec }: PersistentVolumeClaim): string => spec?.resources?.requests?.['storage'] ?? '0';

const isSmaller = (one: string, other: string): boolean =>
  compareQuantities(parseQuantity(one), parseQuantity(other)) < 0;

const attributesClassOf = ({ spec }: PersistentVolume | PersistentVolumeClaim): string =>
  spec?.volumeAttributesClassName ?? '';

export const modeOf = ({ spec }: PersistentVolume | PersistentVolumeClaim): string =>
  spec?.volumeMode ?? 'Filesystem';

const offersModes = (volume: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (claim.spec?.accessModes ?? []).every((mode) => volume.spec?.accessModes?.includes(mode));
