/** Which volume a claim that waits for its first pod would get on a node, if any. Pure. Kubernetes 1.31. */
import { compareQuantities, parseQuantity } from '../../api/quantity.ts';
import { labelSelectorOf } from '../../api/selector/label-selector.ts';
import { matchesTerm } from '../../api/selector/node-selector.ts';
import type { Node, PersistentVolume, PersistentVolumeClaim } from '../../api/types/core-v1.ts';
import type { StorageClass } from '../../api/types/storage-k8s-io-v1.ts';

/** Whether the volume can be used on that node. */
export function isReachable({ spec }: PersistentVolume, node: Node): boolean {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms;
  return !terms || terms.some((term) => matchesTerm(term, node));
}

export interface Choice {
  readonly volumes: readonly PersistentVolume[];
  /** Volumes that other claims of the pod get. */
  readonly taken: ReadonlySet<string>;
  readonly node: Node;
}

const sizeOf = ({ spec }: PersistentVolume): string => spec?.capacity?.['storage'] ?? '0';

/** The smallest that will do; one that is meant for the claim comes first. */
export function findVolume(
  claim: PersistentVolumeClaim,
  { volumes, taken, node }: Choice,
): PersistentVolume | undefined {
  let smallest: PersistentVolume | undefined;
  for (const volume of volumes) {
    if (taken.has(volume.metadata.name ?? '') || !isReachable(volume, node)) continue;
    const meant = volume.spec?.claimRef;
    if (meant && !isMeantFor(meant, claim)) continue;
    if (!suits(volume, claim)) continue;
    if (meant) return volume;
    const isSmaller =
      !smallest || compareQuantities(parseQuantity(sizeOf(volume)), parseQuantity(sizeOf(smallest))) < 0;
    if (isSmaller) smallest = volume;
  }
  return smallest;
}

function isMeantFor(
  { namespace, name, uid }: { readonly namespace?: string; readonly name?: string; readonly uid?: string },
  { metadata }: PersistentVolumeClaim,
): boolean {
  return namespace === metadata.namespace && name === metadata.name && (!uid || uid === metadata.uid);
}

function suits(volume: PersistentVolume, { spec }: PersistentVolumeClaim): boolean {
  const { accessModes = [], storageClassName = '', volumeMode = 'Filesystem' } = volume.spec ?? {};
  if (volume.metadata.deletionTimestamp !== undefined) return false;
  if (volume.status?.phase !== undefined && volume.status.phase !== 'Available' && !volume.spec?.claimRef)
    return false;
  if ((spec?.storageClassName ?? '') !== storageClassName) return false;
  if ((spec?.volumeMode ?? 'Filesystem') !== volumeMode) return false;
  if (!(spec?.accessModes ?? []).every((mode) => accessModes.includes(mode))) return false;
  if (spec?.selector && !labelSelectorOf(spec.selector).matches(volume.metadata.labels)) return false;
  const wanted = spec?.resources?.requests?.['storage'] ?? '0';
  return compareQuantities(parseQuantity(sizeOf(volume)), parseQuantity(wanted)) >= 0;
}

const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/** Whether a volume could be made for that node. */
export function isProvisionable(storageClass: StorageClass | undefined, { metadata }: Node): boolean {
  if (!storageClass || storageClass.provisioner === NO_PROVISIONER) return false;
  const { allowedTopologies = [] } = storageClass;
  return (
    allowedTopologies.length === 0 ||
    allowedTopologies.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(({ key, values }) => values.includes(metadata.labels?.[key] ?? '')),
    )
  );
}
