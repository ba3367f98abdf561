/**
 * The volume binder: claims get volumes, volumes are given back when their claims go. Both sides are written one
 * after the other, so a binding may be found half done, and is finished then. Everything is looked at again every 15 s,
 * also what failed: nothing is tried again before. Volumes are never made here: provisioners do that.
 */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/types/core-v1.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers } from '../../client/work-queue.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { seconds } from '../../engine/time.ts';
import { defineController } from '../manager/controller.ts';
import { BinderWorld, claimKeyOf } from './binder-world.ts';
import { ClaimKeeper } from './claim-keeper.ts';
import { VolumeKeeper } from './volume-keeper.ts';

const RESYNC = seconds(15);

export const VOLUME_BINDER = defineController({
  name: 'persistentvolume-binder-controller',
  formerNames: ['persistentvolume-binder'],
  serviceAccount: 'persistent-volume-binder',
  start: (world) => new VolumeBinder(new BinderWorld(world)).run(world.context),
});

class VolumeBinder {
  readonly #world: BinderWorld;
  readonly #claims: ClaimKeeper;
  readonly #volumes: VolumeKeeper;

  constructor(world: BinderWorld) {
    this.#world = world;
    this.#claims = new ClaimKeeper(world);
    this.#volumes = new VolumeKeeper(world);
  }

  *run(context: Context): Process<void> {
    const { claims, volumes, claimInformer, volumeInformer, claimQueue, volumeQueue } = this.#world;
    const noteClaim = (claim: PersistentVolumeClaim): void => claimQueue.add(storeKeyOf(claim));
    const noteVolume = (volume: PersistentVolume): void => volumeQueue.add(storeKeyOf(volume));
    claimInformer.addHandler({ added: noteClaim, changed: noteClaim, removed: noteClaim });
    volumeInformer.addHandler({ added: noteVolume, changed: noteVolume, removed: noteVolume });
    for (const informer of [claimInformer, volumeInformer, this.#world.classes, this.#world.pods])
      yield* informer.waitUntilSynced();
    for (const volume of volumeInformer.store.list()) volumes.take(volume);
    for (const claim of claimInformer.store.list()) claims.take(claim);
    startWorkers(context, volumeQueue, { reconcile: (name) => this.#keepVolume(name) });
    startWorkers(context, claimQueue, { reconcile: (key) => this.#keepClaim(key) });
    for (;;) {
      yield* context.sleep(RESYNC);
      for (const key of claimInformer.store.keys()) claimQueue.add(key);
      for (const name of volumeInformer.store.keys()) volumeQueue.add(name);
    }
  }

  *#keepClaim(key: string): Process<undefined> {
    const { claims, claimInformer, volumeQueue } = this.#world;
    const claim = claimInformer.store.get(key);
    if (claim) {
      if (claims.take(claim)) yield* this.#untilNextLook(this.#claims.keep(claim));
      return undefined;
    }
    const volume = claims.drop(key)?.spec?.volumeName;
    if (volume) volumeQueue.add(volume);
    return undefined;
  }

  *#keepVolume(name: string): Process<undefined> {
    const { volumes, volumeInformer, claimQueue } = this.#world;
    const volume = volumeInformer.store.get(name);
    if (volume) {
      if (volumes.take(volume)) yield* this.#untilNextLook(this.#volumes.keep(volume));
      return undefined;
    }
    const gone = volumes.drop(name);
    if (gone?.spec?.claimRef) claimQueue.add(claimKeyOf(gone));
    return undefined;
  }

  /** Whatever fails is seen again with its next event, or with the next look at all. */
  *#untilNextLook(work: Process<void>): Process<void> {
    try {
      yield* work;
    } catch (error) {
      if (!isCallFailure(error)) throw error;
    }
  }
}
