/** Pods that must, must not, would like or would not like to be near others. Kubernetes 1.31. */
import type { Pod } from '../../api/types/core-v1.ts';
import type { AffinityTerm } from '../cache/pod-facts.ts';
import type { NodeInfo, PlacedPod } from '../cache/node-info.ts';
import {
  type Candidate,
  type Filtering,
  filtering,
  type NodeFilter,
  type NodeScore,
  type Plugin,
  type SchedulingWorld,
  SKIP,
} from '../framework/plugin.ts';
import { type Rejection, unresolvable, unschedulable } from '../framework/rejection.ts';

const NAME = 'InterPodAffinity';
const NOT_NEAR = unresolvable(NAME, "node(s) didn't match pod affinity rules");
const TOO_NEAR = unschedulable(NAME, "node(s) didn't match pod anti-affinity rules");
const UNWANTED = unschedulable(NAME, "node(s) didn't satisfy existing pods anti-affinity rules");
/** What a required affinity of somebody who is there counts for whoever it is about. */
const REQUIRED_WEIGHT = 1;

export const interPodAffinity: Plugin = {
  name: NAME,
  events: [
    { resource: 'Pod', actions: ['add', 'delete', 'update'] },
    { resource: 'Node', actions: ['add', 'update'] },
  ],
  beginFilter: (candidate, world): Filtering => {
    const filter = new AffinityFilter(candidate, world);
    return filter.isNeeded ? filtering(filter) : SKIP;
  },
  beginScore: (candidate, _, world) => AffinityScore.of(candidate, world),
};

/** Whether a term is about a pod. */
function isAbout(term: AffinityTerm, { metadata }: Pod, { listers }: SchedulingWorld): boolean {
  const { namespace = '', labels } = metadata;
  if (!term.namespaces.has(namespace)) {
    const labelsOfNamespace = listers.namespaces.get(namespace)?.metadata.labels;
    if (!term.namespaceSelector?.matches(labelsOfNamespace)) return false;
  }
  return term.selector.matches(labels);
}

/** How many pods count in a domain: by label of nodes and its value. */
class DomainCounts {
  readonly #counts = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  has(key: string, value: string): boolean {
    return (this.#counts.get(`${key}\u0000${value}`) ?? 0) > 0;
  }

  add(key: string, value: string | undefined, by: number): void {
    if (value === undefined) return;
    const domain = `${key}\u0000${value}`;
    const count = (this.#counts.get(domain) ?? 0) + by;
    if (count === 0) this.#counts.delete(domain);
    else this.#counts.set(domain, count);
  }
}

class AffinityFilter implements NodeFilter {
  readonly #candidate: Candidate;
  readonly #world: SchedulingWorld;
  readonly #near = new DomainCounts();
  readonly #far = new DomainCounts();
  /** Where pods are that do not want this one near them. */
  readonly #unwanted = new DomainCounts();

  constructor(candidate: Candidate, world: SchedulingWorld) {
    this.#candidate = candidate;
    this.#world = world;
    const { affinity, antiAffinity } = candidate.facts;
    const looksAtAll = affinity.length + antiAffinity.length > 0;
    for (const node of world.cache.nodesWithAntiAffinity)
      for (const placed of node.withAntiAffinity.values()) this.#countUnwanted(placed, node, 1);
    if (looksAtAll)
      for (const node of world.cache.nodes)
        for (const { pod } of node.pods.values()) this.#countOwn(pod, node, 1);
  }

  get isNeeded(): boolean {
    const { affinity, antiAffinity } = this.#candidate.facts;
    return affinity.length + antiAffinity.length > 0 || !this.#unwanted.isEmpty;
  }

