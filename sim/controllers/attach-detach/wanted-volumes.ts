/** Which volumes are wanted on which nodes: those of claims of pods that are bound and have not ended. Pure. */
import { attachableOf, type AttachableVolume } from '../../api/volume/attachable.ts';
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/types/core-v1.ts';
import { isFinished } from '../workload/pods.ts';

const MANAGED = 'volumes.kubernetes.io/controller-managed-attach-detach';

/** A volume on a node. */
export interface Place {
  readonly volume: AttachableVolume;
  /** Name of the PersistentVolume. */
  readonly name: string;
  readonly node: string;
}

export interface WantedPlace extends Place {
  /** The pods that want it there. */
  readonly pods: readonly Pod[];
}

export const placeKey = ({ volume, node }: Pick<Place, 'volume' | 'node'>): string =>
  `${volume.uniqueName} ${node}`;

export interface VolumeViews {
  readonly pods: readonly Pod[];
  readonly nodeCalled: (name: string) => Node | undefined;
  /** By `namespace/name`. */
  readonly claimCalled: (key: string) => PersistentVolumeClaim | undefined;
  readonly volumeCalled: (name: string) => PersistentVolume | undefined;
  readonly skipsAttach: (driver: string) => boolean;
}

/** By `placeKey`. */
export function wantedPlaces(views: VolumeViews): ReadonlyMap<string, WantedPlace> {
  const wanted = new Map<string, WantedPlace>();
  for (const pod of views.pods) {
    const node = views.nodeCalled(pod.spec?.nodeName ?? '');
    if (node?.metadata.annotations?.[MANAGED] !== 'true' || isFinished(pod)) continue;
    for (const { volume, name } of attachablesOf(pod, views)) {
      const place = { volume, name, node: node.metadata.name ?? '' };
      const key = placeKey(place);
      wanted.set(key, { ...place, pods: [...(wanted.get(key)?.pods ?? []), pod] });
    }
  }
  return wanted;
}

function* attachablesOf(
  { metadata, spec }: Pod,
  { claimCalled, volumeCalled, skipsAttach }: VolumeViews,
): Generator<Pick<Place, 'volume' | 'name'>> {
  for (const { name: local, persistentVolumeClaim, ephemeral } of spec?.volumes ?? []) {
    const claimName =
      persistentVolumeClaim?.claimName ?? (ephemeral ? `${metadata.name ?? ''}-${local}` : undefined);
    const claim =
      claimName === undefined ? undefined : claimCalled(`${metadata.namespace ?? ''}/${claimName}`);
    const found = claim && volumeCalled(claim.spec?.volumeName ?? '');
    // Another claim of the same name had it.
    if (!found || found.spec?.claimRef?.uid !== claim.metadata.uid) continue;
    const volume = attachableOf(found, skipsAttach);
    if (volume) yield { volume, name: found.metadata.name ?? '' };
  }
}
