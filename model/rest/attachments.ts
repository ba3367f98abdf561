/**
 * At rest volumes of drivers are attached where pods want them and nowhere else, once, and Nodes say so. Written from
 * "CSI volumes" and the API of VolumeAttachment; only volumes that name a driver are looked at.
 */
import type { PersistentVolume, Pod } from '../../sim/api/types/core-v1.ts';
import type { CSIDriver, VolumeAttachment } from '../../sim/api/types/storage-k8s-io-v1.ts';
import { hasEnded } from '../pod-facts.ts';
import { conditionOf, isGoing, textOf, type RestView } from './rest-view.ts';

/** A volume by its name, and a node: `volume on node`. */
type Place = string;

const placeOf = (volume: string, node: string): Place => `volume ${volume} on ${node}`;

export function attachmentsRest(view: RestView): readonly string[] {
  const volumes = attachableVolumes(view);
  const wanted = wantedPlaces(view, volumes);
  const attached = (view.named('VolumeAttachment') as readonly VolumeAttachment[]).filter(
    (attachment) => !isGoing(attachment),
  );
  const present = new Map(
    attached.map((each) => [
      placeOf(each.spec.source.persistentVolumeName ?? '', each.spec.nodeName),
      each.status?.attached === true,
    ]),
  );
  return [
    ...[...wanted].flatMap((place) => (present.get(place) ? [] : [`${place} is wanted, and not attached`])),
    ...[...present.keys()].flatMap((place) => (wanted.has(place) ? [] : [`${place} is attached for nobody`])),
    ...nodesSay(view, volumes, wanted),
  ];
}

/** By name. */
function attachableVolumes(view: RestView): ReadonlyMap<string, PersistentVolume> {
  const drivers = view.named('CSIDriver') as readonly CSIDriver[];
  const skipped = new Set(
    drivers.filter(({ spec }) => spec.attachRequired === false).map(({ metadata }) => metadata.name),
  );
  const all = view.of('PersistentVolume').filter(({ spec }) => spec?.csi && !skipped.has(spec.csi.driver));
  return new Map(all.map((volume) => [volume.metadata.name ?? '', volume]));
}

/** Pods that have a node and have not ended want what their claims have. */
function wantedPlaces(view: RestView, volumes: ReadonlyMap<string, PersistentVolume>): ReadonlySet<Place> {
  const nodes = new Set(view.of('Node').map(({ metadata }) => metadata.name));
  const pods = view.of('Pod').filter((pod) => nodes.has(pod.spec?.nodeName) && !hasEnded(pod));
  return new Set(
    pods.flatMap((pod) =>
      volumesOf(pod, view).flatMap((name) =>
        volumes.has(name) ? [placeOf(name, pod.spec?.nodeName ?? '')] : [],
      ),
    ),
  );
}

const volumesOf = ({ metadata, spec }: Pod, view: RestView): readonly string[] =>
  (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => {
    const claim = view
      .of('PersistentVolumeClaim')
      .find(
        (each) =>
          each.metadata.namespace === metadata.namespace &&
          each.metadata.name === persistentVolumeClaim?.claimName,
      );
    const volume = view.of('PersistentVolume').find((each) => each.metadata.name === claim?.spec?.volumeName);
    return claim && volume && volume.spec?.claimRef?.uid === claim.metadata.uid
      ? [volume.metadata.name ?? '']
      : [];
  });

/** What a Node is said to have attached and to use is what is wanted there. */
function nodesSay(
  view: RestView,
  volumes: ReadonlyMap<string, PersistentVolume>,
  wanted: ReadonlySet<Place>,
): readonly string[] {
  return view.of('Node').flatMap((node) => {
    if (view.past.isOvertaken(node)) return [];
    const { volumesAttached = [], volumesInUse = [] } = node.status ?? {};
    const [shown, used] = [new Set(volumesAttached.map(({ name }) => name)), new Set(volumesInUse)];
    // What a node that has fallen silent used, it is said to use for ever.
    const speaks = conditionOf(node.status, 'Ready') !== 'Unknown';
    return [...volumes].flatMap(([name, { spec }]) => {
      const called = `kubernetes.io/csi/${spec?.csi?.driver ?? ''}^${spec?.csi?.volumeHandle ?? ''}`;
      const isWanted = wanted.has(placeOf(name, node.metadata.name ?? ''));
      return [
        ...(shown.has(called) === isWanted
          ? []
          : [`${textOf(node)} ${isWanted ? 'lacks' : 'lists'} ${name} as attached`]),
        ...(used.has(called) && !isWanted && speaks
          ? [`${textOf(node)} uses ${name}, which nobody wants there`]
          : []),
      ];
    });
  });
}
