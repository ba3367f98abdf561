/**
 * What one life of the attach-detach controller knows to be attached, and what is being done about it. It begins with
 * what VolumeAttachments and Nodes say.
 */
import type { Node, PersistentVolume } from '../../api/types/core-v1.ts';
import type { VolumeAttachment } from '../../api/types/storage-k8s-io-v1.ts';
import { attachableOf } from '../../api/volume/attachable.ts';
import { ItemBackoff } from '../../client/rate-limit/rate-limiter.ts';
import { milliseconds, seconds } from '../../engine/time.ts';
import type { AttachedPlace } from './attachment-plan.ts';
import { type Place, placeKey } from './wanted-volumes.ts';

export interface Beginnings {
  readonly attachments: readonly VolumeAttachment[];
  readonly nodeCalled: (name: string) => Node | undefined;
  readonly volumeCalled: (name: string) => PersistentVolume | undefined;
}

export class AttachedVolumes {
  readonly #places = new Map<string, AttachedPlace>();
  /** On their way away: Nodes do not show them any more. */
  readonly #leaving = new Set<string>();
  readonly #busy = new Set<string>();
  readonly #notBeforeMs = new Map<string, number>();
  readonly #backoff = new ItemBackoff<string>({ first: milliseconds(500), longest: seconds(122) });

  constructor({ attachments, nodeCalled, volumeCalled }: Beginnings) {
    for (const { spec } of attachments) {
      const name = spec.source.persistentVolumeName ?? '';
      const found = volumeCalled(name);
      const volume = found && attachableOf(found);
      if (!volume) continue;
      const place = { volume, name, node: spec.nodeName };
      const shown = nodeCalled(spec.nodeName)?.status?.volumesAttached ?? [];
      const isShown = shown.some((each) => each.name === volume.uniqueName);
      this.#places.set(placeKey(place), {
        ...place,
        unwantedSinceMs: undefined,
        isUncertain: !isShown,
      });
    }
  }

  get places(): ReadonlyMap<string, AttachedPlace> {
    return this.#places;
  }

  /** What a Node shows of it. */
  shownOn(node: string): readonly string[] {
    return [...this.#places]
      .filter(([key, place]) => place.node === node && !place.isUncertain && !this.#leaving.has(key))
      .map(([, { volume }]) => volume.uniqueName)
      .sort();
  }

  isBusy(place: Place, nowMs: number): boolean {
    const key = operationKey(place);
    return this.#busy.has(key) || (this.#notBeforeMs.get(key) ?? 0) > nowMs;
  }

  begin(place: Place): void {
    this.#busy.add(operationKey(place));
  }

  /** Undefined: it went well; otherwise how long it is left alone, in ms. */
  end(place: Place, isFailed: boolean, nowMs: number): number | undefined {
    const key = operationKey(place);
    this.#busy.delete(key);
    if (!isFailed) {
      this.#backoff.forget(key);
      this.#notBeforeMs.delete(key);
      return undefined;
    }
    const pauseMs = this.#backoff.pauseOf(key) / 1_000;
    this.#notBeforeMs.set(key, nowMs + pauseMs);
    return pauseMs;
  }

  attached(place: Place, isUncertain: boolean): void {
    const { volume, name, node } = place;
    this.#places.set(placeKey(place), { volume, name, node, unwantedSinceMs: undefined, isUncertain });
  }

  leaves(place: Place): void {
    this.#leaving.add(placeKey(place));
  }

  stays(place: Place): void {
    this.#leaving.delete(placeKey(place));
  }

  detached(place: Place): void {
    this.#leaving.delete(placeKey(place));
    this.#places.delete(placeKey(place));
  }

  /** Keeps in mind since when nobody wants them. */
  noteWanted(isWanted: (key: string) => boolean, nowMs: number): void {
    for (const [key, place] of this.#places) {
      const unwantedSinceMs = isWanted(key) ? undefined : (place.unwantedSinceMs ?? nowMs);
      if (unwantedSinceMs !== place.unwantedSinceMs) this.#places.set(key, { ...place, unwantedSinceMs });
    }
  }
}

/** Two nodes do not wrangle over a volume that only one of them may have. */
const operationKey = (place: Place): string =>
  place.volume.isShared ? placeKey(place) : place.volume.uniqueName;
