/** Which volume a claim that waits for its first pod would get on a node, if any. Pure. Kubernetes 1.31. */
import { matchesTerm } from '../../api/selector/node-selector.ts';
import type { Node, PersistentVolume, PersistentVolumeClaim } from '../../api/types/core-v1.ts';
import { bestOf } from '../../api/volume/volume-match.ts';
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

/** The smallest that will do; one that is meant for the claim comes first. */
export const findVolume = (
  claim: PersistentVolumeClaim,
  { volumes, taken, node }: Choice,
): PersistentVolume | undefined =>
  bestOf(
    claim,
    volumes.filter((volume) => !taken.has(volume.metadata.name ?? '')),
    { reaches: (volume) => isReachable(volume, node) },
  );

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
