/** What was written of slices and is not shown yet, against the slices themselves, in any order of writes and news. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EndpointSlice } from '../../api/types/discovery-k8s-io-v1.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { SliceTracker } from './slice-tracker.ts';

const KEY = 'default/web';
const UIDS = ['a', 'b', 'c'] as const;
type Uid = (typeof UIDS)[number];

const sliceOf = (uid: string, generation: number): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: uid, uid, generation },
  addressType: 'IPv4',
  endpoints: [],
});

class World {
  /** As it is in the server: the generation of each slice. */
  readonly #stored = new Map<Uid, number>();
  /** As the informer shows it. */
  readonly #shown = new Map<Uid, number>();
  /** What the controller itself has done, and has not seen. */
  readonly #own = new Map<Uid, number | 'removed'>();
  readonly #gone = new Set<Uid>();
  readonly #tracker = new SliceTracker();

  write(uid: Uid): void {
    if (this.#gone.has(uid)) return;
    const generation = this.#touch(uid);
    this.#own.set(uid, generation);
    this.#tracker.wrote(KEY, sliceOf(uid, generation));
  }

  remove(uid: Uid): void {
    const generation = this.#stored.get(uid);
    if (generation === undefined) return;
    this.#drop(uid);
    this.#own.set(uid, 'removed');
    this.#tracker.removed(KEY, sliceOf(uid, generation));
  }

  othersWrite(uid: Uid): void {
    if (this.#stored.has(uid)) this.#touch(uid);
  }

  othersRemove(uid: Uid): void {
    if (this.#stored.has(uid)) this.#drop(uid);
  }

  /** The informer comes to what is stored of a slice. */
  show(uid: Uid): void {
    const generation = this.#stored.get(uid);
    const own = this.#own.get(uid);
    if (generation === undefined) {
      const shown = this.#shown.get(uid);
      // What it has never shown it cannot show to go.
      if (shown === undefined) return;
      this.#shown.delete(uid);
      this.#own.delete(uid);
      this.#tracker.sawRemoval(KEY, sliceOf(uid, shown));
    } else {
      this.#shown.set(uid, generation);
      if (typeof own === 'number' && own <= generation) this.#own.delete(uid);
    }
  }

  forget(): void {
    this.#own.clear();
    this.#tracker.forget(KEY);
  }

  compare(): void {
    const shown = [...this.#shown].map(([uid, generation]) => sliceOf(uid, generation));
    const isStale = [...this.#own].some(([uid, own]) =>
      own === 'removed' ? this.#shown.has(uid) : (this.#shown.get(uid) ?? -1) < own,
    );
    expect(this.#tracker.isStale(KEY, shown)).toBe(isStale);
  }

  #touch(uid: Uid): number {
    const generation = (this.#stored.get(uid) ?? 0) + 1;
    this.#stored.set(uid, generation);
    return generation;
  }

  #drop(uid: Uid): void {
    this.#stored.delete(uid);
    this.#gone.add(uid);
  }
}

const uid = fc.constantFrom(...UIDS);
const act = actsOn<World>();

it('takes a view for old exactly while it lacks something that the controller has done', () => {
  holdsInAnyOrder({
    begin: () => new World(),
    acts: [
      act('write', uid, (world, of) => world.write(of)),
      act('remove', uid, (world, of) => world.remove(of)),
      act('others write', uid, (world, of) => world.othersWrite(of)),
      act('others remove', uid, (world, of) => world.othersRemove(of)),
      act('show', uid, (world, of) => world.show(of)),
      act('show', uid, (world, of) => world.show(of)),
      act('forget', fc.constant(undefined), (world) => world.forget()),
    ],
    compare: (world) => world.compare(),
    most: 25,
    runs: 300,
  });
});
