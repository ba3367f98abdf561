/**
 * What the attach-detach controller begins in one round: what nobody wants on a node any more is detached once the node
 * has let go of it, and then what is wanted is attached. A volume that only one node may have waits for the others.
 * Pure. Kubernetes 1.31.
 */
import type { Pod } from '../../api/types/core-v1.ts';
import { type Place, placeKey, type WantedPlace } from './wanted-volumes.ts';

/** A node that does not answer is given so long to let go of a volume. */
export const FORCED_DETACH_MS = 6 * 60_000;

export interface AttachedPlace extends Place {
  /** Since when nobody wants it there. */
  readonly unwantedSinceMs: number | undefined;
  /** Nobody knows whether it is really there: an attempt may have been half done. */
  readonly isUncertain: boolean;
}

export interface NodeState {
  readonly isReady: boolean;
  readonly isOutOfService: boolean;
  /** Names of volumes that its agent uses. */
  readonly inUse: readonly string[];
}

export interface AttachmentView {
  readonly wanted: ReadonlyMap<string, WantedPlace>;
  readonly attached: ReadonlyMap<string, AttachedPlace>;
  /** Something is being done with the volume there, or is not to be tried again yet. */
  readonly isBusy: (place: Place) => boolean;
  readonly nodeState: (name: string) => NodeState | undefined;
  readonly nowMs: number;
}

export type AttachmentStep =
  | { readonly kind: 'attach'; readonly place: WantedPlace }
  | { readonly kind: 'detach'; readonly place: AttachedPlace }
  /** `message` for each pod that waits. */
  | { readonly kind: 'blocked'; readonly place: WantedPlace; readonly messageFor: (pod: Pod) => string };

export function attachmentSteps(view: AttachmentView): readonly AttachmentStep[] {
  const { wanted, attached, isBusy } = view;
  const steps: AttachmentStep[] = [];
  for (const [key, place] of attached)
    if (!wanted.has(key) && !isBusy(place) && mayLeave(place, view)) steps.push({ kind: 'detach', place });
  for (const [key, place] of wanted) {
    const present = attached.get(key);
    if ((present && !present.isUncertain) || isBusy(place)) continue;
    const others = place.volume.isShared ? [] : othersWith(place, attached);
    steps.push(
      others.length > 0
        ? { kind: 'blocked', place, messageFor: (pod) => blockedMessage(place, podsOn(others, wanted), pod) }
        : { kind: 'attach', place },
    );
  }
  return steps;
}

function mayLeave({ volume, node, unwantedSinceMs }: AttachedPlace, view: AttachmentView): boolean {
  const state = view.nodeState(node);
  if (!state?.inUse.includes(volume.uniqueName) || state.isOutOfService) return true;
  return !state.isReady && view.nowMs - (unwantedSinceMs ?? view.nowMs) > FORCED_DETACH_MS;
}

const othersWith = (
  { volume, node }: Place,
  attached: ReadonlyMap<string, AttachedPlace>,
): readonly AttachedPlace[] =>
  [...attached.values()].filter(
    (other) => other.volume.uniqueName === volume.uniqueName && other.node !== node,
  );

const podsOn = (places: readonly Place[], wanted: ReadonlyMap<string, WantedPlace>): readonly Pod[] =>
  places.flatMap((place) => wanted.get(placeKey(place))?.pods ?? []);

/** Who reads it learns no names of other namespaces. */
function blockedMessage({ name }: Place, users: readonly Pod[], { metadata }: Pod): string {
  const near = users.filter((user) => user.metadata.namespace === metadata.namespace);
  const far = users.length - near.length;
  const names = near.map((user) => user.metadata.name ?? '').join(', ');
  const elsewhere = `${far} pod(s) in different namespaces`;
  const why =
    users.length === 0
      ? "Volume is already exclusively attached to one node and can't be attached to another"
      : near.length === 0
        ? `Volume is already used by ${elsewhere}`
        : `Volume is already used by pod(s) ${names}${far > 0 ? ` and ${elsewhere}` : ''}`;
  return `Multi-Attach error for volume "${name}" ${why}`;
}
