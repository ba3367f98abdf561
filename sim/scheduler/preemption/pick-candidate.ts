/** On which of several nodes preemption does the least harm. Pure. Kubernetes 1.31. */
import type { Pod } from '../../api/types/core-v1.ts';
import { priorityOf } from '../cache/pod-facts.ts';
import type { Victims } from './victims.ts';

/** Priorities are made positive, so that more victims always weigh more. */
const SHIFT = 2 ** 31;

type Harm = (victims: Victims) => number | string;

const highest = ({ pods: [first] }: Victims): number => (first ? priorityOf(first) : -SHIFT);

/** When the first of the most important ones began, later being better. */
function earliestStart({ pods }: Victims): string {
  const top = pods[0] ? priorityOf(pods[0]) : 0;
  const starts = pods
    .filter((pod: Pod) => priorityOf(pod) === top)
    .map(({ status }) => status?.startTime ?? '\uffff');
  return starts.reduce((least, start) => (start < least ? start : least), '\uffff');
}

/** In order of weight: the next counts only among those that are equal so far. */
const HARMS: readonly Harm[] = [
  ({ violations }) => violations,
  highest,
  ({ pods }) => pods.reduce((sum, pod) => sum + priorityOf(pod) + SHIFT, 0),
  ({ pods }) => pods.length,
];

export function leastHarm(candidates: readonly Victims[]): Victims | undefined {
  let left = candidates;
  for (const harm of HARMS) {
    const least = left.map(harm).reduce((a, b) => (b < a ? b : a), Infinity);
    left = left.filter((each) => harm(each) === least);
  }
  let best: Victims | undefined;
  for (const each of left) if (!best || earliestStart(each) > earliestStart(best)) best = each;
  return best;
}
