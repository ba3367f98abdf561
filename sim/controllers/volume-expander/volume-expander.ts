/**
 * Claims that ask for more than they have. No volume here belongs to a plugin of the manager's own: it says that it
 * leaves the claim to whoever made the volume. Specification: not shown (Kubernetes: expand controller).
 */
import { compareQuantities, parseQuantity } from '../../api/quantity.ts';
import type { PersistentVolumeClaim } from '../../api/types/core-v1.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import { defineController } from '../manager/controller.ts';

const { persistentVolumeClaims, persistentVolumes } = BUILTIN_HANDLES;
const WORKERS = 10;

export const VOLUME_EXPANDER = defineController({
  name: 'persistentvolume-expander-controller',
  formerNames: ['persistentvolume-expander'],
  serviceAccount: 'expand-controller',
  *start({ context, client, informerOf }) {
    const claims = informerOf(persistentVolumeClaims);
    const volumes = informerOf(persistentVolumes);
    const queue = new WorkQueue(context);
    const events = new EventRecorder(client, 'volume_expand');
    claims.addHandler({
      added: (claim) => queue.add(storeKeyOf(claim)),
      changed: (claim, old) => {
        if (isMore(requestOf(claim), requestOf(old))) queue.add(storeKeyOf(claim));
      },
    });
    for (const informer of [claims, volumes]) yield* informer.waitUntilSynced();
    startWorkers(context, queue, {
      // oxlint-disable-next-line require-yield -- it waits for nobody
      *reconcile(key) {
        const claim = claims.store.get(key);
        if (!claim || !wantsMore(claim) || !volumes.store.get(claim.spec?.volumeName ?? '')) return undefined;
        events.record(claim, { type: 'Normal', reason: 'ExternalExpanding', message: LEFT_TO_OTHERS });
        return undefined;
      },
      workers: WORKERS,
    });
  },
});

const LEFT_TO_OTHERS =
  "Ignoring the PVC: didn't find a plugin capable of expanding the volume; waiting for an external controller to process this PVC.";

const requestOf = ({ spec }: PersistentVolumeClaim): string | undefined =>
  spec?.resources?.requests?.['storage'];

const isMore = (wanted: string | undefined, present: string | undefined): boolean =>
  wanted !== undefined &&
  present !== undefined &&
  compareQuantities(parseQuantity(wanted), parseQuantity(present)) > 0;

/** It has a volume, and less of it than it asks for. */
export const wantsMore = (claim: PersistentVolumeClaim): boolean =>
  claim.status?.phase === 'Bound' && isMore(requestOf(claim), claim.status.capacity?.['storage']);
