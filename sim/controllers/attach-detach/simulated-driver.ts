/**
 * The drivers of volumes, all of them imagined: who looks after VolumeAttachments beside a real driver. It says that a
 * volume is attached, or why not (again and again, at growing intervals), and lets go of it when the attachment is deleted.
 */
import { formatTime } from '../../api/time-format.ts';
import type { PersistentVolume } from '../../api/types/core-v1.ts';
import type { VolumeAttachment } from '../../api/types/storage-k8s-io-v1.ts';
import { volumeBehaviourOf } from '../../api/volume/volume-behaviour.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { Lister } from '../../client/informer/object-store.ts';
import { ItemBackoff } from '../../client/rate-limit/rate-limiter.ts';
import { type ReconcileResult, startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { minutes, seconds } from '../../engine/time.ts';
import type { SharedInformer } from '../manager/controller.ts';

const { volumeAttachments } = BUILTIN_HANDLES;
/** Drivers are administrators of their own. */
const USER = { name: 'system:volume-driver', groups: ['system:masters', 'system:authenticated'] };
const WORKERS = 10;
const LONGEST_PAUSE = minutes(5);

export interface DriverOptions {
  readonly client: ApiClient;
  readonly attachments: SharedInformer<VolumeAttachment>;
  readonly volumes: Lister<PersistentVolume>;
}

export function startDriver({ client, attachments, volumes }: DriverOptions): void {
  const { context } = client;
  const own = client.as({ user: USER });
  const queue = new WorkQueue(context, {
    limiter: new ItemBackoff({ first: seconds(1), longest: LONGEST_PAUSE }),
  });
  const note = ({ metadata: { name = '' } }: VolumeAttachment): void => queue.add(name);
  attachments.addHandler({
    added: note,
    changed: (attachment, old) => {
      // What it has said itself is no news.
      const { finalizers, deletionTimestamp } = attachment.metadata;
      const isNews =
        finalizers?.length !== old.metadata.finalizers?.length ||
        deletionTimestamp !== old.metadata.deletionTimestamp;
      if (isNews) note(attachment);
    },
  });
  startWorkers(context, queue, {
    workers: WORKERS,
    *reconcile(name): Process<ReconcileResult | undefined> {
      const attachment = attachments.store.get(name);
      if (!attachment) return undefined;
      const volume = volumes.get(attachment.spec.source.persistentVolumeName ?? '');
      try {
        return yield* tend(own, attachment, volume);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        return undefined;
      }
    },
  });
}

function* tend(
  client: ApiClient,
  attachment: VolumeAttachment,
  volume: PersistentVolume | undefined,
): Process<ReconcileResult | undefined> {
  const { metadata, spec, status } = attachment;
  const finalizer = `external-attacher/${spec.attacher.replaceAll('.', '-')}`;
  const name = metadata.name ?? '';
  const behaviour = volumeBehaviourOf(volume);
  if (metadata.deletionTimestamp !== undefined) {
    if (!metadata.finalizers?.includes(finalizer)) return undefined;
    yield* client.context.sleep(seconds(behaviour.detachSeconds));
    yield* setFinalizers(
      client,
      attachment,
      metadata.finalizers.filter((each) => each !== finalizer),
    );
    return undefined;
  }
  if (status?.attached === true) return undefined;
  if (!metadata.finalizers?.includes(finalizer)) {
    // Its next event brings it back.
    yield* setFinalizers(client, attachment, [...(metadata.finalizers ?? []), finalizer]);
    return undefined;
  }
  yield* client.context.sleep(seconds(behaviour.attachSeconds));
  const { attachError: message } = behaviour;
  const told =
    message === undefined
      ? { attached: true, attachError: null }
      : { attached: false, attachError: { message, time: formatTime(client.context.wallMs()) } };
  yield* client.patch(
    volumeAttachments,
    name,
    { type: 'merge', body: { status: told } },
    { subresource: 'status' },
  );
  return message === undefined ? undefined : { requeue: true };
}

function* setFinalizers(
  client: ApiClient,
  { metadata: { name = '', resourceVersion } }: VolumeAttachment,
  finalizers: readonly string[],
): Process<void> {
  const body = { metadata: { resourceVersion, finalizers } };
  yield* client.patch(volumeAttachments, name, { type: 'merge', body });
}
