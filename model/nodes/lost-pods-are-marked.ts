/**
 * When a node falls silent, its pods are said not to be ready any more, so that no service sends anybody there; a mark
 * that failed is tried again. (An agent that says itself that its node is not well, speaks for its pods, too.) Who begins
 * anew as controller does not know which marks were missing, and whoever writes to a pod later may know better.
 * Specification: "Node conditions"; not shown: Kubernetes 1.31.
 */
import type { Lease } from '../../sim/api/types/coordination-k8s-io-v1.ts';
import type { Node, Pod } from '../../sim/api/types/core-v1.ts';
import {
  inSeconds,
  isController,
  SECOND,
  type NodeRule,
  type Observation,
  type RuleSettings,
  wellSince,
} from './observation.ts';
import { saysReady } from '../pod-facts.ts';
import { readyStatusOf } from './zones.ts';

/** A few looks of the controller. */
const MARKED_WITHIN = 25 * SECOND;
const ELECTION = 'kube-controller-manager';

interface Lost {
  readonly since: number;
  /** Nothing hindered the control plane: it knew all pods. Otherwise only of those that it tried to mark, something is known. */
  readonly isKnown: boolean;
  readonly unmarked: Map<string, Pod>;
  /** Paths of what somebody tried to write since. */
  readonly tried: Set<string>;
}

export class LostPodsAreMarked implements NodeRule {
  readonly #settings: RuleSettings;
  /** Pods that say they are ready, by node and uid. */
  readonly #ready = new Map<string, Map<string, Pod>>();
  /** Nodes that fell silent, and pods that were ready then and have not been written since. */
  readonly #lost = new Map<string, Lost>();
  #wholeSince: number | undefined = 0;

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    const { at } = observation;
    if (observation.kind === 'control-plane') this.#wholeSince = wellSince(observation);
    else if (observation.kind === 'request-heard' && observation.method === 'PATCH')
      for (const { tried } of this.#lost.values()) tried.add(observation.path);
    else if (observation.kind === 'crashed' && isController(observation.actor)) this.#lost.clear();
    else if (observation.kind === 'stored') {
      const { before, after } = observation;
      const kind = (after ?? before)?.kind;
      if (kind === 'Node') this.#nodeStored(at, before, after);
      else if (kind === 'Pod') this.#podStored(before, after);
      else if (kind === 'Lease' && hasOtherHolder(before, after)) this.#lost.clear();
    }
  }

  look(at: number): void {
    if (this.#wholeSince === undefined) return;
    for (const [name, lost] of this.#lost) {
      const { since } = lost;
      if (at - Math.max(since, this.#wholeSince) <= MARKED_WITHIN + this.#settings.slack) continue;
      this.#lost.delete(name);
      const pod = [...lost.unmarked.values()].find(
        (each) => lost.isKnown || lost.tried.has(statusPath(each)),
      );
      if (!pod) continue;
      const { namespace = '', name: podName = '' } = pod.metadata;
      this.#settings.report(
        at,
        `${name} has been silent for ${inSeconds(at - since)}, and its pod ${namespace}/${podName} still says that it is ready`,
      );
    }
  }

  #nodeStored(at: number, before: Node | undefined, after: Node | undefined): void {
    const name = (after ?? before)?.metadata.name ?? '';
    const ready = after && readyStatusOf(after);
    if (ready !== 'Unknown') this.#lost.delete(name);
    else if (before && readyStatusOf(before) === 'True')
      this.#lost.set(name, {
        since: at,
        isKnown: this.#wholeSince !== undefined && this.#wholeSince <= at,
        unmarked: new Map(this.#ready.get(name)),
        tried: new Set(),
      });
  }

  #podStored(before: Pod | undefined, after: Pod | undefined): void {
    const { metadata, spec } = (after ?? before) as Pod;
    const { uid = '' } = metadata;
    const node = spec?.nodeName ?? '';
    this.#lost.get(node)?.unmarked.delete(uid);
    const ready = this.#ready.get(node) ?? new Map<string, Pod>();
    this.#ready.set(node, ready);
    if (after && after.metadata.deletionTimestamp === undefined && saysReady(after)) ready.set(uid, after);
    else ready.delete(uid);
  }
}

const statusPath = ({ metadata: { namespace = '', name = '' } }: Pod): string =>
  `/api/v1/namespaces/${namespace}/pods/${name}/status`;

const hasOtherHolder = (before: Lease | undefined, after: Lease | undefined): boolean =>
  after?.metadata.name === ELECTION && before?.spec?.holderIdentity !== after.spec?.holderIdentity;
