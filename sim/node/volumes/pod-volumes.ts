/**
 * The volumes of a node's pods: before a pod begins, its ConfigMaps and Secrets have to be there, its claims to be bound,
 * and what has to be attached to be attached, as the Node says. An agent tells what is missing and tries again, later and
 * later, until it is there. Specification: not shown (Kubernetes 1.31).
 */
import type { Container, Node, PersistentVolume, Pod, Volume } from '../../api/types/core-v1.ts';
import { attachableOf } from '../../api/volume/attachable.ts';
import { volumeBehaviourOf } from '../../api/volume/volume-behaviour.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { EventFacts } from '../../client/event-facts.ts';
import type { Process } from '../../engine/process.ts';
import type { Signal } from '../../engine/signal.ts';
import { milliseconds } from '../../engine/time.ts';
import type { PodSurroundings } from '../environment/own-fields.ts';
import { DiskFullError } from '../machine/disk.ts';
import type { Machine } from '../machine/machine.ts';
import type { ContainerMount } from '../runtime/file-tree.ts';
import { containerMounts } from './container-mounts.ts';
import { isConfig, isFilled, isTokenVolume, sourcesOf } from './projected-sources.ts';
import { contentsOf, type VolumeContents } from './volume-contents.ts';
import type { VolumePlace, VolumePlaces } from './volume-places.ts';

const { csiDrivers, persistentVolumeClaims, persistentVolumes } = BUILTIN_HANDLES;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 122_000;
/** An agent looks at a pod again after so long when it could not make out its claims. */
const POD_PAUSE_MS = 10_000;
/** An agent looks so often whether what it has filled volumes with has changed. */
const FILLED_FOR_MS = 60_000;

export interface PodVolumesOptions {
  readonly client: ApiClient;
  readonly machine: Machine;
  readonly places: VolumePlaces;
  /** The Node as the agent last saw it. */
  readonly node: () => Node | undefined;
  /** Fires when the agent has seen another. */
  readonly nodeSeen: Signal;
}

type Tell = (facts: EventFacts) => void;

export class PodVolumes {
  readonly #options: PodVolumesOptions;
  /** When each was filled last, by the pod's uid and its name. */
  readonly #filledMs = new Map<string, number>();

  constructor(options: PodVolumesOptions) {
    this.#options = options;
  }

