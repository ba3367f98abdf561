/**
 * Where the files of a pod's volumes are: below the agent's directory on the disk of the node, where the node has them
 * already, or in a volume that any node may mount, whose files outlast pods and nodes.
 */
import { jsonKey } from '../../api/json-key.ts';
import type { PersistentVolumeSpec, Volume } from '../../api/types/core-v1.ts';
import type { Disk } from '../machine/disk.ts';
import { type FileTree, MemoryTree, treeOn } from '../runtime/file-tree.ts';
import type { VolumeContents, VolumeFile } from './volume-contents.ts';

/** Volumes of a cluster that are on no node. */
export class SharedVolumes {
  readonly #trees = new Map<string, MemoryTree>();

  /** `source`: what tells it from others, such as a driver and its handle. */
  of(source: object): FileTree {
    const key = jsonKey(source);
    let tree = this.#trees.get(key);
    if (!tree) this.#trees.set(key, (tree = new MemoryTree()));
    return tree;
  }
}

export interface VolumePlace {
  readonly tree: FileTree;
  readonly root: string;
}

/** Kinds of volumes that agents make themselves, with the names of their directories. */
const OWN = {
  configMap: 'configmap',
  downwardAPI: 'downward-api',
  emptyDir: 'empty-dir',
  gitRepo: 'git-repo',
  projected: 'projected',
  secret: 'secret',
} as const satisfies Partial<Record<keyof Volume, string>>;

export interface VolumePlacesOptions {
  readonly disk: Disk;
  readonly shared: SharedVolumes;
  /** Of the agent. */
  readonly rootDirectory: string;
}

export class VolumePlaces {
  readonly #options: VolumePlacesOptions;
  readonly #onDisk: FileTree;

  constructor(options: VolumePlacesOptions) {
    this.#options = options;
    this.#onDisk = treeOn(options.disk);
  }

  /** `bound`: the volume of its claim, if it has one. */
  of(podUid: string, volume: Volume, bound: PersistentVolumeSpec | undefined): VolumePlace | undefined {
    for (const [member, directory] of Object.entries(OWN))
      if (volume[member as keyof typeof OWN]) {
        const root = `${this.#directoryOf(podUid)}/volumes/kubernetes.io~${directory}/${volume.name}`;
        return { tree: this.#onDisk, root };
      }
    if (volume.persistentVolumeClaim || volume.ephemeral) return bound && this.#ofSource(sourceOf(bound));
    const { name: _, ...source } = volume;
    return this.#ofSource(source);
  }

  #ofSource(source: Pick<PersistentVolumeSpec, 'hostPath' | 'local'>): VolumePlace {
    const path = (source.hostPath ?? source.local)?.path;
    if (path === undefined) return { tree: this.#options.shared.of(source), root: '/' };
    return { tree: this.#onDisk, root: path.replace(/\/+$/, '') || '/' };
  }

  /** What is there already stays as it is. @throws DiskFullError */
  fill({ tree, root }: VolumePlace, contents: VolumeContents): void {
    const wanted = new Map<string, VolumeFile>();
    for (const [path, file] of contents) wanted.set(`${root}/${path}`, file);
    for (const path of tree.list(root)) if (!wanted.has(path)) tree.remove(path);
    for (const [path, { bytes, attributes }] of wanted)
      if (!isSame(tree.read(path), bytes)) tree.write(path, bytes, attributes);
  }

  /** Uids of pods that have files of their own here. */
  get owners(): ReadonlySet<string> {
    const above = `${this.#options.rootDirectory}/pods/`;
    const paths = this.#options.disk.list(above);
    return new Set(paths.map((path) => path.slice(above.length).replace(/\/.*/, '')));
  }

  /** The pod needs its own volumes no more. */
  clear(podUid: string): void {
    const { disk } = this.#options;
    for (const path of disk.list(this.#directoryOf(podUid))) disk.remove(path);
  }

  #directoryOf(podUid: string): string {
    return `${this.#options.rootDirectory}/pods/${podUid}`;
  }
}

const isSame = (present: Uint8Array | undefined, bytes: Uint8Array): boolean =>
  present?.length === bytes.length && bytes.every((byte, at) => present[at] === byte);

/** What of a volume says where it is. */
function sourceOf(spec: PersistentVolumeSpec): Pick<PersistentVolumeSpec, 'hostPath' | 'local'> {
  const {
    accessModes: _accessModes,
    capacity: _capacity,
    claimRef: _claimRef,
    mountOptions: _mountOptions,
    nodeAffinity: _nodeAffinity,
    persistentVolumeReclaimPolicy: _policy,
    storageClassName: _class,
    volumeAttributesClassName: _attributes,
    volumeMode: _mode,
    ...source
  } = spec;
  return source;
}
