/** How evenly the pods of one sort are to lie over zones or nodes: as a rule, and as a wish. Kubernetes 1.31. */
import { labelSelectorOf, selectorOfRequirements } from '../../api/selector/label-selector.ts';
import type { LabelRequirement, LabelSelector } from '../../api/selector/label-selector.ts';
import { wantsNode } from '../../api/selector/node-selector.ts';
import type { Pod, TopologySpreadConstraint } from '../../api/types/core-v1.ts';
import type { LabelPair, PodSort } from '../cache/pod-counts.ts';
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
import { firstUntolerated } from './node-plugins.ts';
import { ownSelector } from './own-selector.ts';

const NAME = 'PodTopologySpread';
const HOSTNAME = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';
const UNEVEN = unschedulable(NAME, "node(s) didn't match pod topology spread constraints");
const UNLABELLED = unresolvable(
  NAME,
  "node(s) didn't match pod topology spread constraints (missing required label)",
);

export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly minDomains: number;
  readonly sort: PodSort;
  /** Also one that selects everything, which counts no pod. */
  readonly selector: LabelSelector;
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
}

export const podTopologySpread: Plugin = {
  name: NAME,
  events: [
    { resource: 'Pod', actions: ['add', 'delete', 'update'] },
    { resource: 'Node', actions: ['add', 'delete', 'update'] },
  ],
  beginFilter: (candidate, world): Filtering => {
    const constraints = constraintsOf(candidate.pod, 'DoNotSchedule');
    if (constraints.length === 0) return SKIP;
    return filtering(new SpreadFilter(candidate, constraints, world));
  },
  beginScore: (candidate, nodes, world): NodeScore | undefined => {
    const own = candidate.pod.spec?.topologySpreadConstraints ?? [];
    const constraints =
      own.length > 0
        ? constraintsOf(candidate.pod, 'ScheduleAnyway')
        : usualConstraints(candidate.pod, world);
    if (constraints.length === 0) return undefined;
    return new SpreadScore(candidate, { constraints, nodes, world, needsEveryLabel: own.length > 0 });
  },
};

function constraintsOf({ metadata, spec }: Pod, when: string): readonly SpreadConstraint[] {
  const all = spec?.topologySpreadConstraints ?? [];
  return all
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === when)
    .map((constraint) => {
      const selector = selectorOf(constraint, metadata.labels ?? {});
      return {
        maxSkew: constraint.maxSkew,
        topologyKey: constraint.topologyKey,
        minDomains: constraint.minDomains ?? 1,
        sort: sortOf(metadata.namespace ?? '', selector),
        selector,
        honorsAffinity: constraint.nodeAffinityPolicy !== 'Ignore',
        honorsTaints: constraint.nodeTaintsPolicy === 'Honor',
      };
    });
}

