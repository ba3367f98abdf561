/**
 * Which pods would have to leave a node so that a pod of higher priority fits: as few and as unimportant ones as will do,
 * and if possible none that a disruption budget protects. It tries it out on the node as the scheduler knows it, and puts
 * everything back.
 */
import { labelSelectorOf } from '../../api/selector/label-selector.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import type { PodDisruptionBudget } from '../../api/types/policy-v1.ts';
import { priorityOf } from '../cache/pod-facts.ts';
import type { NodeInfo, PlacedPod } from '../cache/node-info.ts';
import type { Candidate } from '../framework/plugin.ts';
import { type Rejection, unresolvable } from '../framework/rejection.ts';
import { type FilterTerms, rejectionWithPromises } from '../place-pod.ts';

export interface Victims {
  readonly node: NodeInfo;
  /** The most important first. */
  readonly pods: readonly Pod[];
  /** How many of them budgets protect. */
  readonly violations: number;
}

export type Trial =
  | { readonly kind: 'victims'; readonly victims: Victims }
  | { readonly kind: 'in-vain'; readonly rejection: Rejection };

export interface TrialTerms extends FilterTerms {
  readonly budgets: readonly PodDisruptionBudget[];
}

export function victimsOn(candidate: Candidate, node: NodeInfo, terms: TrialTerms): Trial {
  const priority = priorityOf(candidate.pod);
  const lesser = [...node.pods.values()].filter(({ pod }) => priorityOf(pod) < priority);
  if (lesser.length === 0) {
    const rejection = unresolvable('DefaultPreemption', 'No preemption victims found for incoming pod');
    return { kind: 'in-vain', rejection };
  }
  const away = new Set<PlacedPod>();
  const take = (placed: PlacedPod): void => {
    node.remove(placed.pod.metadata.uid ?? '');
    terms.filters.removed(placed, node);
    away.add(placed);
  };
  const putBack = (placed: PlacedPod): void => {
    node.put(placed);
    terms.filters.added(placed, node);
    away.delete(placed);
  };
  for (const placed of lesser) take(placed);
  const rejection = rejectionWithPromises(candidate, node, terms);
  const victims: Pod[] = [];
  let violations = 0;
  if (!rejection) {
    lesser.sort((one, other) => importance(one.pod, other.pod));
    const { protectedOnes, others } = split(lesser, terms.budgets);
    for (const placed of [...protectedOnes, ...others]) {
      putBack(placed);
      if (!rejectionWithPromises(candidate, node, terms)) continue;
      take(placed);
      victims.push(placed.pod);
      if (protectedOnes.includes(placed)) violations++;
    }
  }
  for (const placed of [...away]) putBack(placed);
  if (rejection) return { kind: 'in-vain', rejection };
  if (victims.length === 0) return { kind: 'in-vain', rejection: noVictim(node) };
  victims.sort(importance);
  return { kind: 'victims', victims: { node, pods: victims, violations } };
}

const noVictim = ({ name }: NodeInfo): Rejection =>
  unresolvable('DefaultPreemption', `expected at least one victim pod on node "${name}"`);

const startOf = ({ status }: Pod): string => status?.startTime ?? '\uffff';

/** Higher priority first, then those that have run longer. */
export function importance(one: Pod, other: Pod): number {
  const difference = priorityOf(other) - priorityOf(one);
  if (difference !== 0) return difference;
  const [a, b] = [startOf(one), startOf(other)];
  return a === b ? 0 : a < b ? -1 : 1;
}

interface Split {
  readonly protectedOnes: readonly PlacedPod[];
  readonly others: readonly PlacedPod[];
}

/** Pods that no budget would let go if all of the more important ones went. */
function split(pods: readonly PlacedPod[], budgets: readonly PodDisruptionBudget[]): Split {
  const left = budgets.map(({ status }) => status?.disruptionsAllowed ?? 0);
  const protectedOnes: PlacedPod[] = [];
  const others: PlacedPod[] = [];
  for (const placed of pods) {
    const { metadata } = placed.pod;
    let isProtected = false;
    budgets.forEach((budget, index) => {
      if (Object.keys(metadata.labels ?? {}).length === 0 || !covers(budget, placed.pod)) return;
      if (Object.hasOwn(budget.status?.disruptedPods ?? {}, metadata.name ?? '')) return;
      const now = (left[index] ?? 0) - 1;
      left[index] = now;
      if (now < 0) isProtected = true;
    });
    (isProtected ? protectedOnes : others).push(placed);
  }
  return { protectedOnes, others };
}

function covers({ metadata, spec }: PodDisruptionBudget, { metadata: pod }: Pod): boolean {
  if (metadata.namespace !== pod.namespace) return false;
  const selector = labelSelectorOf(spec?.selector);
  return !selector.isEverything && selector.matches(pod.labels);
}
