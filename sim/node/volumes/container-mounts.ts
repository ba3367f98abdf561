/** Where a container sees the volumes of its pod. Pure. */
import type { Container, Pod, Volume, VolumeMount } from '../../api/types/core-v1.ts';
import { expandReferences } from '../environment/expand-references.ts';
import { type ContainerMount, MemoryTree } from '../runtime/file-tree.ts';
import { isFilled } from './projected-sources.ts';
import { isInMemory, volumeDirectory } from './volume-ownership.ts';
import type { VolumePlace } from './volume-places.ts';

export interface MountFacts {
  readonly pod: Pod;
  readonly container: Pick<Container, 'volumeMounts'>;
  /** Of the container, for `subPathExpr`. */
  readonly variables: ReadonlyMap<string, string>;
  /** Undefined: it is not known where it is. */
  readonly placeOf: (volume: Volume) => VolumePlace | undefined;
}

export const containerMounts = ({
  pod,
  container,
  variables,
  placeOf,
}: MountFacts): readonly ContainerMount[] =>
  (container.volumeMounts ?? []).flatMap((mount) => {
    const volume = pod.spec?.volumes?.find(({ name }) => name === mount.name);
    const place = volume && placeOf(volume);
    return place ? [mounted(mount, { pod, volume, place, variables })] : [];
  });

/** What a command with such words may look into. */
export function volumesNamedBy({ spec }: Pod, words: readonly string[]): readonly Volume[] {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec ?? {};
  const mounts = [...initContainers, ...containers, ...ephemeralContainers].flatMap(
    ({ volumeMounts = [] }) => volumeMounts,
  );
  const isNamed = ({ mountPath }: VolumeMount): boolean => words.some((word) => word.includes(mountPath));
  return (spec?.volumes ?? []).filter(({ name }) =>
    mounts.some((mount) => mount.name === name && isNamed(mount)),
  );
}

interface Mounted extends Pick<MountFacts, 'pod' | 'variables'> {
  readonly volume: Volume;
  readonly place: VolumePlace;
}

function mounted(
  { mountPath, readOnly = false, subPath = '', subPathExpr = '' }: VolumeMount,
  { pod, volume, place, variables }: Mounted,
): ContainerMount {
  const part = subPathExpr === '' ? subPath : expandReferences(subPathExpr, variables);
  const isReadOnly = readOnly || isFilled(volume) || volume.persistentVolumeClaim?.readOnly === true;
  const path = mountPath.replace(/\/+$/, '');
  const facts = { path, isReadOnly, directory: volumeDirectory(volume, pod), isInMemory: isInMemory(volume) };
  if (part === '') return { ...facts, ...place };
  const root = `${place.root === '/' ? '' : place.root}/${part.replace(/^\/+|\/+$/g, '')}`;
  // What an agent fills anew is not seen through a part of it.
  return { ...facts, tree: isFilled(volume) ? copyOf({ ...place, root }) : place.tree, root };
}

function copyOf({ tree, root }: VolumePlace): MemoryTree {
  const copy = new MemoryTree();
  for (const path of [root, ...tree.list(root)]) {
    const bytes = tree.read(path);
    if (bytes) copy.write(path, bytes, tree.attributesOf(path));
  }
  return copy;
}
