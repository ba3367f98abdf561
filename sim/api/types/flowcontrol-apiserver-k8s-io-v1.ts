/** Generated from the catalog by sim/cli/generate-types.ts: types of flowcontrol-apiserver-k8s-io-v1. */
import type { ObjectMeta } from '../object.ts';

export interface ExemptPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: number;
  readonly lendablePercent?: number;
}

export interface FlowDistinguisherMethod {
  /** Required. */
  readonly type: string;
}

/** Says which requests go to which priority level. */
export type FlowSchema = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: FlowSchemaSpec;
  readonly status?: FlowSchemaStatus;
};

export interface FlowSchemaCondition {
  readonly type?: string;
  readonly status?: string;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface FlowSchemaSpec {
  /** Required. */
  readonly priorityLevelConfiguration: PriorityLevelConfigurationReference;
  readonly matchingPrecedence?: number;
  readonly distinguisherMethod?: FlowDistinguisherMethod;
  readonly rules?: readonly PolicyRulesWithSubjects[];
}

export interface FlowSchemaStatus {
  /** Items are told apart by type. */
  readonly conditions?: readonly FlowSchemaCondition[];
}

export interface GroupSubject {
  /** Required. */
  readonly name: string;
}

export interface LimitResponse {
  /** Required. */
  readonly type: string;
  readonly queuing?: QueuingConfiguration;
}

export interface LimitedPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: number;
  readonly limitResponse?: LimitResponse;
  readonly lendablePercent?: number;
  readonly borrowingLimitPercent?: number;
}

export interface NonResourcePolicyRule {
  /** Required. */
  readonly verbs: readonly string[];
  /** Required. */
  readonly nonResourceURLs: readonly string[];
}

export interface PolicyRulesWithSubjects {
  /** Required. */
  readonly subjects: readonly Subject[];
  readonly resourceRules?: readonly ResourcePolicyRule[];
  readonly nonResourceRules?: readonly NonResourcePolicyRule[];
}

/** Share of the server that requests of a priority level get. */
export type PriorityLevelConfiguration = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: PriorityLevelConfigurationSpec;
  readonly status?: PriorityLevelConfigurationStatus;
};

export interface PriorityLevelConfigurationCondition {
  readonly type?: string;
  readonly status?: string;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface PriorityLevelConfigurationReference {
  /** Required. */
  readonly name: string;
}

export interface PriorityLevelConfigurationSpec {
  /** Required. */
  readonly type: string;
  readonly limited?: LimitedPriorityLevelConfiguration;
  readonly exempt?: ExemptPriorityLevelConfiguration;
}

export interface PriorityLevelConfigurationStatus {
  /** Items are told apart by type. */
  readonly conditions?: readonly PriorityLevelConfigurationCondition[];
}

export interface QueuingConfiguration {
  readonly queues?: number;
  readonly handSize?: number;
  readonly queueLengthLimit?: number;
}

export interface ResourcePolicyRule {
  /** Required. */
  readonly verbs: readonly string[];
  /** Required. */
  readonly apiGroups: readonly string[];
  /** Required. */
  readonly resources: readonly string[];
  readonly clusterScope?: boolean;
  readonly namespaces?: readonly string[];
}

export interface ServiceAccountSubject {
  /** Required. */
  readonly namespace: string;
  /** Required. */
  readonly name: string;
}

export interface Subject {
  /** Required. */
  readonly kind: string;
  readonly user?: UserSubject;
  readonly group?: GroupSubject;
  readonly serviceAccount?: ServiceAccountSubject;
}

export interface UserSubject {
  /** Required. */
  readonly name: string;
}
