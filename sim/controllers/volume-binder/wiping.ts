/**
 * Wiping a volume: a pod that deletes all that lies there, watched to its end and deleted. What is told of the pod is told of
 * the volume too. A pod of that name that is there already is deleted and wiping fails: nobody knows whose it is. Nobody waits
 * any more once both watches have ended, of the pod and of what is told of it: one alone is missed by nobody.
 */
import type { ApiObject } from '../../api/object.ts';
import { int64Value } from '../../api/quantity.ts';
import type { Event, PersistentVolume, Pod, Volume } from '../../api/types/core-v1.ts';
import { isAlreadyExists, isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { NewObject } from '../../client/options.ts';
import type { WatchEvent } from '../../client/protocol.ts';
import type { Watch } from '../../client/watch.ts';
import type { Process } from '../../engine/process.ts';
import type { BinderWorld } from './binder-world.ts';

const { events, pods } = BUILTIN_HANDLES;
const NAMESPACE = 'default';
const GIB = 2n ** 30n;
const SECONDS_PER_GIB = 30n;
const SCRIPT = 'test -e /scrub && find /scrub -mindepth 1 -delete && test -z "$(ls -A /scrub)" || exit 1';

export interface Wiping {
  readonly source: Partial<Volume>;
  readonly leastSeconds: number;
}

/** Undefined: it is empty now. Otherwise why not. */
export function* wipe(
  world: BinderWorld,
  volume: PersistentVolume,
  wiping: Wiping,
): Process<string | undefined> {
  const { client } = world;
  const pod = wiperOf(volume, wiping);
  const name = pod.metadata.name ?? '';
  const watched = yield* client.watch(pods, { namespace: NAMESPACE, fieldSelector: `metadata.name=${name}` });
  const told = yield* client.watch(events, {
    namespace: NAMESPACE,
    fieldSelector: `involvedObject.name=${name}`,
  });
  try {
    const refusal = yield* begin(world, pod);
    if (refusal !== undefined) return refusal;
    const relay = client.context.spawn('recycler events', relayTo(world, volume, told));
    let failure = yield* endOf(watched);
    if (failure === UNHEARD) {
      yield* relay.join();
      failure = `recycler pod ${JSON.stringify(name)} watch channel had been closed`;
    }
    relay.cancel();
    const notDeleted = yield* remove(world, name);
    if (failure !== undefined) return `failed to recycle volume: ${failure}`;
    return notDeleted === undefined ? undefined : `failed to delete recycler pod: ${notDeleted}`;
  } finally {
    watched.close();
    told.close();
  }
}

export function wiperOf(
  { metadata, spec }: PersistentVolume,
  { source, leastSeconds }: Wiping,
): NewObject<Pod> {
  const ofSize = (int64Value(spec?.capacity?.['storage'] ?? '0', 0) / GIB) * SECONDS_PER_GIB;
  return {
    metadata: { name: `recycler-for-${metadata.name ?? ''}`, namespace: NAMESPACE },
    spec: {
      activeDeadlineSeconds: Math.max(Number(ofSize), leastSeconds),
      restartPolicy: 'Never',
      volumes: [{ name: 'vol', ...source }],
      containers: [
        {
          name: 'pv-recycler',
          image: 'registry.k8s.io/build-image/debian-base:bookworm-v1.0.6',
          command: ['/bin/sh'],
          args: ['-c', SCRIPT],
          volumeMounts: [{ name: 'vol', mountPath: '/scrub' }],
        },
      ],
    },
  };
}

function* begin(world: BinderWorld, pod: NewObject<Pod>): Process<string | undefined> {
  try {
    yield* world.client.create(pods, pod);
    return undefined;
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    if (!isAlreadyExists(error)) return `unexpected error creating recycler pod:  ${error.message}`;
  }
  const { name = '' } = pod.metadata;
  const refusal = yield* remove(world, name);
  return refusal === undefined
    ? 'old recycler pod found, will retry later'
    : `failed to delete old recycler pod ${NAMESPACE}/${name}: ${refusal}`;
}

function* remove({ client }: BinderWorld, name: string): Process<string | undefined> {
  try {
    yield* client.delete(pods, { namespace: NAMESPACE, name });
    return undefined;
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    return error.message;
  }
}

const UNHEARD = Symbol('the watch has ended before');

function* endOf(watched: Watch<Pod>): Process<string | typeof UNHEARD | undefined> {
  for (let event = yield* heard(watched); event; event = yield* heard(watched)) {
    if (event.type === 'DELETED') return 'recycler pod was deleted';
    // What the server says last says nothing of the pod.
    if (event.type === 'ERROR' || event.type === 'BOOKMARK') continue;
    const { phase, message } = event.object.status ?? {};
    if (phase === 'Succeeded') return undefined;
    if (phase === 'Failed') return message || 'pod failed, pod.Status.Message unknown';
  }
  return UNHEARD;
}

/** A watch that breaks has ended. */
function* heard<T extends ApiObject>(watch: Watch<T>): Process<WatchEvent<T> | undefined> {
  try {
    return yield* watch.next();
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    return undefined;
  }
}

function* relayTo(world: BinderWorld, volume: PersistentVolume, told: Watch<Event>): Process<void> {
  for (let event = yield* heard(told); event; event = yield* heard(told)) {
    if (event.type !== 'ADDED') continue;
    const { type, message = '' } = event.object;
    const kind = type === 'Warning' ? 'Warning' : 'Normal';
    world.tellOfVolume(volume, { type: kind, reason: 'RecyclerPod', message: `Recycler pod: ${message}` });
  }
}