/** `matchLabelKeys` ask for the pod's own values too. */
function selectorOf(
  { labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint,
  labels: Readonly<Record<string, string>>,
): LabelSelector {
  const selector = labelSelectorOf(labelSelector);
  const own = matchLabelKeys.flatMap((key): readonly LabelRequirement[] =>
    labels[key] === undefined ? [] : [{ key, operator: 'in', values: [labels[key]] }],
  );
  return own.length === 0 ? selector : selectorOfRequirements([...selector.requirements, ...own]);
}

/** Without constraints of their own the pods of a service or a workload are spread a little all the same. */
function usualConstraints(pod: Pod, { listers }: SchedulingWorld): readonly SpreadConstraint[] {
  const selector = ownSelector(pod, listers);
  if (selector.isEverything) return [];
  const sort = sortOf(pod.metadata.namespace ?? '', selector);
  const usual = { minDomains: 1, sort, selector, honorsAffinity: true };
  return [
    { ...usual, topologyKey: HOSTNAME, maxSkew: 3, honorsTaints: false },
    { ...usual, topologyKey: ZONE, maxSkew: 5, honorsTaints: false },
  ];
}

/** Of a selector that wants one value of a label. */
function labelOf({ requirements }: LabelSelector): LabelPair | undefined {
  const exact = requirements.find(
    ({ operator, values }) =>
      (operator === '=' || operator === '==' || operator === 'in') && values.length === 1,
  );
  return exact && `${exact.key}=${exact.values[0]}`;
}

const sortOf = (namespace: string, selector: LabelSelector): PodSort => ({
  label: labelOf(selector),
  key: `spread ${namespace} ${selector.requirements.length === 0 && !selector.isEverything ? '<none>' : selector.text}`,
  matches: ({ metadata }) =>
    !selector.isEverything &&
    metadata.namespace === namespace &&
    metadata.deletionTimestamp === undefined &&
    selector.matches(metadata.labels),
});

/** Whether pods of the node count for the constraint. */
function counts(
  { honorsAffinity, honorsTaints }: SpreadConstraint,
  { pod }: Candidate,
  info: NodeInfo,
): boolean {
  const { node } = info;
  if (!node) return false;
  if (honorsAffinity && pod.spec && !wantsNode(pod.spec, node)) return false;
  return !honorsTaints || !firstUntolerated(info.forbidding, pod.spec?.tolerations ?? []);
}

const hasLabels = (constraints: readonly SpreadConstraint[], { labels }: NodeInfo): boolean =>
  constraints.every(({ topologyKey }) => labels[topologyKey] !== undefined);

/** Pods of the sort in each domain of one constraint. */
interface Domains {
  readonly constraint: SpreadConstraint;
  readonly pods: Map<string, number>;
  readonly isOwnSort: boolean;
  least: number | undefined;
}

class SpreadFilter implements NodeFilter {
  readonly #candidate: Candidate;
  readonly #constraints: readonly SpreadConstraint[];
  readonly #all: readonly Domains[];

  constructor(candidate: Candidate, constraints: readonly SpreadConstraint[], { cache }: SchedulingWorld) {
    this.#candidate = candidate;
    this.#constraints = constraints;
    const nodes = cache.nodes.filter((node) => hasLabels(constraints, node));
    this.#all = constraints.map((constraint) => {
      const byNode = cache.counts.of(constraint.sort, cache.everyNode);
      const pods = new Map<string, number>();
      for (const node of nodes) {
        if (!counts(constraint, candidate, node)) continue;
        const domain = node.labels[constraint.topologyKey] ?? '';
        pods.set(domain, (pods.get(domain) ?? 0) + (byNode.get(node.name) ?? 0));
      }
      return { constraint, pods, isOwnSort: isOwnSort(constraint, candidate), least: undefined };
    });
  }

  check({ labels }: NodeInfo): Rejection | undefined {
    for (const domains of this.#all) {
      const { constraint, pods, isOwnSort: isCounted } = domains;
      const domain = labels[constraint.topologyKey];
      if (domain === undefined) return UNLABELLED;
      const skew = (pods.get(domain) ?? 0) + (isCounted ? 1 : 0) - leastOf(domains);
      if (skew > constraint.maxSkew) return UNEVEN;
    }
    return undefined;
  }

  added(placed: PlacedPod, node: NodeInfo): void {
    this.#changed(placed, node, 1);
  }

  removed(placed: PlacedPod, node: NodeInfo): void {
    this.#changed(placed, node, -1);
  }

  #changed({ pod }: PlacedPod, node: NodeInfo, by: 1 | -1): void {
    if (!hasLabels(this.#constraints, node)) return;
    for (const domains of this.#all) {
      const { constraint, pods } = domains;
      if (!constraint.sort.matches(pod) || !counts(constraint, this.#candidate, node)) continue;
      const domain = node.labels[constraint.topologyKey] ?? '';
      pods.set(domain, (pods.get(domain) ?? 0) + by);
      domains.least = undefined;
    }
  }
}

/** Fewer domains than there should be: one without pods counts too. */
function leastOf(domains: Domains): number {
  if (domains.least !== undefined) return domains.least;
  const { constraint, pods } = domains;
  domains.least = pods.size < constraint.minDomains ? 0 : Math.min(...pods.values());
  if (domains.least === Infinity) domains.least = 0;
  return domains.least;
}

const isOwnSort = ({ selector }: SpreadConstraint, { pod }: Candidate): boolean =>
  selector.matches(pod.metadata.labels);

interface SpreadScoreOptions {
  readonly constraints: readonly SpreadConstraint[];
  readonly nodes: readonly NodeInfo[];
  readonly world: SchedulingWorld;
  /** Nodes without one of the labels are not to be compared at all. */
  readonly needsEveryLabel: boolean;
}

/** One constraint, with what its domains weigh. */
interface Weighed {
  readonly constraint: SpreadConstraint;
  readonly weight: number;
  /** Of domains; a host is a domain of its own, and is looked up in `byNode`. */
  readonly pods: ReadonlyMap<string, number> | undefined;
  readonly byNode: ReadonlyMap<string, number>;
}

class SpreadScore implements NodeScore {
  readonly #weighed: readonly Weighed[];
  readonly #ignored = new Set<NodeInfo>();

  constructor(candidate: Candidate, { constraints, nodes, world, needsEveryLabel }: SpreadScoreOptions) {
    if (needsEveryLabel) for (const node of nodes) if (!hasLabels(constraints, node)) this.#ignored.add(node);
    const compared = this.#ignored.size === 0 ? nodes : nodes.filter((node) => !this.#ignored.has(node));
    this.#weighed = constraints.map((constraint) => {
      const { topologyKey, sort } = constraint;
      const byNode = world.cache.counts.of(sort, world.cache.everyNode);
      if (topologyKey === HOSTNAME)
        return { constraint, byNode, pods: undefined, weight: Math.log(compared.length + 2) };
      const domains = domainsOf(compared, topologyKey);
      const isCompared = (node: NodeInfo): boolean => !needsEveryLabel || hasLabels(constraints, node);
      const pods = inDomains(candidate, constraint, { byNode, domains, world, isCompared });
      return { constraint, byNode, pods, weight: Math.log(domains.size + 2) };
    });
  }

  score(node: NodeInfo): number {
    if (this.#ignored.has(node)) return 0;
    let score = 0;
    for (const { constraint, weight, pods, byNode } of this.#weighed) {
      const domain = node.labels[constraint.topologyKey];
      if (domain === undefined) continue;
      const count = (pods ? pods.get(domain) : byNode.get(node.name)) ?? 0;
      score += count * weight + (constraint.maxSkew - 1);
    }
    return Math.round(score);
  }

  normalize(scores: number[], nodes: readonly NodeInfo[]): void {
    let least = Infinity;
    let most = 0;
    nodes.forEach((node, index) => {
      if (this.#ignored.has(node)) return;
      const score = scores[index] ?? 0;
      least = Math.min(least, score);
      most = Math.max(most, score);
    });
    nodes.forEach((node, index) => {
      if (this.#ignored.has(node)) scores[index] = 0;
      else if (most === 0) scores[index] = 100;
      else scores[index] = Math.trunc((100 * (most + least - (scores[index] ?? 0))) / most);
    });
  }
}

function domainsOf(nodes: readonly NodeInfo[], topologyKey: string): ReadonlySet<string> {
  const domains = new Set<string>();
  // Those without the label are one more.
  for (const { labels } of nodes) domains.add(labels[topologyKey] ?? '');
  return domains;
}

interface DomainsOptions {
  readonly byNode: ReadonlyMap<string, number>;
  readonly domains: ReadonlySet<string>;
  readonly world: SchedulingWorld;
  readonly isCompared: (node: NodeInfo) => boolean;
}

function inDomains(
  candidate: Candidate,
  constraint: SpreadConstraint,
  { byNode, domains, world: { cache }, isCompared }: DomainsOptions,
): ReadonlyMap<string, number> {
  const pods = new Map<string, number>();
  if (domains.size === 0) return pods;
  for (const [name, count] of byNode) {
    const node = cache.node(name);
    const domain = node?.labels[constraint.topologyKey];
    if (!node || domain === undefined || !domains.has(domain) || count === 0 || !isCompared(node)) continue;
    if (counts(constraint, candidate, node)) pods.set(domain, (pods.get(domain) ?? 0) + count);
  }
  return pods;
}
