/**
 * Claims that ask for more than they have. No plugin of the manager's own makes volumes grow: it says that it leaves the
 * claim to whoever made the volume, and of a cloud that has moved to a CSI driver, to whom. Kubernetes 1.31: expand controller.
 */
import { compareQuantities, parseQuantity } from '../../api/quantity.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/types/core-v1.ts';
import { MIGRATED_SOURCES, driverOf } from '../../api/volume/migrated-plugins.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { defineController } from '../manager/controller.ts';

const { persistentVolumeClaims, persistentVolumes } = BUILTIN_HANDLES;
const WORKERS = 10;
const RESIZER = 'volume.kubernetes.io/storage-resizer';
const PRE_RESIZE_CAPACITY = 'volume.alpha.kubernetes.io/pre-resize-capacity';

export const VOLUME_EXPANDER = defineController({
  name: 'persistentvolume-expander-controller',
  formerNames: ['persistentvolume-expander'],
  serviceAccount: 'expand-controller',
  *start({ context, client, informerOf }) {
    const claims = informerOf(persistentVolumeClaims);
    const queue = new WorkQueue(context);
    const events = new EventRecorder(client, 'volume_expand');
    const note = (claim: PersistentVolumeClaim): void => {
      if (claim.status?.phase === 'Bound') queue.add(storeKeyOf(claim));
    };
    claims.addHandler({
      added: note,
      changed: (claim, old) => {
        if (isMore(requestOf(claim), requestOf(old)) || isMore(capacityOf(claim), capacityOf(old)))
          note(claim);
      },
    });
    yield* claims.waitUntilSynced();
    startWorkers(context, queue, {
      *reconcile(key) {
        const claim = claims.store.get(key);
        if (!claim) return undefined;
        const volume = yield* client.get(persistentVolumes, { name: claim.spec?.volumeName ?? '' });
        // It is not the claim's: it may become so.
        if (volume.spec?.claimRef?.uid !== claim.metadata.uid) return { requeue: true };
        if (wantsMore(claim, volume)) yield* leaveToOthers(client, events, claim, volume);
        return undefined;
      },
      workers: WORKERS,
    });
  },
});

function* leaveToOthers(
  client: ApiClient,
  events: EventRecorder,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
): Process<void> {
  const plugin = MIGRATED_SOURCES.find(({ source }) => volume.spec?.[source])?.plugin;
  const told = (type: 'Normal' | 'Warning', message: string): void =>
    events.record(claim, { type, reason: 'ExternalExpanding', message });
  if (plugin === undefined) {
    // Fibre Channel has a plugin, one that cannot do it.
    told(volume.spec?.fc ? 'Normal' : 'Warning', 'waiting for an external controller to expand this PVC');
    return;
  }
  told('Normal', `CSI migration enabled for ${plugin}; waiting for external resizer to expand the pvc`);
  const { name = '', namespace = '', annotations, resourceVersion } = claim.metadata;
  const resizer = driverOf(plugin);
  if (resizer === undefined || annotations?.[RESIZER] === resizer) return;
  const body = { metadata: { annotations: { [RESIZER]: resizer }, resourceVersion } };
  yield* client.patch(
    persistentVolumeClaims,
    { namespace, name },
    { type: 'strategic', body },
    { subresource: 'status' },
  );
}

const requestOf = ({ spec }: PersistentVolumeClaim): string => spec?.resources?.requests?.['storage'] ?? '0';

const capacityOf = ({ status }: PersistentVolumeClaim): string => status?.capacity?.['storage'] ?? '0';

const isMore = (wanted: string, present: string): boolean =>
  compareQuantities(parseQuantity(wanted), parseQuantity(present)) > 0;

/** It has less than it asks for, or its volume has grown and its files have not. */
export const wantsMore = (claim: PersistentVolumeClaim, { metadata }: PersistentVolume): boolean =>
  isMore(requestOf(claim), capacityOf(claim)) || metadata.annotations?.[PRE_RESIZE_CAPACITY] !== undefined;
