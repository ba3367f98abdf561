/**
 * Who owns the files of a pod's volumes, and what their modes are: as agents set them, with the pod's `fsGroup`. Pure.
 * Kubernetes 1.31 (kubelet).
 */
import type { Pod, Volume } from '../../api/types/core-v1.ts';
import { type FileAttributes, type FileOwner, OF_ROOT, SET_GROUP, STICKY } from '../machine/disk.ts';
import { isFilled } from './projected-sources.ts';

const OPEN_TO_ALL = 0o777;
const USUAL_DIRECTORY = 0o755;
const READS = 0o440;
const READS_AND_WRITES = 0o660;
const ENTERS = 0o110;
const PRIVATE = 0o600;

const groupOf = ({ spec }: Pod): number | undefined => spec?.securityContext?.fsGroup;

const owned = (pod: Pod): FileOwner => ({ ...OF_ROOT, gid: groupOf(pod) ?? OF_ROOT.gid });

/** Of a file that an agent fills a volume with, where the volume says `mode`. */
export const filledFile = (mode: number, pod: Pod): FileAttributes => ({
  mode: groupOf(pod) === undefined ? mode : mode | READS,
  owner: owned(pod),
});

/** A token is for those alone of whom it is known who they are. */
export function filledToken(mode: number, pod: Pod): FileAttributes {
  const uid = onlyUserOf(pod);
  const isOfOne = uid !== undefined || groupOf(pod) !== undefined;
  const { mode: shown, owner } = filledFile(isOfOne ? PRIVATE : mode, pod);
  return { mode: shown, owner: { ...owner, uid: uid ?? owner.uid } };
}

/** Undefined: one of its containers does not say whom it runs as, or two say otherwise. */
function onlyUserOf({ spec }: Pod): number | undefined {
  const all = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  const users = new Set(
    all.map(({ securityContext }) => securityContext?.runAsUser ?? spec?.securityContext?.runAsUser),
  );
  const [user] = users;
  return users.size === 1 ? user : undefined;
}

/** What an agent keeps in memory. */
export const isInMemory = ({ emptyDir, secret, downwardAPI, projected }: Volume): boolean =>
  emptyDir?.medium === 'Memory' || (secret ?? downwardAPI ?? projected) !== undefined;

/** Of the directory that a volume is. What lies on the node's own disk is nobody's to change. */
export function volumeDirectory(volume: Volume, pod: Pod): FileAttributes {
  const isOwn = volume.emptyDir !== undefined || isFilled(volume);
  const mode = isOwn ? OPEN_TO_ALL | (isInMemory(volume) ? STICKY : 0) : USUAL_DIRECTORY;
  if (groupOf(pod) === undefined || volume.hostPath) return { mode, owner: OF_ROOT };
  const granted = isFilled(volume) ? READS : READS_AND_WRITES;
  return { mode: mode | granted | ENTERS | SET_GROUP, owner: owned(pod) };
}
