/**
 * Never two live containers of one StatefulSet identity: the pods of a StatefulSet are replaced under their own names,
 * and a replacement must not start before its predecessor has ended, wherever either runs. Whoever deletes a pod by
 * force takes that promise upon himself. Specification: "Pods on nodes"; not shown: Kubernetes 1.31.
 */
import type { Pod } from '../../sim/api/types/core-v1.ts';
import type { NodeRule, Observation, ObservationOf, ObservedContainer, RuleSettings } from './observation.ts';

interface Live {
  readonly machine: string;
  readonly container: ObservedContainer;
}

/** What the storage has shown of a pod. */
interface KnownPod {
  readonly isOfStatefulSet: boolean;
  readonly node: string | undefined;
  /** The agent of its node has asked for its removal: all its containers have ended, it says. */
  isGivenUp: boolean;
  /** It is gone, though its node's agent never asked for that. */
  isForced: boolean;
}

export class OneLiveContainerPerIdentity implements NodeRule {
  readonly #settings: RuleSettings;
  readonly #pods = new Map<string, KnownPod>();
  /** By namespace and name of their pod. */
  readonly #live = new Map<string, Live[]>();
  /** Uids of the pods that are there, by path in the API. */
  readonly #present = new Map<string, string>();

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    switch (observation.kind) {
      case 'stored':
        if ((observation.after ?? observation.before)?.kind === 'Pod') this.#stored(observation);
        return;
      case 'request-heard':
        if (observation.method === 'DELETE') this.#deletionAsked(observation);
        return;
      case 'container-started':
        this.#started(observation.at, observation);
        return;
      case 'container-stopped':
        this.#stopped(observation.container);
        return;
      default:
    }
  }

  look(): void {
    // Two containers can only begin to live side by side when one of them starts.
  }

  #stored({ before, after }: ObservationOf<'stored'>): void {
    const { metadata, spec } = (after ?? before) as Pod;
    const { uid = '', namespace = '', name = '', ownerReferences = [] } = metadata;
    const known = this.#pods.get(uid);
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    if (!after) {
      this.#present.delete(path);
      if (known && !known.isGivenUp) known.isForced = true;
      return;
    }
    this.#present.set(path, uid);
    this.#pods.set(uid, {
      isOfStatefulSet: ownerReferences.some(({ kind }) => kind === 'StatefulSet'),
      node: spec?.nodeName,
      isGivenUp: known?.isGivenUp ?? false,
      isForced: false,
    });
  }

  #deletionAsked({ user, path }: ObservationOf<'request-heard'>): void {
    const pod = this.#pods.get(this.#present.get(path) ?? '');
    if (pod && user === `system:node:${pod.node ?? ''}`) pod.isGivenUp = true;
  }

  #started(at: number, started: Live): void {
    const { container, machine } = started;
    const identity = `${container.namespace}/${container.podName}`;
    const others = this.#live.get(identity) ?? [];
    this.#live.set(identity, [...others, started]);
    if (this.#pods.get(container.podUid)?.isOfStatefulSet !== true) return;
    const rival = others.find((other) => this.#excludes(other, started));
    if (!rival) return;
    const whose =
      rival.container.podUid === container.podUid
        ? 'the same pod'
        : `its predecessor ${rival.container.podUid}, which was not deleted by force`;
    this.#settings.report(
      at,
      `${identity} runs twice: container ${container.name} of pod ${container.podUid} started on ${machine} while ` +
        `container ${rival.container.name} of ${whose} is alive on ${rival.machine}`,
    );
  }

  /** Whether the two must not live side by side. */
  #excludes(other: Live, started: Live): boolean {
    if (other.container.podUid !== started.container.podUid)
      return this.#pods.get(other.container.podUid)?.isForced !== true;
    return other.machine !== started.machine || other.container.name === started.container.name;
  }

  #stopped({ id, namespace, podName }: ObservedContainer): void {
    const identity = `${namespace}/${podName}`;
    const live = this.#live.get(identity) ?? [];
    this.#live.set(
      identity,
      live.filter(({ container }) => container.id !== id),
    );
  }
}
