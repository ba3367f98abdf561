/**
 * What was decided about the claims of one pod, as it is written, and whether it has come about since. What was seen before
 * the writing says nothing of it. Kubernetes 1.31.
 */
import type { ApiObject } from '../../api/object.ts';
import type { Node, PersistentVolume, PersistentVolumeClaim } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import type { Process } from '../../engine/process.ts';
import type { Listers } from '../framework/plugin.ts';
import { SchedulerError } from '../framework/rejection.ts';
import { isReachable } from './find-volume.ts';
import { isBound, SELECTED_NODE } from './pod-claims.ts';

const { persistentVolumes, persistentVolumeClaims } = BUILTIN_HANDLES;
const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';

export interface Decision {
  readonly claim: PersistentVolumeClaim;
  /** Undefined: one is to be made for the node. */
  readonly volume: PersistentVolume | undefined;
}

/** With the objects as the writing has left them. */
export type Written = Decision;

/** @throws CallFailure */
export function* write(client: ApiClient, { claim, volume }: Decision, node: string): Process<Written> {
  if (volume) return { claim, volume: yield* reserve(client, claim, volume) };
  const annotations = { ...claim.metadata.annotations, [SELECTED_NODE]: node };
  const selecting = { ...claim, metadata: { ...claim.metadata, annotations } };
  return { claim: yield* client.update(persistentVolumeClaims, selecting), volume };
}

function* reserve(
  client: ApiClient,
  { metadata: { name = '', namespace = '', uid, resourceVersion } }: PersistentVolumeClaim,
  volume: PersistentVolume,
): Process<PersistentVolume> {
  if (volume.spec?.claimRef?.uid !== undefined) return volume;
  const claimRef = {
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    namespace,
    name,
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  const { metadata, spec } = volume;
  const isOwnChoice = spec?.claimRef === undefined;
  return yield* client.update(persistentVolumes, {
    ...volume,
    metadata: isOwnChoice
      ? { ...metadata, annotations: { ...metadata.annotations, [BOUND_BY_CONTROLLER]: 'yes' } }
      : metadata,
    spec: { ...spec, claimRef },
  });
}

/** @throws SchedulerError when it will not come about any more */
export function isComeAbout({ claim, volume }: Written, node: Node, { claims, volumes }: Listers): boolean {
  const present = claims.get(storeKeyOf(claim));
  if (!present || present.metadata.uid !== claim.metadata.uid) throw missing('persistentvolumeclaim', claim);
  if (isSeenBefore(present, claim)) return false;
  if (volume) {
    const presentVolume = volumes.get(storeKeyOf(volume));
    if (!presentVolume) throw missing('persistentvolume', volume);
    if (isSeenBefore(presentVolume, volume)) return false;
    checkReach(presentVolume, node);
    if (!presentVolume.spec?.claimRef?.uid)
      throw new SchedulerError(`binding volumes: ClaimRef got reset for pv ${nameOf(volume)}`);
  } else {
    // Whoever could not make one takes the node away again.
    if (present.metadata.annotations?.[SELECTED_NODE] !== node.metadata.name)
      throw new SchedulerError(`binding volumes: provisioning failed for PVC ${nameOf(claim)}`);
    const made = volumes.get(present.spec?.volumeName ?? '');
    if (!made) return false;
    checkReach(made, node);
  }
  return isBound(present);
}

const isSeenBefore = (seen: ApiObject, written: ApiObject): boolean =>
  Number(seen.metadata.resourceVersion ?? 0) < Number(written.metadata.resourceVersion ?? 0);

function checkReach(volume: PersistentVolume, node: Node): void {
  if (!isReachable(volume, node))
    throw new SchedulerError(
      `binding volumes: pv ${nameOf(volume)} node affinity doesn't match node ${nameOf(node)}: no matching NodeSelectorTerms`,
    );
}

const missing = (resource: string, object: ApiObject): SchedulerError =>
  new SchedulerError(`binding volumes: ${resource} ${nameOf(object)} not found`);

const nameOf = ({ metadata: { name = '' } }: ApiObject): string => JSON.stringify(name);
