/** Claims of generic ephemeral volumes: a pod that declares one gets a claim that it owns. Kubernetes: "Ephemeral Volumes". */
import type { PersistentVolumeClaim, Pod, Volume } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { type ReconcileResult, startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { defineController } from '../manager/controller.ts';

const { persistentVolumeClaims: claims, pods } = BUILTIN_HANDLES;
const WORKERS = 10;

export const EPHEMERAL_VOLUMES = defineController({
  name: 'ephemeral-volume-controller',
  formerNames: ['ephemeral-volume'],
  serviceAccount: 'ephemeral-volume-controller',
  *start({ context, client, informerOf }) {
    const queue = new WorkQueue(context);
    const users = informerOf(pods);
    const known = informerOf(claims);
    const recorder = new EventRecorder(client, 'ephemeral_volume');
    const note = (pod: Pod): void => {
      if (pod.spec?.volumes?.some(({ ephemeral }) => ephemeral)) queue.add(storeKeyOf(pod));
    };
    users.addHandler({ added: note });
    known.addHandler({
      removed: ({ metadata: { namespace = '', ownerReferences } }) => {
        const owner = ownerReferences?.find(({ controller, kind }) => controller === true && kind === 'Pod');
        if (owner) queue.add(`${namespace}/${owner.name}`);
      },
    });
    for (const informer of [users, known]) yield* informer.waitUntilSynced();
    startWorkers(context, queue, {
      workers: WORKERS,
      reconcile: (key) =>
        provide({ client, recorder, claimOf: (claim) => known.store.get(claim) }, users.store.get(key)),
    });
  },
});

interface View {
  readonly client: ApiClient;
  readonly recorder: EventRecorder;
  readonly claimOf: (key: string) => PersistentVolumeClaim | undefined;
}

function* provide(view: View, pod: Pod | undefined): Process<ReconcileResult | undefined> {
  if (!pod || pod.metadata.deletionTimestamp) return undefined;
  let isFailed = false;
  for (const volume of pod.spec?.volumes ?? []) {
    if (!volume.ephemeral) continue;
    const claim = claimOf(pod, volume);
    const present = view.claimOf(storeKeyOf(claim));
    // One that is there and not seen yet is looked at again: it may be somebody else's.
    if (!present) yield* view.client.create(claims, claim);
    else if (!isOwned(present, pod)) {
      isFailed = true;
      tell(view.recorder, pod, volume.name, claim);
    }
  }
  return isFailed ? { requeue: true } : undefined;
}

function tell(recorder: EventRecorder, pod: Pod, volume: string, { metadata }: PersistentVolumeClaim): void {
  const { namespace = '', name = '' } = metadata;
  const message = `ephemeral volume ${volume}: PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name ?? ''} (pod is not owner)`;
  recorder.record(
    { ...pod, kind: 'Pod', apiVersion: 'v1' },
    { type: 'Warning', reason: 'FailedBinding', message },
  );
}

const isOwned = ({ metadata }: PersistentVolumeClaim, pod: Pod): boolean =>
  metadata.ownerReferences?.some(({ uid, controller }) => controller === true && uid === pod.metadata.uid) ===
  true;

/** Pure. */
function claimOf({ metadata }: Pod, { name, ephemeral }: Volume): PersistentVolumeClaim {
  const { name: pod = '', namespace = '', uid = '' } = metadata;
  const template = ephemeral?.volumeClaimTemplate;
  const { labels, annotations } = template?.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: `${pod}-${name}`,
      namespace,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Pod', name: pod, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    ...(template?.spec && { spec: template.spec }),
  };
}
