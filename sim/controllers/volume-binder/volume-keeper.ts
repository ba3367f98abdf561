/** Keeps a volume: its phase by the claim that it names, and what is done with it when that claim is gone. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/types/core-v1.ts';
import { modeOf } from '../../api/volume/volume-match.ts';
import { isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import type { Process } from '../../engine/process.ts';
import { type BinderWorld, claimKeyOf } from './binder-world.ts';
import { finalizersOf, migrated, PROVISIONED_BY } from './in-tree-plugins.ts';
import { Reclaimer } from './reclaimer.ts';

const { persistentVolumeClaims } = BUILTIN_HANDLES;

export class VolumeKeeper {
  readonly #world: BinderWorld;
  readonly #reclaimer: Reclaimer;

  constructor(world: BinderWorld) {
    this.#world = world;
    this.#reclaimer = new Reclaimer(world);
  }

  *keep(known: PersistentVolume): Process<void> {
    const volume = yield* this.#withMarks(known);
    if (!volume.spec?.claimRef?.uid) {
      yield* this.#world.setPhase(volume, 'Available');
      return;
    }
    const claim = yield* this.#claimOf(volume);
    if (!claim) {
      yield* this.#release(volume);
    } else if (!claim.spec?.volumeName) {
      if (modeOf(claim) === modeOf(volume)) this.#world.claimQueue.add(storeKeyOf(claim));
      else this.#tellOfModes(volume, claim);
    } else if (claim.spec.volumeName === volume.metadata.name) {
      yield* this.#world.setPhase(volume, 'Bound');
    } else {
      yield* this.#giveBack(volume);
    }
  }

  /** Whose work it is, and what keeps it until that is done, stands in the volume. */
  *#withMarks(volume: PersistentVolume): Process<PersistentVolume> {
    const moved = migrated(volume.metadata, volume.metadata.annotations?.[PROVISIONED_BY]);
    const finalizers = finalizersOf(volume);
    if (moved === volume.metadata && finalizers === volume.metadata.finalizers) return volume;
    const metadata = { ...moved, ...(finalizers && { finalizers }) };
    return yield* this.#world.updateVolume({ ...volume, metadata });
  }

  /** Asked for at the API where it is not known: a claim that is late must not cost a volume. */
  *#claimOf(volume: PersistentVolume): Process<PersistentVolumeClaim | undefined> {
    const { namespace = '', name = '', uid } = volume.spec?.claimRef ?? {};
    const { claims, claimInformer, client } = this.#world;
    const key = claimKeyOf(volume);
    const isNews = volume.status?.phase !== 'Released' && volume.status?.phase !== 'Failed';
    const known = claims.get(key) ?? (isNews ? claimInformer.store.get(key) : undefined);
    if (known?.metadata.uid === uid) return known;
    if (!known && !isNews) return undefined;
    try {
      const claim = yield* client.get(persistentVolumeClaims, { namespace, name });
      return claim.metadata.uid === uid ? claim : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** A claim that is gone: what had failed stays so to see, and is tried again. */
  *#release(volume: PersistentVolume): Process<void> {
    const isNews = volume.status?.phase !== 'Released' && volume.status?.phase !== 'Failed';
    this.#reclaimer.reclaim(isNews ? yield* this.#world.setPhase(volume, 'Released') : volume);
  }

  /** Its claim has another volume: one that was made for the claim alone is of no use to anybody. */
  *#giveBack(volume: PersistentVolume): Process<void> {
    const isOwn = volume.metadata.annotations?.[PROVISIONED_BY] !== undefined;
    if (isOwn && volume.spec?.persistentVolumeReclaimPolicy === 'Delete') yield* this.#release(volume);
    else yield* this.#world.unbind(volume);
  }

  #tellOfModes(volume: PersistentVolume, claim: PersistentVolumeClaim): void {
    const told = (message: string) => ({ type: 'Warning', reason: 'VolumeMismatch', message }) as const;
    const [ofVolume, ofClaim] = [volume.metadata.name ?? '', claim.metadata.name ?? ''];
    this.#world.tellOfVolume(
      volume,
      told(
        `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${ofClaim}" due to incompatible volumeMode.`,
      ),
    );
    this.#world.tellOfClaim(
      claim,
      told(
        `Cannot bind PersistentVolume "${ofVolume}" to requested PersistentVolumeClaim due to incompatible volumeMode.`,
      ),
    );
  }
}
