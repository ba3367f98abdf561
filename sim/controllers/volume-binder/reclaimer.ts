/**
 * What is done with a volume that has lost its claim, by its reclaim policy: nothing, or what it stands for is deleted and
 * the volume with it, or wiped for the next claim. Both take their time and look again at the API first, for the claim
 * may be back.
 */
import type { PersistentVolume } from '../../api/types/core-v1.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { Process } from '../../engine/process.ts';
import { type BinderWorld, claimKeyOf } from './binder-world.ts';
import { deletionOf, MIGRATED_TO, wipingOf, withoutOwnFinalizer } from './in-tree-plugins.ts';
import { isOver } from '../../api/volume/pod-use.ts';
import { wipe } from './wiping.ts';

const { persistentVolumes } = BUILTIN_HANDLES;

export class Reclaimer {
  readonly #world: BinderWorld;

  constructor(world: BinderWorld) {
    this.#world = world;
  }

  reclaim(volume: PersistentVolume): void {
    const { annotations, name = '', uid = '' } = volume.metadata;
    if (annotations?.[MIGRATED_TO]) return;
    const { operations } = this.#world;
    const policy = volume.spec?.persistentVolumeReclaimPolicy;
    if (policy === 'Delete') operations.run(`delete-${name}[${uid}]`, () => this.#delete(volume));
    if (policy === 'Recycle') operations.run(`recycle-${name}[${uid}]`, () => this.#recycle(volume));
  }

  *#delete(volume: PersistentVolume): Process<boolean> {
    if (!(yield* this.#releasedNow(volume))) return true;
    const outcome = deletionOf(volume);
    if (outcome === 'left to others') return true;
    if (outcome !== 'done') {
      yield* this.#world.fail(volume, 'VolumeFailedDelete', outcome.failure);
      return false;
    }
    const name = volume.metadata.name ?? '';
    const { finalizers, ...others } = (yield* this.#world.client.get(persistentVolumes, { name })).metadata;
    const kept = withoutOwnFinalizer(finalizers);
    if (kept !== finalizers)
      yield* this.#world.updateVolume({
        ...volume,
        metadata: { ...others, ...(kept && { finalizers: kept }) },
      });
    yield* this.#unlessRefused(this.#world.client.delete(persistentVolumes, { name }));
    return true;
  }

  *#recycle(former: PersistentVolume): Process<boolean> {
    const world = this.#world;
    const volume = yield* this.#releasedNow(former);
    if (!volume) return true;
    const users = this.#usersOf(volume);
    if (users.length > 0 && !world.claims.get(claimKeyOf(volume))) {
      const message = `Volume is used by pods: ${users.join()}`;
      world.tellOfVolume(volume, { type: 'Normal', reason: 'VolumeFailedRecycle', message });
      return true;
    }
    const wiping = wipingOf(volume);
    const failure = wiping ? yield* wipe(world, volume, wiping) : 'No recycler plugin found for the volume!';
    if (failure === undefined) {
      world.tellOfVolume(volume, { type: 'Normal', reason: 'VolumeRecycled', message: 'Volume recycled' });
      yield* this.#unlessRefused(world.unbind(volume));
    } else {
      const message = wiping ? `Recycle failed: ${failure}` : failure;
      yield* this.#unlessRefused(world.fail(volume, 'VolumeFailedRecycle', message));
    }
    return true;
  }

  /** As the API has it, if it still belongs to a claim that is gone or has another volume. */
  *#releasedNow({ metadata: { name = '' } }: PersistentVolume): Process<PersistentVolume | undefined> {
    const volume = yield* this.#unlessRefused(this.#world.client.get(persistentVolumes, { name }));
    const uid = volume?.spec?.claimRef?.uid;
    if (!volume || !uid) return undefined;
    const claim = this.#world.claims.get(claimKeyOf(volume));
    if (claim?.metadata.uid !== uid) return volume;
    const other = claim.spec?.volumeName ?? '';
    return other !== '' && other !== name ? volume : undefined;
  }

  #usersOf({ spec }: PersistentVolume): readonly string[] {
    const { namespace = '', name } = spec?.claimRef ?? {};
    return this.#world.pods.store
      .byIndex('namespace', namespace)
      .filter(
        (pod) =>
          !isOver(pod) &&
          pod.spec?.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === name),
      )
      .map(({ metadata }) => `${namespace}/${metadata.name ?? ''}`)
      .toSorted();
  }

  /** The next look at the volume tries again. */
  *#unlessRefused<T>(call: Process<T>): Process<T | undefined> {
    try {
      return yield* call;
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      return undefined;
    }
  }
}
