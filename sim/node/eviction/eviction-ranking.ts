/**
 * Which pod goes first: those that use more than they request, then the lower priority, then who uses
 * most above its request. Of processes nobody requests any. Pure.
 */
import { podRequestOf, podUsageOf, type PodUsage } from './pod-usage.ts';
import type { Pressure } from '../machine/pressure.ts';

/** First to go first; equal ones stay in order. */
export function ranked<T extends PodUsage>(pods: readonly T[], pressure: Pressure): readonly T[] {
  const facts = pods.map((usage) => {
    const excess = podUsageOf(usage, pressure) - (pressure === 'pid' ? 0 : podRequestOf(usage.pod, pressure));
    return { usage, excess, priority: usage.pod.spec?.priority ?? 0 };
  });
  const exceeds = ({ excess }: { readonly excess: number }): number =>
    pressure !== 'pid' && excess > 0 ? 1 : 0;
  return facts
    .sort((a, b) => exceeds(b) - exceeds(a) || a.priority - b.priority || b.excess - a.excess)
    .map(({ usage }) => usage);
}
