/**
 * Protects volumes and claims in use: their finalizers keep them until the claim of the volume, or the last pod of the
 * claim, is gone. A pod counts from the moment it has a node until it is deleted. Kubernetes: "Storage Object in Use Protection".
 */
import type { ApiObject } from '../../api/object.ts';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/types/core-v1.ts';
import { isOver } from '../../api/volume/pod-use.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { controllerOf } from '../../client/controller-ref/controller-of.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { defineController } from '../manager/controller.ts';

const { persistentVolumeClaims: claims, persistentVolumes: volumes, pods } = BUILTIN_HANDLES;
const OF_VOLUMES = 'kubernetes.io/pv-protection';
const OF_CLAIMS = 'kubernetes.io/pvc-protection';

export const VOLUME_PROTECTION = defineController({
  name: 'persistentvolume-protection-controller',
  formerNames: ['pv-protection'],
  serviceAccount: 'pv-protection-controller',
  *start({ context, client, informerOf }) {
    const queue = new WorkQueue(context);
    const known = informerOf(volumes);
    const note = (volume: PersistentVolume): void => {
      if (isToFree(volume, OF_VOLUMES) || isToProtect(volume, OF_VOLUMES)) queue.add(storeKeyOf(volume));
    };
    known.addHandler({ added: note, changed: note });
    yield* known.waitUntilSynced();
    startWorkers(context, queue, {
      *reconcile(name) {
        const volume = known.store.get(name);
        if (!volume) return undefined;
        if (isToProtect(volume, OF_VOLUMES)) yield* setFinalizer(client, volumes, volume, OF_VOLUMES);
        else if (isToFree(volume, OF_VOLUMES) && volume.status?.phase !== 'Bound')
          yield* dropFinalizer(client, volumes, volume, OF_VOLUMES);
        return undefined;
      },
    });
  },
});

export const CLAIM_PROTECTION = defineController({
  name: 'persistentvolumeclaim-protection-controller',
  formerNames: ['pvc-protection'],
  serviceAccount: 'pvc-protection-controller',
  *start({ context, client, informerOf }) {
    const queue = new WorkQueue(context);
    const known = informerOf(claims);
    const users = informerOf(pods);
    const note = (claim: PersistentVolumeClaim): void => {
      if (isToFree(claim, OF_CLAIMS) || isToProtect(claim, OF_CLAIMS)) queue.add(storeKeyOf(claim));
    };
    const noteClaimsOf = (pod: Pod): void => {
      for (const name of claimsOf(pod)) queue.add(`${pod.metadata.namespace ?? ''}/${name}`);
    };
    known.addHandler({ added: note, changed: note });
    const noteIdle = (pod: Pod): void => {
      if (!pod.spec?.nodeName || isOver(pod)) noteClaimsOf(pod);
    };
    users.addHandler({
      added: noteIdle,
      changed: (pod, old) => {
        noteIdle(pod);
        // Deleted and made again while nobody looked.
        if (pod.metadata.uid !== old.metadata.uid) noteClaimsOf(old);
      },
      removed: noteClaimsOf,
    });
    for (const informer of [known, users]) yield* informer.waitUntilSynced();
    startWorkers(context, queue, {
      *reconcile(key) {
        const claim = known.store.get(key);
        if (!claim) return undefined;
        const { namespace = '' } = claim.metadata;
        if (isToProtect(claim, OF_CLAIMS)) yield* setFinalizer(client, claims, claim, OF_CLAIMS);
        else if (isToFree(claim, OF_CLAIMS) && !isUsed(claim, users.store.byIndex('namespace', namespace))) {
          // The informer may be late: what is freed is gone for good.
          const { items } = yield* client.list(pods, { namespace });
          if (!isUsed(claim, items)) yield* dropFinalizer(client, claims, claim, OF_CLAIMS);
        }
        return undefined;
      },
    });
  },
});

const isToFree = ({ metadata }: ApiObject, finalizer: string): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizer) === true;

const isToProtect = ({ metadata }: ApiObject, finalizer: string): boolean =>
  metadata.deletionTimestamp === undefined && metadata.finalizers?.includes(finalizer) !== true;

const isUsed = (claim: PersistentVolumeClaim, users: readonly Pod[]): boolean =>
  users.some((pod) => pod.spec?.nodeName && uses(pod, claim));

/** A claim that was made for a pod is free as soon as the pod only waits to be removed: each would wait for the other. */
function uses(pod: Pod, claim: PersistentVolumeClaim): boolean {
  const { name = '' } = claim.metadata;
  return (pod.spec?.volumes ?? []).some(({ name: volume, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return persistentVolumeClaim.claimName === name;
    if (!ephemeral || `${pod.metadata.name ?? ''}-${volume}` !== name || isShutDown(pod)) return false;
    return controllerOf(claim)?.uid === pod.metadata.uid;
  });
}

const isShutDown = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;

const claimsOf = ({ metadata, spec }: Pod): readonly string[] =>
  (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName];
    return ephemeral ? [`${metadata.name ?? ''}-${name}`] : [];
  });

const setFinalizer = <T extends ApiObject>(
  client: ApiClient,
  handle: ResourceHandle<T>,
  object: T,
  finalizer: string,
): Process<void> =>
  withFinalizers(client, handle, object, [...(object.metadata.finalizers ?? []), finalizer]);

const dropFinalizer = <T extends ApiObject>(
  client: ApiClient,
  handle: ResourceHandle<T>,
  object: T,
  finalizer: string,
): Process<void> =>
  withFinalizers(
    client,
    handle,
    object,
    (object.metadata.finalizers ?? []).filter((each) => each !== finalizer),
  );

/** On the object as it was read: whoever was faster wins. */
function* withFinalizers<T extends ApiObject>(
  client: ApiClient,
  handle: ResourceHandle<T>,
  object: T,
  finalizers: readonly string[],
): Process<void> {
  const { finalizers: _, ...others } = object.metadata;
  const metadata = finalizers.length > 0 ? { ...others, finalizers } : others;
  try {
    yield* client.update(handle, { ...object, metadata });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