  /** Until everything is there. */
  *mount(surroundings: PodSurroundings, tell: Tell): Process<void> {
    const { pod } = surroundings;
    const waits = (pod.spec?.volumes ?? []).flatMap((volume) => {
      const claim = claimNameOf(pod, volume);
      if (claim !== undefined) return [this.#claim(pod, volume, { claim, tell })];
      const isAwaited = !isTokenVolume(volume) && sourcesOf(volume).some(isConfig);
      return isAwaited ? [this.#projected(surroundings, volume, tell)] : [];
    });
    if (waits.length > 0) yield* this.#options.client.context.all(waits);
  }

  /** What a container of the pod sees, once they are there. */
  mountsOf(
    pod: Pod,
    container: Container,
    variables: ReadonlyMap<string, string>,
  ): readonly ContainerMount[] {
    return containerMounts({ pod, container, variables, placeOf: (volume) => this.#placeOf(pod, volume) });
  }

  /** Those of them that an agent fills, and has filled long enough ago. */
  due(pod: Pod, volumes: readonly Volume[]): readonly Volume[] {
    const nowMs = this.#options.client.context.wallMs();
    return volumes.filter(
      (volume) =>
        isFilled(volume) && nowMs - (this.#filledMs.get(keyOf(pod, volume)) ?? -Infinity) >= FILLED_FOR_MS,
    );
  }

  /**
   * Fills them anew. Nobody sees the files but who looks into a container, so nothing is read before. What cannot be read
   * stays as it was.
   */
  *refresh(surroundings: PodSurroundings, volumes: readonly Volume[]): Process<void> {
    for (const volume of volumes) {
      const contents = yield* contentsOf(this.#options.client, sourcesOf(volume), surroundings);
      if (typeof contents !== 'string') this.#fill(surroundings.pod, volume, contents);
    }
  }

  /** Undefined: it is filled; else why not. */
  #fill(pod: Pod, volume: Volume, contents: VolumeContents): string | undefined {
    const place = this.#placeOf(pod, volume);
    try {
      if (place) this.#options.places.fill(place, contents);
    } catch (error) {
      if (!(error instanceof DiskFullError)) throw error;
      return error.message;
    }
    this.#filledMs.set(keyOf(pod, volume), this.#options.client.context.wallMs());
    return undefined;
  }

  #placeOf(pod: Pod, volume: Volume): VolumePlace | undefined {
    const { machine, places } = this.#options;
    return places.of(pod.metadata.uid ?? '', volume, machine.volumes.boundTo(keyOf(pod, volume)));
  }

  /** The pod has ended. */
  release(podUid: string): void {
    this.#options.machine.volumes.release(podUid);
    this.#options.places.clear(podUid);
    for (const key of this.#filledMs.keys()) if (key.startsWith(`${podUid}/`)) this.#filledMs.delete(key);
  }

  /** Tokens are asked for when somebody looks. */
  *#projected(surroundings: PodSurroundings, volume: Volume, tell: Tell): Process<void> {
    const sources = sourcesOf(volume);
    const withoutTokens = sources.filter(({ kind }) => kind !== 'token');
    const fill = (contents: VolumeContents): string | undefined => {
      const problem = this.#fill(surroundings.pod, volume, contents);
      if (withoutTokens.length < sources.length) this.#filledMs.delete(keyOf(surroundings.pod, volume));
      return problem;
    };
    const attempt = (client: ApiClient): Process<string | undefined> =>
      filled(contentsOf(client, withoutTokens, surroundings), fill);
    yield* this.#repeat(tell, `MountVolume.SetUp failed for volume "${volume.name}" : `, attempt);
  }

  *#claim(
    pod: Pod,
    volume: Volume,
    { claim, tell }: { readonly claim: string; readonly tell: Tell },
  ): Process<void> {
    const { name: local } = volume;
    const { client, machine, node } = this.#options;
    const { context } = client;
    const { namespace = '', uid = '' } = pod.metadata;
    let found = yield* boundVolume(client, namespace, claim);
    while (typeof found === 'string') {
      const message = `Unable to attach or mount volumes: unmounted volumes=[${local}], unattached volumes=[], failed to process volumes=[${local}]: error processing PVC ${namespace}/${claim}: ${found}`;
      tell({ type: 'Warning', reason: 'FailedMount', message });
      yield* context.sleep(milliseconds(POD_PAUSE_MS));
      found = yield* boundVolume(client, namespace, claim);
    }
    if (found.spec) machine.volumes.bind(keyOf(pod, volume), found.spec);
    const attachable = attachableOf(found);
    if (!attachable) return;
    const { uniqueName, driver } = attachable;
    if (!(yield* skipsAttach(client, driver))) {
      machine.volumes.use(uniqueName, uid);
      const isAttached = (): boolean =>
        node()?.status?.volumesAttached?.some(({ name }) => name === uniqueName) === true &&
        node()?.status?.volumesInUse?.includes(uniqueName) === true;
      while (!isAttached()) yield* this.#options.nodeSeen.wait();
    }
    const name = found.metadata.name ?? '';
    const attempt = (): Process<string | undefined> => mountErrorOf(client, name);
    yield* this.#repeat(tell, `MountVolume.MountDevice failed for volume "${name}" : `, attempt);
  }

  /** Until nothing is wrong any more, at growing intervals. */
  *#repeat(
    tell: Tell,
    prefix: string,
    attempt: (client: ApiClient) => Process<string | undefined>,
  ): Process<void> {
    const { client } = this.#options;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      let problem: string | undefined;
      try {
        problem = yield* attempt(client);
      } catch (error) {
        if (!isCallFailure(error)) throw error;
        problem = error.message;
      }
      if (problem === undefined) return;
      tell({ type: 'Warning', reason: 'FailedMount', message: prefix + problem });
      yield* client.context.sleep(milliseconds(pauseMs));
    }
  }
}

const claimNameOf = (
  { metadata: { name = '' } }: Pod,
  { name: local, persistentVolumeClaim, ephemeral }: Volume,
): string | undefined => persistentVolumeClaim?.claimName ?? (ephemeral ? `${name}-${local}` : undefined);

const keyOf = ({ metadata: { uid = '' } }: Pod, { name }: Volume): string => `${uid}/${name}`;

function* filled(
  asked: Process<VolumeContents | string>,
  fill: (contents: VolumeContents) => string | undefined,
): Process<string | undefined> {
  const contents = yield* asked;
  return typeof contents === 'string' ? contents : fill(contents);
}

function* mountErrorOf(client: ApiClient, name: string): Process<string | undefined> {
  return volumeBehaviourOf(yield* client.get(persistentVolumes, name)).mountError;
}

/** A text: why there is none. */
function* boundVolume(
  client: ApiClient,
  namespace: string,
  name: string,
): Process<PersistentVolume | string> {
  try {
    const claim = yield* client.get(persistentVolumeClaims, { namespace, name });
    const volume = claim.spec?.volumeName ?? '';
    if (claim.status?.phase !== 'Bound' || volume === '') return 'PVC is not bound';
    return yield* client.get(persistentVolumes, volume);
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    return `failed to fetch PVC from API server: ${error.message}`;
  }
}

function* skipsAttach(client: ApiClient, driver: string): Process<boolean> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return (yield* client.get(csiDrivers, driver)).spec.attachRequired === false;
    } catch (error) {
      if (isNotFound(error)) return false;
      if (!isCallFailure(error)) throw error;
    }
    yield* client.context.sleep(milliseconds(pauseMs));
  }
}
