/**
 * The volumes of a node's pods: before a pod begins, its ConfigMaps and Secrets have to be there, its claims to be bound,
 * and what has to be attached to be attached, as the Node says. An agent tells what is missing and tries again, later and
 * later, until it is there. Specification: not shown (Kubernetes 1.31).
 */
import type { Node, PersistentVolume, Pod, Volume } from '../../api/types/core-v1.ts';
import { attachableOf } from '../../api/volume/attachable.ts';
import { volumeBehaviourOf } from '../../api/volume/volume-behaviour.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { EventFacts } from '../../client/event-facts.ts';
import type { Process } from '../../engine/process.ts';
import type { Signal } from '../../engine/signal.ts';
import { milliseconds } from '../../engine/time.ts';
import { readConfig } from '../environment/config-source.ts';
import type { VolumesInUse } from '../machine/volumes-in-use.ts';
import { missingKey, sourcesOf, type VolumeSource } from './projected-sources.ts';

const { csiDrivers, persistentVolumeClaims, persistentVolumes } = BUILTIN_HANDLES;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 122_000;
/** An agent looks at a pod again after so long when it could not make out its claims. */
const POD_PAUSE_MS = 10_000;

export interface PodVolumesOptions {
  readonly client: ApiClient;
  readonly inUse: VolumesInUse;
  /** The Node as the agent last saw it. */
  readonly node: () => Node | undefined;
  /** Fires when the agent has seen another. */
  readonly nodeSeen: Signal;
}

type Tell = (facts: EventFacts) => void;

export class PodVolumes {
  readonly #options: PodVolumesOptions;

  constructor(options: PodVolumesOptions) {
    this.#options = options;
  }

  /** Until everything is there. */
  *mount(pod: Pod, tell: Tell): Process<void> {
    const waits = (pod.spec?.volumes ?? []).flatMap((volume) => {
      const sources = sourcesOf(volume);
      const claim = claimNameOf(pod, volume);
      if (claim !== undefined) return [this.#claim(pod, volume, { claim, tell })];
      return sources.length > 0 ? [this.#projected(pod, volume, { sources, tell })] : [];
    });
    if (waits.length > 0) yield* this.#options.client.context.all(waits);
  }

  /** The pod has ended. */
  release(podUid: string): void {
    this.#options.inUse.release(podUid);
  }

  *#projected(
    { metadata: { namespace = '' } }: Pod,
    { name }: Volume,
    { sources, tell }: { readonly sources: readonly VolumeSource[]; readonly tell: Tell },
  ): Process<void> {
    yield* this.#repeat(tell, `MountVolume.SetUp failed for volume "${name}" : `, function* (client) {
      for (const source of sources) {
        const problem = yield* problemOf(client, namespace, source);
        if (problem !== undefined) return problem;
      }
      return undefined;
    });
  }

  *#claim(
    pod: Pod,
    { name: local }: Volume,
    { claim, tell }: { readonly claim: string; readonly tell: Tell },
  ): Process<void> {
    const { client, inUse, node } = this.#options;
    const { context } = client;
    const { namespace = '', uid = '' } = pod.metadata;
    let found = yield* boundVolume(client, namespace, claim);
    while (typeof found === 'string') {
      const message = `Unable to attach or mount volumes: unmounted volumes=[${local}], unattached volumes=[], failed to process volumes=[${local}]: error processing PVC ${namespace}/${claim}: ${found}`;
      tell({ type: 'Warning', reason: 'FailedMount', message });
      yield* context.sleep(milliseconds(POD_PAUSE_MS));
      found = yield* boundVolume(client, namespace, claim);
    }
    const attachable = attachableOf(found);
    if (!attachable || (yield* skipsAttach(client, attachable.driver))) return;
    inUse.use(attachable.uniqueName, uid);
    const isAttached = (): boolean =>
      node()?.status?.volumesAttached?.some(({ name }) => name === attachable.uniqueName) === true &&
      node()?.status?.volumesInUse?.includes(attachable.uniqueName) === true;
    while (!isAttached()) yield* this.#options.nodeSeen.wait();
    const name = found.metadata.name ?? '';
    yield* this.#repeat(tell, `MountVolume.MountDevice failed for volume "${name}" : `, function* () {
      const now = yield* client.get(persistentVolumes, name);
      return volumeBehaviourOf(now).mountError;
    });
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

function* problemOf(client: ApiClient, namespace: string, source: VolumeSource): Process<string | undefined> {
  const { kind, name, isOptional } = source;
  const outcome = yield* readConfig(client, { kind, namespace, name });
  if (outcome.kind !== 'found') return outcome.kind === 'missing' && isOptional ? undefined : outcome.message;
  const { object } = outcome;
  const binary = 'binaryData' in object ? object.binaryData : undefined;
  return missingKey(source, { ...object.data, ...binary });
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
