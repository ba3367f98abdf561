/** A volume that one node may use is attached to one at the most. Kubernetes: "Persistent Volumes", access modes. */
import type { PersistentVolume } from '../../sim/api/types/core-v1.ts';
import type { VolumeAttachment } from '../../sim/api/types/storage-k8s-io-v1.ts';
import type { NodeRule, Observation, RuleSettings } from '../nodes/observation.ts';

const OF_ONE_NODE: ReadonlySet<string> = new Set(['ReadWriteOnce', 'ReadWriteOncePod']);

export class OneNodePerVolume implements NodeRule {
  readonly #settings: RuleSettings;
  /** Those that are in force, by uid. */
  readonly #attached = new Map<string, VolumeAttachment>();
  /** Names of volumes that several nodes may use. */
  readonly #shared = new Set<string>();

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    if (observation.kind !== 'stored') return;
    const { at, before, after } = observation;
    const { kind } = after ?? before ?? {};
    if (kind === 'PersistentVolume' && after) this.#volumeStored(after);
    else if (kind === 'VolumeAttachment')
      this.#attachmentStored(
        at,
        before as VolumeAttachment | undefined,
        after as VolumeAttachment | undefined,
      );
  }

  look(): void {
    // What is stored says all.
  }

  #volumeStored({ metadata: { name = '' }, spec }: PersistentVolume): void {
    const isShared = spec?.accessModes?.some((mode) => !OF_ONE_NODE.has(mode)) === true;
    if (isShared) this.#shared.add(name);
    else this.#shared.delete(name);
  }

  #attachmentStored(
    at: number,
    before: VolumeAttachment | undefined,
    after: VolumeAttachment | undefined,
  ): void {
    this.#attached.delete(before?.metadata.uid ?? '');
    if (!after || after.status?.attached !== true) return;
    const volume = volumeOf(after);
    const other = [...this.#attached.values()].find(
      (each) => volumeOf(each) === volume && each.spec.nodeName !== after.spec.nodeName,
    );
    if (other && volume !== undefined && !this.#shared.has(volume))
      this.#settings.report(
        at,
        `volume ${volume} is attached to ${after.spec.nodeName} and to ${other.spec.nodeName}`,
      );
    this.#attached.set(after.metadata.uid ?? '', after);
  }
}

const volumeOf = ({ spec }: VolumeAttachment): string | undefined => spec.source.persistentVolumeName;
