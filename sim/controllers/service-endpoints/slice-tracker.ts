/**
 * What a controller has written of slices and its informer has not shown yet: as long as the view is older than that, a
 * service is left alone, so that nothing is written twice.
 */
import type { EndpointSlice } from '../../api/types/discovery-k8s-io-v1.ts';

const uidOf = ({ metadata: { uid = '' } }: EndpointSlice): string => uid;

export class SliceTracker {
  /** Generations by uid, by key of the service. */
  readonly #written = new Map<string, Map<string, number>>();
  readonly #removed = new Map<string, Set<string>>();

  wrote(key: string, slice: EndpointSlice): void {
    const known = this.#written.get(key) ?? new Map<string, number>();
    this.#written.set(key, known.set(uidOf(slice), slice.metadata.generation ?? 0));
  }

  removed(key: string, slice: EndpointSlice): void {
    this.#written.get(key)?.delete(uidOf(slice));
    const known = this.#removed.get(key) ?? new Set<string>();
    this.#removed.set(key, known.add(uidOf(slice)));
  }

  /** Somebody else may have removed it. */
  sawRemoval(key: string, slice: EndpointSlice): void {
    this.#written.get(key)?.delete(uidOf(slice));
    this.#removed.get(key)?.delete(uidOf(slice));
  }

  /** Whether what the informer shows is older than what was written. */
  isStale(key: string, shown: readonly EndpointSlice[]): boolean {
    const present = new Map(shown.map((slice) => [uidOf(slice), slice.metadata.generation ?? 0]));
    const removed = this.#removed.get(key);
    if (removed && [...removed].some((uid) => present.has(uid))) return true;
    for (const [uid, generation] of this.#written.get(key) ?? [])
      if ((present.get(uid) ?? -1) < generation) return true;
    return false;
  }

  forget(key: string): void {
    this.#written.delete(key);
    this.#removed.delete(key);
  }
}
