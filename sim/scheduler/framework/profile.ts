/**
 * A profile: the name by which pods ask for it, and its plugins at each point, in order. A pod goes through filters until
 * one rejects the node; scores of all plugins are brought to 0…100, weighed and added. Kubernetes 1.31.
 */
import type { Pod } from '../../api/types/core-v1.ts';
import { invariant } from '../../engine/invariant.ts';
import type { NodeInfo, PlacedPod } from '../cache/node-info.ts';
import type { Candidate, NodeFilter, NodeScore, Plugin, SchedulingWorld } from './plugin.ts';
import type { Rejection } from './rejection.ts';

export interface WeighedPlugin {
  readonly plugin: Plugin;
  readonly weight: number;
}

export interface ProfileParts {
  readonly schedulerName: string;
  readonly preEnqueue: readonly Plugin[];
  readonly filters: readonly Plugin[];
  readonly scores: readonly WeighedPlugin[];
  readonly preempts: boolean;
  /** Of nodes that are looked at until enough were found; undefined: by the size of the cluster. */
  readonly percentageOfNodesToScore?: number | undefined;
}

export type FilterStart =
  | { readonly kind: 'filters'; readonly filters: Filters }
  | { readonly kind: 'rejected'; readonly rejection: Rejection };

export class Profile {
  readonly schedulerName: string;
  readonly preempts: boolean;
  readonly percentageOfNodesToScore: number | undefined;
  readonly #parts: ProfileParts;

  constructor(parts: ProfileParts) {
    this.schedulerName = parts.schedulerName;
    this.preempts = parts.preempts;
    this.percentageOfNodesToScore = parts.percentageOfNodesToScore;
    this.#parts = parts;
  }

  /** Otherwise the first node that fits is as good as any. */
  get hasScores(): boolean {
    return this.#parts.scores.length > 0;
  }

  /** Name of the plugin that does not let the pod wait for its turn. */
  gateOf(pod: Pod): string | undefined {
    return this.#parts.preEnqueue.find((plugin) => plugin.preEnqueue?.(pod) !== undefined)?.name;
  }

  /** Every plugin that can reject, by its name. */
  pluginCalled(name: string): Plugin | undefined {
    const { preEnqueue, filters } = this.#parts;
    return (
      filters.find((plugin) => plugin.name === name) ?? preEnqueue.find((plugin) => plugin.name === name)
    );
  }

  beginFilters(candidate: Candidate, world: SchedulingWorld): FilterStart {
    const filters: NodeFilter[] = [];
    let only: ReadonlySet<string> | undefined;
    const limiting: string[] = [];
    for (const plugin of this.#parts.filters) {
      const begun = plugin.beginFilter?.(candidate, world);
      if (!begun || begun.kind === 'skip') continue;
      if (begun.kind === 'rejected') return begun;
      filters.push(begun.filter);
      if (!begun.only) continue;
      limiting.push(plugin.name);
      only = only ? new Set([...only].filter((name) => begun.only?.has(name))) : begun.only;
    }
    return { kind: 'filters', filters: new Filters(filters, only, limiting) };
  }

  /** The sum of weighed scores of each node, in their order. */
  scoresOf(candidate: Candidate, nodes: readonly NodeInfo[], world: SchedulingWorld): readonly number[] {
    const sums = nodes.map(() => 0);
    for (const { plugin, weight } of this.#parts.scores) {
      const score = plugin.beginScore?.(candidate, nodes, world);
      if (score) addScores(sums, score, { plugin, weight, nodes });
    }
    return sums;
  }
}

interface Scoring extends WeighedPlugin {
  readonly nodes: readonly NodeInfo[];
}

function addScores(sums: number[], score: NodeScore, { plugin, weight, nodes }: Scoring): void {
  const scores = nodes.map((node) => score.score(node));
  score.normalize?.(scores, nodes);
  for (let index = 0; index < sums.length; index++) {
    const one = scores[index] ?? 0;
    if (!(one >= 0 && one <= 100))
      invariant(false, 'a score is between 0 and 100', { plugin: plugin.name, score: one });
    sums[index] = (sums[index] ?? 0) + weight * one;
  }
}

/** The filters of one pod in one scheduling cycle. */
export class Filters implements NodeFilter {
  /** Undefined: all nodes are to be asked for. */
  readonly only: ReadonlySet<string> | undefined;
  /** Plugins that say so. */
  readonly limiting: readonly string[];
  readonly #filters: readonly NodeFilter[];

  constructor(
    filters: readonly NodeFilter[],
    only: ReadonlySet<string> | undefined,
    limiting: readonly string[],
  ) {
    this.#filters = filters;
    this.only = only;
    this.limiting = limiting;
  }

  check(node: NodeInfo): Rejection | undefined {
    for (const filter of this.#filters) {
      const rejection = filter.check(node);
      if (rejection) return rejection;
    }
    return undefined;
  }

  added(placed: PlacedPod, node: NodeInfo): void {
    for (const filter of this.#filters) filter.added?.(placed, node);
  }

  removed(placed: PlacedPod, node: NodeInfo): void {
    for (const filter of this.#filters) filter.removed?.(placed, node);
  }
}
