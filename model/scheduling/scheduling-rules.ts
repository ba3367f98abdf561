/** The rules about schedulers that watch whole runs, by name, over one stream of observations. */
import { KeepsRequiredRules } from './keeps-required-rules.ts';
import { NeverOvercommits } from './never-overcommits.ts';
import type { SchedulingObservation, SchedulingRule } from './observation.ts';
import { PreemptsLesserPods } from './preempts-lesser-pods.ts';
import { SchedulerView } from './scheduler-view.ts';

const RULES = {
  'scheduler-never-overcommits': NeverOvercommits,
  'scheduler-keeps-required-rules': KeepsRequiredRules,
  'scheduler-preempts-lesser-pods': PreemptsLesserPods,
} as const satisfies Readonly<Record<string, new () => SchedulingRule>>;

export type SchedulingRuleName = keyof typeof RULES;
export const SCHEDULING_RULES = Object.keys(RULES) as readonly SchedulingRuleName[];

export interface SchedulingViolation {
  readonly rule: SchedulingRuleName;
  /** Virtual microseconds. */
  readonly at: number;
  readonly message: string;
}

export class SchedulingRules {
  readonly #rules: readonly (readonly [SchedulingRuleName, SchedulingRule])[];
  readonly #violations: SchedulingViolation[] = [];
  readonly #views = new Map<string, SchedulerView>();

  constructor(names: readonly SchedulingRuleName[]) {
    this.#rules = names.map((name) => [name, new RULES[name]()] as const);
  }

  /** So far, in the order in which they were found. */
  get violations(): readonly SchedulingViolation[] {
    return this.#violations;
  }

  observe(observation: SchedulingObservation): void {
    const { at, by } = observation;
    if (observation.kind === 'ended') {
      this.#views.delete(by);
      return;
    }
    const view = this.#views.get(by) ?? new SchedulerView();
    this.#views.set(by, view);
    if (observation.kind === 'binds') {
      const { pod, node, isInformed, mayBeLost } = observation;
      const binding = isInformed ? view.binding(observation, at) : undefined;
      if (binding) this.#judge(at, `${by} sends ${pod} to ${node}`, (rule) => rule.bindingProblem?.(binding));
      view.bound(observation, mayBeLost);
    } else if (observation.kind === 'deletes') {
      const deletion = observation.isInformed ? view.deletion(observation.pod, at) : undefined;
      if (deletion)
        this.#judge(at, `${by} deletes ${observation.pod}`, (rule) => rule.deletionProblem?.(deletion));
    } else view.take(observation);
  }

  #judge(at: number, deed: string, judge: (rule: SchedulingRule) => string | undefined): void {
    for (const [rule, check] of this.#rules) {
      const problem = judge(check);
      if (problem !== undefined) this.#violations.push({ rule, at, message: `${deed}: ${problem}` });
    }
  }
}
