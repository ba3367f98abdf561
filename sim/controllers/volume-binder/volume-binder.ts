/**
 * The volume binder: claims get volumes, volumes are given back when their claims go. Both sides are written one
 * after the other, so a binding may be found half done, and is finished then. Everything is looked at again
 * every 15 s. What a claim gets is decided in `claim-plan.ts`. Volumes are never made or wiped here: provisioners do that.
 */
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isConflict, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { seconds } from '../../engine/time.ts';
import { type ControllerContext, defineController, type SharedInformer } from '../manager/controller.ts';
import { claimBoundTo, volumeBoundTo, volumeUnbound } from './binding.ts';
import {
  BETA_PROVISIONER,
  BOUND_BY_CONTROLLER,
  type ClaimPlan,
  claimPlan,
  type ClaimView,
  PROVISIONER,
  type Told,
} from './claim-plan.ts';

const { persistentVolumeClaims: claims, persistentVolumes: volumes, pods, storageClasses } = BUILTIN_HANDLES;
const RESYNC = seconds(15);

export const VOLUME_BINDER = defineController({
  name: 'persistentvolume-binder-controller',
  formerNames: ['persistentvolume-binder'],
  serviceAccount: 'persistent-volume-binder',
  start: (world) => new VolumeBinder(world).run(),
});

type VolumePhase = NonNullable<NonNullable<PersistentVolume['status']>['phase']>;

class VolumeBinder {
  readonly #world: ControllerContext;
  readonly #client: ApiClient;
  readonly #recorder: EventRecorder;
  readonly #claims: SharedInformer<PersistentVolumeClaim>;
  readonly #volumes: SharedInformer<PersistentVolume>;
  readonly #classes;
  readonly #pods: SharedInformer<Pod>;
  readonly #claimQueue: WorkQueue;
  readonly #volumeQueue: WorkQueue;

  constructor(world: ControllerContext) {
    const { context, client } = world;
    this.#world = world;
    this.#client = client;
    this.#recorder = new EventRecorder(client, 'persistentvolume-controller');
    this.#claims = world.informerOf(claims);
    this.#volumes = world.informerOf(volumes);
    this.#classes = world.informerOf(storageClasses);
    this.#pods = world.informerOf(pods);
    this.#claimQueue = new WorkQueue(context);
    this.#volumeQueue = new WorkQueue(context);
  }

