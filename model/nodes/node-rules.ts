/**
 * The rules about nodes that watch whole runs, by name, and all of them together over one stream of observations.
 * They know of the cluster only what can be observed from outside.
 */
import { AllLostNoneGivenUp } from './all-lost-none-given-up.ts';
import { LeaseRenewalsMonotone } from './lease-renewals-monotone.ts';
import { ContainersBackOff } from './containers-back-off.ts';
import { ContainersWait } from './containers-wait.ts';
import { LeasesRunOut } from './leases-run-out.ts';
import { LostPodsAreMarked } from './lost-pods-are-marked.ts';
import { NodesAreHeard } from './nodes-are-heard.ts';
import { NoPodOverstays } from './no-pod-overstays.ts';
import { SECOND, type NodeRule, type Observation, type RuleSettings } from './observation.ts';
import { OneLiveContainerPerIdentity } from './one-live-container-per-identity.ts';
import { PodsEndInTime } from './pods-end-in-time.ts';
import { TaintsMatchConditions } from './taints-match-conditions.ts';
import { UnknownOnlyAfterGrace } from './unknown-only-after-grace.ts';
import { NoPodWaitsInVain } from '../scheduling/no-pod-waits-in-vain.ts';
import { WORKLOAD_RULE_CLASSES, type WorkloadRuleName } from '../workloads/workload-rules.ts';

const RULES = {
  'one-live-container-per-identity': OneLiveContainerPerIdentity,
  'unknown-only-after-grace': UnknownOnlyAfterGrace,
  'lease-renewals-monotone': LeaseRenewalsMonotone,
  'leases-run-out': LeasesRunOut,
  'taints-match-conditions': TaintsMatchConditions,
  'no-pod-overstays': NoPodOverstays,
  'nodes-are-heard': NodesAreHeard,
  'containers-back-off': ContainersBackOff,
  'containers-wait': ContainersWait,
  'pods-end-in-time': PodsEndInTime,
  'lost-pods-are-marked': LostPodsAreMarked,
  'all-lost-none-given-up': AllLostNoneGivenUp,
  'no-pod-waits-in-vain': NoPodWaitsInVain,
} as const satisfies Readonly<Record<string, new (settings: RuleSettings) => NodeRule>>;

export type NodeRuleName = keyof typeof RULES;
export const NODE_RULES = Object.keys(RULES) as readonly NodeRuleName[];

/** Rules over this stream of observations: those about workloads are told the same. */
export type ObservedRuleName = NodeRuleName | WorkloadRuleName;
const ALL_RULES = { ...RULES, ...WORKLOAD_RULE_CLASSES } as const;

export interface RuleViolation {
  readonly rule: ObservedRuleName;
  /** Virtual microseconds. */
  readonly at: number;
  readonly message: string;
}

export class NodeRules {
  readonly #rules: readonly NodeRule[];
  readonly #violations: RuleViolation[] = [];
  #nextLookAt = 0;

  /** `slack`: microseconds that a healthy control plane may need to react, besides the times of the specification. */
  constructor(names: readonly ObservedRuleName[], { slack }: Pick<RuleSettings, 'slack'> = { slack: 0 }) {
    this.#rules = names.map((rule) => {
      const report = (at: number, message: string): void => void this.#violations.push({ rule, at, message });
      return new ALL_RULES[rule]({ report, slack });
    });
  }

  /** So far, in the order in which they were found. */
  get violations(): readonly RuleViolation[] {
    return this.#violations;
  }

  observe(observation: Observation): void {
    if (observation.at >= this.#nextLookAt) this.look(observation.at);
    for (const rule of this.#rules) rule.observe(observation);
  }

  /** Time has gone by. */
  look(at: number): void {
    this.#nextLookAt = at + SECOND;
    for (const rule of this.#rules) rule.look(at);
  }
}
