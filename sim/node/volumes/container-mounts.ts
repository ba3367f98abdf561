/** Where a container sees the volumes of its pod. Pure. */
import type { Container, Pod, Volume, VolumeMount } from '../../api/types/core-v1.ts';
import { expandReferences } from '../environment/expand-references.ts';
import { type ContainerMount, MemoryTree } from '../runtime/file-tree.ts';
import { isFilled } from './projected-sources.ts';
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
    return place ? [mounted(mount, volume, place, variables)] : [];
  });

function mounted(
  { mountPath, readOnly = false, subPath = '', subPathExpr = '' }: VolumeMount,
  volume: Volume,
  place: VolumePlace,
  variables: ReadonlyMap<string, string>,
): ContainerMount {
  const part = subPathExpr === '' ? subPath : expandReferences(subPathExpr, variables);
  const isReadOnly = readOnly || isFilled(volume) || volume.persistentVolumeClaim?.readOnly === true;
  const path = mountPath.replace(/\/+$/, '');
  if (part === '') return { path, ...place, isReadOnly };
  const root = `${place.root === '/' ? '' : place.root}/${part.replace(/^\/+|\/+$/g, '')}`;
  // What an agent fills anew is not seen through a part of it.
  return { path, tree: isFilled(volume) ? copyOf({ ...place, root }) : place.tree, root, isReadOnly };
}

function copyOf({ tree, root }: VolumePlace): MemoryTree {
  const copy = new MemoryTree();
  for (const path of [root, ...tree.list(root)]) {
    const bytes = tree.read(path);
    if (bytes) copy.write(path, bytes);
  }
  return copy;
}