  *run(): Process<void> {
    const { context } = this.#world;
    const noteClaim = (claim: PersistentVolumeClaim): void => this.#claimQueue.add(storeKeyOf(claim));
    const noteVolume = (volume: PersistentVolume): void => this.#volumeQueue.add(storeKeyOf(volume));
    const noteVolumeOf = ({ spec }: PersistentVolumeClaim): void => {
      if (spec?.volumeName) this.#volumeQueue.add(spec.volumeName);
    };
    this.#claims.addHandler({ added: noteClaim, changed: noteClaim, removed: noteVolumeOf });
    this.#volumes.addHandler({
      added: noteVolume,
      changed: noteVolume,
      removed: ({ spec }) => {
        const { namespace = '', name } = spec?.claimRef ?? {};
        if (name !== undefined) this.#claimQueue.add(`${namespace}/${name}`);
      },
    });
    for (const informer of [this.#claims, this.#volumes, this.#classes, this.#pods])
      yield* informer.waitUntilSynced();
    startWorkers(context, this.#volumeQueue, { reconcile: (name) => this.#keepVolume(name) });
    startWorkers(context, this.#claimQueue, { reconcile: (key) => this.#keepClaim(key) });
    for (;;) {
      yield* context.sleep(RESYNC);
      for (const name of this.#volumes.store.keys()) this.#volumeQueue.add(name);
      for (const key of this.#claims.store.keys()) this.#claimQueue.add(key);
    }
  }

  *#keepClaim(key: string): Process<undefined> {
    const claim = this.#claims.store.get(key);
    if (!claim) return undefined;
    const plan = claimPlan(claim, this.#viewOf(claim));
    try {
      yield* this.#carryOut(claim, plan);
    } catch (error) {
      // Somebody has changed one of them: its next event brings it back, or the next look at all.
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
    return undefined;
  }

  #viewOf({ metadata: { name, namespace = '' } }: PersistentVolumeClaim): ClaimView {
    const isWaiting = ({ spec }: Pod): boolean =>
      !spec?.nodeName &&
      spec?.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === name) === true;
    return {
      volumes: this.#volumes.store.list(),
      volumeOf: (volume) => this.#volumes.store.get(volume),
      classOf: (className) => this.#classes.store.get(className),
      waitingPod: () => this.#pods.store.byIndex('namespace', namespace).find(isWaiting)?.metadata.name,
    };
  }

  *#carryOut(claim: PersistentVolumeClaim, plan: ClaimPlan): Process<void> {
    if (plan.kind === 'bind') {
      yield* this.#bind(claim, plan.volume);
      return;
    }
    if (plan.kind === 'lose') {
      if (claim.status?.phase === 'Lost') return;
      yield* this.#client.update(claims, { ...claim, status: { phase: 'Lost' } }, { subresource: 'status' });
      this.#tell(claim, plan.told);
      return;
    }
    if (plan.told) this.#tell(claim, plan.told);
    const { annotations = {} } = claim.metadata;
    if (plan.provisioner !== undefined && annotations[PROVISIONER] !== plan.provisioner) {
      const own = { [PROVISIONER]: plan.provisioner, [BETA_PROVISIONER]: plan.provisioner };
      const metadata = { ...claim.metadata, annotations: { ...annotations, ...own } };
      yield* this.#client.update(claims, { ...claim, metadata });
      return;
    }
    if (claim.status?.phase !== 'Pending')
      yield* this.#client.update(
        claims,
        { ...claim, status: { phase: 'Pending' } },
        { subresource: 'status' },
      );
  }

  #tell(claim: PersistentVolumeClaim, told: Told): void {
    this.#recorder.record({ ...claim, kind: 'PersistentVolumeClaim', apiVersion: 'v1' }, told);
  }

  /** In this order, so that whoever finds it half done knows what was meant. */
  *#bind(claim: PersistentVolumeClaim, volume: PersistentVolume): Process<void> {
    const bound = volumeBoundTo(volume, claim);
    const taken = bound === volume ? volume : yield* this.#client.update(volumes, bound);
    yield* this.#setPhase(taken, 'Bound');
    const complete = claimBoundTo(claim, taken);
    const own = complete === claim ? claim : yield* this.#client.update(claims, complete);
    const { accessModes, capacity } = taken.spec ?? {};
    const status = {
      ...own.status,
      phase: 'Bound' as const,
      ...(accessModes && { accessModes }),
      ...(capacity && { capacity }),
    };
    if (own.status?.phase === 'Bound') return;
    yield* this.#client.update(claims, { ...own, status }, { subresource: 'status' });
  }

  *#setPhase(volume: PersistentVolume, phase: VolumePhase): Process<PersistentVolume> {
    if (volume.status?.phase === phase) return volume;
    const status = { ...volume.status, phase };
    return yield* this.#client.update(volumes, { ...volume, status }, { subresource: 'status' });
  }

  *#keepVolume(name: string): Process<undefined> {
    const volume = this.#volumes.store.get(name);
    if (!volume) return undefined;
    try {
      yield* this.#keepVolumeOf(volume);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
    return undefined;
  }

  *#keepVolumeOf(volume: PersistentVolume): Process<void> {
    const { claimRef } = volume.spec ?? {};
    if (!claimRef?.uid) {
      yield* this.#setPhase(volume, 'Available');
      return;
    }
    const claim = yield* this.#claimOf(volume);
    if (!claim) {
      if (volume.status?.phase !== 'Failed') yield* this.#setPhase(volume, 'Released');
    } else if (!claim.spec?.volumeName) {
      this.#claimQueue.add(storeKeyOf(claim));
    } else if (claim.spec.volumeName === volume.metadata.name) {
      yield* this.#setPhase(volume, 'Bound');
    } else {
      yield* this.#giveBack(volume);
    }
  }

  /** Asked for at the API where the informer does not know it: a claim that is late must not cost a volume. */
  *#claimOf(volume: PersistentVolume): Process<PersistentVolumeClaim | undefined> {
    const { namespace = '', name = '', uid } = volume.spec?.claimRef ?? {};
    const known = this.#claims.store.get(`${namespace}/${name}`);
    if (known?.metadata.uid === uid) return known;
    try {
      const claim = yield* this.#client.get(claims, { namespace, name });
      return claim.metadata.uid === uid ? claim : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Its claim has another volume. */
  *#giveBack(volume: PersistentVolume): Process<void> {
    if (!volume.metadata.annotations?.[BOUND_BY_CONTROLLER] && volume.status?.phase === 'Available') return;
    const unbound = yield* this.#client.update(volumes, volumeUnbound(volume));
    yield* this.#setPhase(unbound, 'Available');
  }
}
