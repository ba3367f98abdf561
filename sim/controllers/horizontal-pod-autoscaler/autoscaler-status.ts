/** The status of an autoscaler while it is thought about: conditions are set one after the other. */
import { selectorText } from '../../api/selector/selector-text.ts';
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscalerStatus,
  MetricStatus,
} from '../../api/types/autoscaling-v2.ts';

export type ConditionType = 'AbleToScale' | 'ScalingActive' | 'ScalingLimited';

interface Counts {
  readonly current: number;
  /** Default: what was desired before. */
  readonly desired?: number;
  readonly metrics?: readonly MetricStatus[];
  readonly isRescaled?: boolean;
}

export class StatusDraft {
  readonly #old: HorizontalPodAutoscalerStatus;
  readonly #now: string;
  readonly #conditions: HorizontalPodAutoscalerCondition[];
  #counts: Counts | undefined;

  constructor({ status = { desiredReplicas: 0 } }: HorizontalPodAutoscaler, now: string) {
    this.#old = status;
    this.#now = now;
    this.#conditions = [...(status.conditions ?? [])];
  }

  /** The time changes with the status alone. */
  set(type: ConditionType, isTrue: boolean, reason: string, message: string): void {
    const at = this.#conditions.findIndex((one) => one.type === type);
    const old = this.#conditions[at];
    const status = isTrue ? 'True' : 'False';
    const lastTransitionTime = (old?.status === status && old.lastTransitionTime) || this.#now;
    const condition = { type, status, lastTransitionTime, reason, message };
    if (old) this.#conditions[at] = condition;
    else this.#conditions.push(condition);
  }

  count(counts: Counts): void {
    this.#counts = counts;
  }

  get status(): HorizontalPodAutoscalerStatus {
    const conditions = this.#conditions;
    if (!this.#counts) return { ...this.#old, conditions };
    const { current, desired = this.#old.desiredReplicas, metrics, isRescaled = false } = this.#counts;
    const { observedGeneration: _, currentMetrics: __, ...kept } = this.#old;
    return {
      ...kept,
      ...(isRescaled && { lastScaleTime: this.#now }),
      currentReplicas: current,
      desiredReplicas: desired,
      ...(metrics && { currentMetrics: metrics }),
      conditions,
    };
  }
}

export function isSameStatus(
  one: HorizontalPodAutoscalerStatus | undefined,
  other: HorizontalPodAutoscalerStatus,
): boolean {
  return one !== undefined && textOf(one) === textOf(other);
}

const textOf = (status: HorizontalPodAutoscalerStatus): string =>
  JSON.stringify([
    status.currentReplicas ?? 0,
    status.desiredReplicas,
    status.lastScaleTime,
    (status.currentMetrics ?? []).map(metricText),
    (status.conditions ?? []).map(({ type, status: is, reason, message }) => [type, is, reason, message]),
  ]);

const metricText = (metric: MetricStatus): readonly unknown[] => {
  const { type, resource, containerResource, external, object, pods } = metric;
  const { name, current } = containerResource ?? resource ?? {};
  const { metric: other, current: value } = external ?? object ?? pods ?? {};
  return [
    [type, name, containerResource?.container, current?.averageValue, current?.averageUtilization],
    [other?.name, selectorText(other?.selector ?? {}), value?.value, value?.averageValue],
    [object?.describedObject.kind, object?.describedObject.name, object?.describedObject.apiVersion],
  ];
};
