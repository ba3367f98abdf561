/**
 * When a node ceases to be Ready, its pods are said not to be ready either, so that no service sends anybody there; a mark
 * that failed is tried again. Who begins anew as controller does not know which marks were missing, and whoever writes to a
 * pod later may know better. Specification: "Node conditions"; not shown: Kubernetes 1.31.
 */
import type { Lease } from '../../sim/api/types/coordination-k8s-io-v1.ts';
import type { Node, Pod } from '../../sim/api/types/core-v1.ts';
import {
  CONVALESCENCE,
  inSeconds,
  isController,
  SECOND,
  type NodeRule,
  type Observation,
  type RuleSettings,
} from './observation.ts';
import { readyStatusOf } from './zones.ts';

/** A few looks of the controller. */
const MARKED_WITHIN = 25 * SECOND;
const ELECTION = 'kube-controller-manager';

export class LostPodsAreMarked implements NodeRule {
  readonly #settings: RuleSettings;
  /** Pods that say they are ready, by node and uid. */
  readonly #ready = new Map<string, Map<string, Pod>>();
  /** Nodes that ceased to be Ready, and pods that were ready then and have not been written since. */
  readonly #lost = new Map<string, { readonly since: number; readonly unmarked: Map<string, Pod> }>();
  #wholeSince: number | undefined = 0;

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    const { at } = observation;
    if (observation.kind === 'control-plane')
      this.#wholeSince = observation.isWhole ? at + CONVALESCENCE : undefined;
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
    for (const [name, { since, unmarked }] of this.#lost) {
      if (at - Math.max(since, this.#wholeSince) <= MARKED_WITHIN + this.#settings.slack) continue;
      this.#lost.delete(name);
      const [pod] = unmarked.values();
      if (!pod) continue;
      const { namespace = '', name: podName = '' } = pod.metadata;
      this.#settings.report(
        at,
        `${name} has not been Ready for ${inSeconds(at - since)}, and its pod ${namespace}/${podName} still says that it is`,
      );
    }
  }

  #nodeStored(at: number, before: Node | undefined, after: Node | undefined): void {
    const name = (after ?? before)?.metadata.name ?? '';
    const isReady = after && readyStatusOf(after) === 'True';
    if (!after || isReady) this.#lost.delete(name);
    else if (before && readyStatusOf(before) === 'True')
      this.#lost.set(name, { since: at, unmarked: new Map(this.#ready.get(name)) });
  }

  #podStored(before: Pod | undefined, after: Pod | undefined): void {
    const { metadata, spec } = (after ?? before) as Pod;
    const { uid = '' } = metadata;
    const node = spec?.nodeName ?? '';
    this.#lost.get(node)?.unmarked.delete(uid);
    const ready = this.#ready.get(node) ?? new Map<string, Pod>();
    this.#ready.set(node, ready);
    if (after && saysReady(after)) ready.set(uid, after);
    else ready.delete(uid);
  }
}

const saysReady = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  (status?.conditions ?? []).some((condition) => condition.type === 'Ready' && condition.status === 'True');

const hasOtherHolder = (before: Lease | undefined, after: Lease | undefined): boolean =>
  after?.metadata.name === ELECTION && before?.spec?.holderIdentity !== after.spec?.holderIdentity;
