/**
 * A pod that a node could take gets one within a minute: something is heard when a node opens or has room again, and who
 * waits is tried; but the end of another pod is no news for who was kept by the nodes themselves alone, as none was open, nor
 * is a promise that is not kept: he is tried with the next flush. Looks only at pods that ask for nothing but amounts of
 * processor and memory, and at nodes by what is stored of them. Not shown in the specification: Kubernetes 1.31.
 */
import type { Node, Pod } from '../../sim/api/types/core-v1.ts';
import {
  CONVALESCENCE,
  inSeconds,
  SECOND,
  type NodeRule,
  type Observation,
  type RuleSettings,
} from '../nodes/observation.ts';
import { hasEnded, isKeptByNodesAlone } from '../pod-facts.ts';
import { amountOf, requestOf } from './amounts.ts';
import { FLUSHES_WITHIN, PassedOver } from './passed-over.ts';
import { bears } from './wishes.ts';

/** The longest pause between two tries is 10 s. */
const TRIED_WITHIN = 45 * SECOND;
const FLUSHED_WITHIN = TRIED_WITHIN + FLUSHES_WITHIN;
/** Two news may reach a scheduler one way round or the other. */
const RACE = SECOND;
const AMOUNTS = ['cpu', 'memory'] as const;

type Amounts = Readonly<Record<(typeof AMOUNTS)[number], number>>;

interface Waiting {
  readonly pod: Pod;
  readonly wants: Amounts;
  /** Since when there has always been a node for it. */
  fitsSince: number | undefined;
  /** How long it may go on waiting from then on. */
  patience: number;
}

interface Place {
  node: Node | undefined;
  /** By uid. */
  readonly taken: Map<string, Amounts>;
}

export class NoPodWaitsInVain implements NodeRule {
  readonly #settings: RuleSettings;
  readonly #places = new Map<string, Place>();
  /** By uid. */
  readonly #waiting = new Map<string, Waiting>();
  /** From when on nothing hinders schedulers; undefined while something does, or none is known. */
  #fineSince: number | undefined;
  readonly #passedOver = new PassedOver();
  #hasChanged = false;
  #lastPodAt = -RACE;

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    const { at } = observation;
    if (observation.kind === 'schedulers')
      this.#fineSince = observation.areFine ? at + (observation.isFirst ? 0 : CONVALESCENCE) : undefined;
    else if (observation.kind === 'stored') {
      const { before, after } = observation;
      this.#passedOver.store(at, before, after);
      const kind = (after ?? before)?.kind;
      if (kind === 'Node') this.#nodeStored(at, before, after);
      else if (kind === 'Pod') {
        this.#podStored(before, after);
        this.#hasChanged = true;
        this.#lastPodAt = at;
      }
    }
  }

  look(at: number): void {
    if (this.#waiting.size === 0) return;
    if (this.#hasChanged) this.#compare(at, 'room');
    if (this.#fineSince === undefined) return;
    for (const [uid, { pod, fitsSince, patience }] of this.#waiting) {
      if (fitsSince === undefined) continue;
      const since = Math.max(fitsSince, this.#fineSince);
      if (at - since <= patience + this.#settings.slack) continue;
      this.#waiting.delete(uid);
      const { namespace = '', name = '' } = pod.metadata;
      this.#settings.report(
        at,
        `pod ${namespace}/${name} has no node, and for ${inSeconds(at - fitsSince)} there was one that could take it`,
      );
    }
  }

  /** What a node says now may be what somebody has waited for: he hears of it. */
  #nodeStored(at: number, before: Node | undefined, after: Node | undefined): void {
    const place = this.#placeOf((after ?? before)?.metadata.name ?? '');
    if (this.#waiting.size > 0 && this.#hasChanged) this.#compare(at, 'room');
    place.node = after;
    if (this.#waiting.size > 0) this.#compare(at, at - this.#lastPodAt <= RACE ? 'room' : 'node');
  }

  #compare(at: number, news: 'node' | 'room'): void {
    this.#hasChanged = false;
    const isPromised = [...this.#waiting.values()].some(({ pod }) => pod.status?.nominatedNodeName);
    const places = [...this.#places.values()];
    for (const waiting of this.#waiting.values()) {
      const fits = !isPromised && places.some((place) => couldTake(place, waiting));
      if (fits && waiting.fitsSince === undefined) {
        const isUntold = news === 'room' && isKeptByNodesAlone(waiting.pod);
        const waits = isUntold || this.#passedOver.isPassedOver(waiting.pod);
        waiting.patience = waits ? FLUSHED_WITHIN : TRIED_WITHIN;
      }
      waiting.fitsSince = fits ? (waiting.fitsSince ?? at) : undefined;
    }
  }

  #podStored(before: Pod | undefined, after: Pod | undefined): void {
    const { metadata, spec } = (after ?? before) as Pod;
    const { uid = '' } = metadata;
    if (spec?.nodeName) {
      this.#waiting.delete(uid);
      const { taken } = this.#placeOf(spec.nodeName);
      if (after && !hasEnded(after)) taken.set(uid, wantsOf(after));
      else taken.delete(uid);
    } else if (after && isPlain(after)) {
      const { fitsSince, patience = TRIED_WITHIN } = this.#waiting.get(uid) ?? {};
      this.#waiting.set(uid, { pod: after, wants: wantsOf(after), fitsSince, patience });
    } else this.#waiting.delete(uid);
  }

  #placeOf(node: string): Place {
    const known = this.#places.get(node);
    if (known) return known;
    const place: Place = { node: undefined, taken: new Map() };
    this.#places.set(node, place);
    return place;
  }
}

function couldTake({ node, taken }: Place, { pod, wants }: Waiting): boolean {
  if (!node || node.metadata.deletionTimestamp !== undefined || !bears(pod, node)) return false;
  const { allocatable = {} } = node.status ?? {};
  return (
    taken.size < amountOf(allocatable['pods'] ?? '0') &&
    AMOUNTS.every((resource) => {
      const used = [...taken.values()].reduce((sum, amounts) => sum + amounts[resource], 0);
      // Amounts are compared as numbers: a little more than is wanted.
      return wants[resource] === 0 || used + wants[resource] <= amountOf(allocatable[resource] ?? '0') - 1e-6;
    })
  );
}

const wantsOf = (pod: Pod): Amounts => ({ cpu: requestOf(pod, 'cpu'), memory: requestOf(pod, 'memory') });

/** It asks for nothing that needs more than a look at nodes and amounts. */
function isPlain(pod: Pod): boolean {
  const { metadata, spec } = pod;
  const {
    nodeSelector,
    affinity,
    topologySpreadConstraints,
    schedulingGates = [],
    volumes = [],
  } = spec ?? {};
  return (
    metadata.deletionTimestamp === undefined &&
    !hasEnded(pod) &&
    !nodeSelector &&
    !affinity &&
    !topologySpreadConstraints &&
    schedulingGates.length === 0 &&
    (spec?.resourceClaims ?? []).length === 0 &&
    (spec?.schedulerName ?? 'default-scheduler') === 'default-scheduler' &&
    volumes.every(({ name }) => name.startsWith('kube-api-access')) &&
    [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].every(
      ({ resources, ports = [] }) =>
        ports.every(({ hostPort }) => !hostPort) &&
        Object.keys(resources?.requests ?? {}).every((name) => name === 'cpu' || name === 'memory'),
    )
  );
}
