/** How the attach-detach controller attaches and detaches: by a VolumeAttachment, of which a driver says what came of it. */
import type { ApiClient } from '../../client/api-client.ts';
import { isAlreadyExists, isCallFailure, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { Lister } from '../../client/informer/object-store.ts';
import type { VolumeAttachment } from '../../api/types/storage-k8s-io-v1.ts';
import type { Signal } from '../../engine/signal.ts';
import type { Process } from '../../engine/process.ts';
import { minutes, type Micros } from '../../engine/time.ts';
import { attachmentName } from './attachment-name.ts';
import type { Place } from './wanted-volumes.ts';

const { nodes, volumeAttachments } = BUILTIN_HANDLES;
const PATIENCE = minutes(2);

export interface AttachmentWorld {
  readonly client: ApiClient;
  readonly attachments: Lister<VolumeAttachment>;
  /** Fires with every change of a VolumeAttachment. */
  readonly changed: Signal;
}

/** Why it failed; undefined: it is attached. */
export function* attach(world: AttachmentWorld, place: Place): Process<string | undefined> {
  const { volume, node, name } = place;
  const wanted = attachmentName(place);
  try {
    yield* world.client.create(volumeAttachments, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: wanted },
      spec: { attacher: volume.driver, nodeName: node, source: { persistentVolumeName: name } },
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const isKnown = (attachment: VolumeAttachment | undefined): boolean =>
    attachment?.status?.attached === true || attachment?.status?.attachError !== undefined;
  const found = yield* awaited(world, wanted, isKnown);
  if (found?.status?.attached === true && found.metadata.deletionTimestamp === undefined) return undefined;
  const late = `timed out waiting for external-attacher of ${volume.driver} CSI driver to attach volume ${volume.handle}`;
  return found?.status?.attachError?.message ?? late;
}

/** Whether it still is, as far as anybody can tell. */
export function* isAttached(client: ApiClient, place: Place): Process<boolean> {
  try {
    const { status } = yield* client.get(volumeAttachments, attachmentName(place));
    return status?.attached === true;
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    return !isNotFound(error);
  }
}

/** Why it failed; undefined: it is gone. */
export function* detach(world: AttachmentWorld, place: Place): Process<string | undefined> {
  const { volume } = place;
  const wanted = attachmentName(place);
  try {
    yield* world.client.delete(volumeAttachments, wanted);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
  const found = yield* awaited(world, wanted, (attachment) => attachment === undefined);
  if (!found) return undefined;
  const late = `timed out waiting for external-attacher of ${volume.driver} CSI driver to detach volume ${volume.handle}`;
  return found.status?.detachError?.message ?? late;
}

/** As it is when it is as wanted, or when patience ends. */
function* awaited(
  { client, attachments, changed }: AttachmentWorld,
  name: string,
  isWanted: (attachment: VolumeAttachment | undefined) => boolean,
): Process<VolumeAttachment | undefined> {
  const { context } = client;
  const until = context.now() + PATIENCE;
  for (;;) {
    const found = attachments.get(name);
    const left = until - context.now();
    if (isWanted(found) || left <= 0) return found;
    yield* context.race([changed.wait(), context.sleep(left as Micros)]);
  }
}

/** Writes on the Node what is attached to it, in the form that the agent reads. */
export function* showOn(client: ApiClient, node: string, names: readonly string[]): Process<void> {
  const volumesAttached = names.length === 0 ? null : names.map((name) => ({ name, devicePath: '' }));
  try {
    yield* client.patch(
      nodes,
      node,
      { type: 'strategic', body: { status: { volumesAttached } } },
      { subresource: 'status' },
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