  check({ labels }: NodeInfo): Rejection | undefined {
    const { affinity, antiAffinity } = this.#candidate.facts;
    if (affinity.length > 0 && !this.#isNear(labels)) return NOT_NEAR;
    for (const { topologyKey } of antiAffinity) {
      const domain = labels[topologyKey];
      if (domain !== undefined && this.#far.has(topologyKey, domain)) return TOO_NEAR;
    }
    if (this.#unwanted.isEmpty) return undefined;
    for (const key of Object.keys(labels)) if (this.#unwanted.has(key, labels[key] ?? '')) return UNWANTED;
    return undefined;
  }

  added(placed: PlacedPod, node: NodeInfo): void {
    this.#countUnwanted(placed, node, 1);
    this.#countOwn(placed.pod, node, 1);
  }

  removed(placed: PlacedPod, node: NodeInfo): void {
    this.#countUnwanted(placed, node, -1);
    this.#countOwn(placed.pod, node, -1);
  }

  /** The first of a group has nobody to be near to: it may go anywhere where there are such domains. */
  #isNear(labels: Readonly<Record<string, string>>): boolean {
    const { pod, facts } = this.#candidate;
    let isNear = true;
    for (const { topologyKey } of facts.affinity) {
      const domain = labels[topologyKey];
      if (domain === undefined) return false;
      if (!this.#near.has(topologyKey, domain)) isNear = false;
    }
    if (isNear) return true;
    return this.#near.isEmpty && facts.affinity.every((term) => isAbout(term, pod, this.#world));
  }

  #countUnwanted({ facts }: PlacedPod, { labels }: NodeInfo, by: 1 | -1): void {
    for (const term of facts.antiAffinity)
      if (isAbout(term, this.#candidate.pod, this.#world))
        this.#unwanted.add(term.topologyKey, labels[term.topologyKey], by);
  }

  #countOwn(pod: Pod, { labels }: NodeInfo, by: 1 | -1): void {
    const { affinity, antiAffinity } = this.#candidate.facts;
    if (affinity.length > 0 && affinity.every((term) => isAbout(term, pod, this.#world)))
      for (const { topologyKey } of affinity) this.#near.add(topologyKey, labels[topologyKey], by);
    for (const term of antiAffinity)
      if (isAbout(term, pod, this.#world)) this.#far.add(term.topologyKey, labels[term.topologyKey], by);
  }
}

class AffinityScore implements NodeScore {
  /** By label of nodes, then by its value. */
  readonly #sums: ReadonlyMap<string, ReadonlyMap<string, number>>;

  private constructor(sums: ReadonlyMap<string, ReadonlyMap<string, number>>) {
    this.#sums = sums;
  }

  static of({ pod, facts }: Candidate, world: SchedulingWorld): AffinityScore | undefined {
    const sums = new Map<string, Map<string, number>>();
    const add = ({ topologyKey }: AffinityTerm, { labels }: NodeInfo, weight: number): void => {
      const domain = labels[topologyKey];
      if (domain === undefined) return;
      let ofKey = sums.get(topologyKey);
      if (!ofKey) sums.set(topologyKey, (ofKey = new Map()));
      ofKey.set(domain, (ofKey.get(domain) ?? 0) + weight);
    };
    if (facts.preferences.length > 0)
      for (const node of world.cache.nodes)
        for (const other of node.pods.values())
          for (const { term, weight } of facts.preferences)
            if (isAbout(term, other.pod, world)) add(term, node, weight);
    for (const node of world.cache.nodesWithAffinity) {
      for (const other of node.withAffinity.values()) {
        for (const term of other.facts.affinity)
          if (isAbout(term, pod, world)) add(term, node, REQUIRED_WEIGHT);
        for (const { term, weight } of other.facts.preferences)
          if (isAbout(term, pod, world)) add(term, node, weight);
      }
    }
    return sums.size === 0 ? undefined : new AffinityScore(sums);
  }

  score({ labels }: NodeInfo): number {
    let score = 0;
    for (const [key, domains] of this.#sums) {
      const domain = labels[key];
      if (domain !== undefined) score += domains.get(domain) ?? 0;
    }
    return score;
  }

  normalize(scores: number[]): void {
    let least = Infinity;
    let most = -Infinity;
    for (const score of scores) {
      least = Math.min(least, score);
      most = Math.max(most, score);
    }
    const range = most - least;
    for (let index = 0; index < scores.length; index++)
      // In this order: it does not always come to the same.
      scores[index] = range > 0 ? Math.trunc(100 * (((scores[index] ?? 0) - least) / range)) : 0;
  }
}
