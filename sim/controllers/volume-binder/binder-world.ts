/**
 * What both loops of the binder share: what they know of claims and volumes, their queues, and their writes. Each write
 * is known at once, as if it had been heard of.
 */
import type { ApiObject } from '../../api/object.ts';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/types/core-v1.ts';
import type { StorageClass } from '../../api/types/storage-k8s-io-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import type { ControllerContext, SharedInformer } from '../manager/controller.ts';
import { volumeUnbound } from './binding.ts';
import type { Told } from './claim-plan.ts';
import { LatestKnown } from './latest-known.ts';
import { Operations } from './operations.ts';

const { persistentVolumeClaims, persistentVolumes, pods, storageClasses } = BUILTIN_HANDLES;
const STATUS = { subresource: 'status' };

export type VolumePhase = NonNullable<NonNullable<PersistentVolume['status']>['phase']>;

export class BinderWorld {
  readonly client: ApiClient;
  readonly operations: Operations;
  readonly claims = new LatestKnown<PersistentVolumeClaim>();
  readonly volumes = new LatestKnown<PersistentVolume>();
  readonly claimInformer: SharedInformer<PersistentVolumeClaim>;
  readonly volumeInformer: SharedInformer<PersistentVolume>;
  readonly classes: SharedInformer<StorageClass>;
  readonly pods: SharedInformer<Pod>;
  readonly claimQueue: WorkQueue;
  readonly volumeQueue: WorkQueue;
  readonly #recorder: EventRecorder;

  constructor({ context, client, informerOf }: ControllerContext) {
    this.client = client;
    this.operations = new Operations(context);
    this.#recorder = new EventRecorder(client, 'persistentvolume-controller');
    this.claimInformer = informerOf(persistentVolumeClaims);
    this.volumeInformer = informerOf(persistentVolumes);
    this.classes = informerOf(storageClasses);
    this.pods = informerOf(pods);
    this.claimQueue = new WorkQueue(context);
    this.volumeQueue = new WorkQueue(context);
  }

  tellOfClaim(claim: PersistentVolumeClaim, told: Told): void {
    this.#tell({ ...claim, kind: 'PersistentVolumeClaim', apiVersion: 'v1' }, told);
  }

  tellOfVolume(volume: PersistentVolume, told: Told): void {
    this.#tell({ ...volume, kind: 'PersistentVolume', apiVersion: 'v1' }, told);
  }

  *updateClaim(claim: PersistentVolumeClaim): Process<PersistentVolumeClaim> {
    return this.#knowClaim(yield* this.client.update(persistentVolumeClaims, claim));
  }

  *updateClaimStatus(claim: PersistentVolumeClaim): Process<PersistentVolumeClaim> {
    return this.#knowClaim(yield* this.client.update(persistentVolumeClaims, claim, STATUS));
  }

  *updateVolume(volume: PersistentVolume): Process<PersistentVolume> {
    return this.#knowVolume(yield* this.client.update(persistentVolumes, volume));
  }

  /** `message`: why. What was written; the same object where it is in that phase already. */
  *setPhase(volume: PersistentVolume, phase: VolumePhase, message?: string): Process<PersistentVolume> {
    if (volume.status?.phase === phase) return volume;
    const { message: _, ...others } = volume.status ?? {};
    const status = { ...others, phase, ...(message !== undefined && { message }) };
    return this.#knowVolume(yield* this.client.update(persistentVolumes, { ...volume, status }, STATUS));
  }

  /** And tells, where it was not so before. */
  *fail(volume: PersistentVolume, reason: string, message: string): Process<void> {
    if (volume.status?.phase === 'Failed') return;
    const failed = yield* this.setPhase(volume, 'Failed', message);
    this.tellOfVolume(failed, { type: 'Warning', reason, message });
  }

  *unbind(volume: PersistentVolume): Process<void> {
    yield* this.setPhase(yield* this.updateVolume(volumeUnbound(volume)), 'Available');
  }

  #knowClaim(claim: PersistentVolumeClaim): PersistentVolumeClaim {
    this.claims.take(claim);
    return claim;
  }

  #knowVolume(volume: PersistentVolume): PersistentVolume {
    this.volumes.take(volume);
    return volume;
  }

  #tell(object: ApiObject, told: Told): void {
    this.#recorder.record(object, told);
  }
}

export const claimKeyOf = ({ spec }: PersistentVolume): string =>
  `${spec?.claimRef?.namespace ?? ''}/${spec?.claimRef?.name ?? ''}`;
