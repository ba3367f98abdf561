/**
 * One scheduling cycle without its consequences: which node a pod fits best, or why it fits none. Nodes are looked at in
 * turn, beginning where the last cycle stopped, until enough were found. Kubernetes 1.31.
 */
import type { ChoiceSite } from '../engine/choices.ts';
import { factsOf, priorityOf } from './cache/pod-facts.ts';
import type { NodeInfo, PlacedPod } from './cache/node-info.ts';
import type { Diagnosis } from './framework/fit-error.ts';
import type { Candidate, SchedulingWorld } from './framework/plugin.ts';
import type { Filters, Profile } from './framework/profile.ts';
import type { Rejection } from './framework/rejection.ts';
import type { Nominations } from './queue/nominations.ts';

export type Placement =
  | { readonly kind: 'node'; readonly node: NodeInfo }
  | { readonly kind: 'no-nodes' }
  | {
      readonly kind: 'unfit';
      readonly diagnosis: Diagnosis;
      /** Absent: the pod was rejected before any node was looked at. */
      readonly filters?: Filters;
    };

const FEWEST_NODES = 100;
const LOWEST_PERCENTAGE = 5;

export class PodPlacer {
  readonly #world: SchedulingWorld;
  readonly #nominations: Nominations;
  readonly #ties: ChoiceSite;
  #nextStart = 0;

  /** `ties`: which of several nodes that are equally good. */
  constructor(world: SchedulingWorld, nominations: Nominations, ties: ChoiceSite) {
    this.#world = world;
    this.#nominations = nominations;
    this.#ties = ties;
  }

  place(candidate: Candidate, profile: Profile): Placement {
    const { nodes } = this.#world.cache;
    if (nodes.length === 0) return { kind: 'no-nodes' };
    const start = profile.beginFilters(candidate, this.#world);
    if (start.kind === 'rejected') return rejectedAtOnce(start.rejection, nodes.length);
    const { filters } = start;
    const found = this.#promised(candidate, filters) ?? this.#search(candidate, filters, profile);
    if (found.feasible.length > 0)
      return { kind: 'node', node: this.#best(candidate, found.feasible, profile) };
    const plugins = new Set(filters.limiting);
    for (const { plugin } of found.rejections.values()) plugins.add(plugin);
    const diagnosis: Diagnosis = {
      nodeCount: nodes.length,
      rejections: found.rejections,
      otherwise: 'UnschedulableAndUnresolvable',
      plugins,
    };
    return { kind: 'unfit', diagnosis, filters };
  }

  /** A node that was cleared for the pod is asked first, and alone if it will do. */
  #promised(candidate: Candidate, filters: Filters): Search | undefined {
    const node = this.#world.cache.node(candidate.pod.status?.nominatedNodeName ?? '');
    if (!node || filters.only?.has(node.name) === false) return undefined;
    if (rejectionWithPromises(candidate, node, { filters, nominations: this.#nominations })) return undefined;
    return { feasible: [node], rejections: new Map() };
  }

  #search(candidate: Candidate, filters: Filters, profile: Profile): Search {
    const { cache } = this.#world;
    const { only } = filters;
    const nodes = only ? [...only].flatMap((name) => cache.node(name) ?? []) : cache.nodes;
    const wanted = profile.hasScores ? enough(nodes.length, profile.percentageOfNodesToScore) : 1;
    const feasible: NodeInfo[] = [];
    const rejections = new Map<string, Rejection>();
    for (let step = 0; step < nodes.length && feasible.length < wanted; step++) {
      const node = nodes[(this.#nextStart + step) % nodes.length];
      if (!node) continue;
      const rejection = rejectionWithPromises(candidate, node, { filters, nominations: this.#nominations });
      if (rejection) rejections.set(node.name, rejection);
      else feasible.push(node);
    }
    this.#nextStart = (this.#nextStart + feasible.length + rejections.size) % cache.nodes.length;
    return { feasible, rejections };
  }

  #best(candidate: Candidate, feasible: readonly NodeInfo[], profile: Profile): NodeInfo {
    const [only] = feasible;
    if (feasible.length === 1 && only) return only;
    const scores = profile.scoresOf(candidate, feasible, this.#world);
    let highest = -1;
    for (const score of scores) if (score > highest) highest = score;
    const best: NodeInfo[] = [];
    feasible.forEach((node, index) => {
      if (scores[index] === highest) best.push(node);
    });
    return this.#ties.pick(best);
  }
}

interface Search {
  readonly feasible: readonly NodeInfo[];
  readonly rejections: ReadonlyMap<string, Rejection>;
}

const rejectedAtOnce = (rejection: Rejection, nodeCount: number): Placement => ({
  kind: 'unfit',
  diagnosis: {
    nodeCount,
    rejections: new Map(),
    otherwise: rejection.code,
    ofPod: rejection.reasons.join(', '),
    plugins: new Set([rejection.plugin]),
  },
});

/** How many nodes that fit are enough to choose from. */
export function enough(nodeCount: number, percentage: number | undefined): number {
  if (nodeCount < FEWEST_NODES) return nodeCount;
  const share = percentage ?? Math.max(LOWEST_PERCENTAGE, 50 - Math.trunc(nodeCount / 125));
  return Math.max(FEWEST_NODES, Math.trunc((nodeCount * share) / 100));
}

export interface FilterTerms {
  readonly filters: Filters;
  readonly nominations: Nominations;
}

/**
 * Why a pod cannot go to a node, counting pods that were promised the node and matter as much as being there. As they may
 * never come, the pod has to fit without them too.
 */
export function rejectionWithPromises(
  candidate: Candidate,
  node: NodeInfo,
  { filters, nominations }: FilterTerms,
): Rejection | undefined {
  if (nominations.isEmpty) return filters.check(node);
  const promised = promisedTo(candidate, node, nominations);
  if (promised.length === 0) return filters.check(node);
  for (const placed of promised) {
    node.put(placed);
    filters.added(placed, node);
  }
  const rejection = filters.check(node);
  for (const placed of promised) {
    node.remove(placed.pod.metadata.uid ?? '');
    filters.removed(placed, node);
  }
  return rejection ?? filters.check(node);
}

function promisedTo({ pod }: Candidate, node: NodeInfo, nominations: Nominations): readonly PlacedPod[] {
  const priority = priorityOf(pod);
  const promised: PlacedPod[] = [];
  for (const other of nominations.of(node.name)) {
    const { uid = '' } = other.metadata;
    if (uid !== pod.metadata.uid && priorityOf(other) >= priority && !node.pods.has(uid))
      promised.push({ pod: other, facts: factsOf(other) });
  }
  return promised;
}
