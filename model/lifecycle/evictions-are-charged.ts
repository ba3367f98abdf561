/**
 * Who evicts a pod that is ready spends a disruption that its budget allows; no budget allows more than it has healthy
 * pods to spare. Kubernetes: "Disruptions".
 */
import type { Pod } from '../../sim/api/types/core-v1.ts';
import type { PodDisruptionBudget } from '../../sim/api/types/policy-v1.ts';
import type { NodeRule, Observation, RuleSettings } from '../nodes/observation.ts';
import { isReady } from '../pod-facts.ts';
import { selects } from '../scheduling/wishes.ts';

export class EvictionsAreCharged implements NodeRule {
  readonly #settings: RuleSettings;
  /** By uid. */
  readonly #budgets = new Map<string, PodDisruptionBudget>();

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    if (observation.kind !== 'stored') return;
    const { at, before, after } = observation;
    const { kind } = after ?? before ?? {};
    if (kind === 'PodDisruptionBudget') this.#budgetStored(at, before, after);
    else if (kind === 'Pod' && before && after) this.#podStored(at, before, after);
  }

  look(): void {
    // What is stored says all.
  }

  #budgetStored(
    at: number,
    before: PodDisruptionBudget | undefined,
    after: PodDisruptionBudget | undefined,
  ): void {
    this.#budgets.delete(before?.metadata.uid ?? '');
    if (!after) return;
    this.#budgets.set(after.metadata.uid ?? '', after);
    if (after.status === before?.status) return;
    const { disruptionsAllowed = 0, currentHealthy = 0, desiredHealthy = 0 } = after.status ?? {};
    if (disruptionsAllowed > Math.max(0, currentHealthy - desiredHealthy))
      this.#report(
        at,
        `${textOf(after)} allows ${disruptionsAllowed} disruptions, of ${currentHealthy} healthy pods it needs ${desiredHealthy}`,
      );
    const known = before?.status?.disruptedPods ?? {};
    const charged = Object.keys(after.status?.disruptedPods ?? {}).filter((name) => !(name in known)).length;
    const spent = (before?.status?.disruptionsAllowed ?? 0) - disruptionsAllowed;
    if (charged > Math.max(0, spent))
      this.#report(at, `${textOf(after)} was charged ${charged} evictions and allows ${spent} fewer`);
  }

  #podStored(at: number, before: Pod, after: Pod): void {
    if (!isEvicted(after) || isEvicted(before) || !isReady(before)) return;
    const { namespace, name = '', labels, deletionTimestamp } = before.metadata;
    if (deletionTimestamp !== undefined) return;
    const own = [...this.#budgets.values()].filter(
      ({ metadata, spec }) =>
        metadata.namespace === namespace && spec?.selector !== undefined && selects(spec.selector, labels),
    );
    for (const budget of own)
      if (budget.status?.disruptedPods?.[name] === undefined)
        this.#report(at, `pod ${namespace ?? ''}/${name} is evicted, and ${textOf(budget)} was not asked`);
  }

  #report(at: number, message: string): void {
    this.#settings.report(at, message);
  }
}

const isEvicted = ({ status }: Pod): boolean =>
  status?.conditions?.some(
    ({ type, reason }) => type === 'DisruptionTarget' && reason === 'EvictionByEvictionAPI',
  ) === true;

const textOf = ({ metadata: { namespace = '', name = '' } }: PodDisruptionBudget): string =>
  `budget ${namespace}/${name}`;
