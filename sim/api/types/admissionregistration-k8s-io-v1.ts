/** Generated from the catalog by sim/cli/generate-types.ts: types of admissionregistration-k8s-io-v1. */
import type { ObjectMeta } from '../object.ts';
import type { Condition, LabelSelector } from './meta-k8s-io-v1.ts';

export interface AuditAnnotation {
  /** Required. */
  readonly key: string;
  /** Required. */
  readonly valueExpression: string;
}

export interface ExpressionWarning {
  /** Required. */
  readonly fieldRef: string;
  /** Required. */
  readonly warning: string;
}

export interface MatchCondition {
  /** Required. */
  readonly name: string;
  /** Required. */
  readonly expression: string;
}

export interface MatchResources {
  /** Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly namespaceSelector?: LabelSelector;
  /** Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly objectSelector?: LabelSelector;
  readonly resourceRules?: readonly NamedRuleWithOperations[];
  readonly excludeResourceRules?: readonly NamedRuleWithOperations[];
  /** One of "Equivalent", "Exact". */
  readonly matchPolicy?: 'Equivalent' | 'Exact' | '';
}

export interface MutatingWebhook {
  /** Required. */
  readonly name: string;
  /** Required. */
  readonly clientConfig: WebhookClientConfig;
  readonly rules?: readonly RuleWithOperations[];
  /** One of "Fail", "Ignore". */
  readonly failurePolicy?: 'Fail' | 'Ignore' | '';
  /** One of "Equivalent", "Exact". */
  readonly matchPolicy?: 'Equivalent' | 'Exact' | '';
  /** Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly namespaceSelector?: LabelSelector;
  /** Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly objectSelector?: LabelSelector;
  /** One of "None", "NoneOnDryRun", "Some", "Unknown". Required. */
  readonly sideEffects: 'None' | 'NoneOnDryRun' | 'Some' | 'Unknown';
  readonly timeoutSeconds?: number;
  /** Required. */
  readonly admissionReviewVersions: readonly string[];
  /** One of "IfNeeded", "Never". */
  readonly reinvocationPolicy?: 'IfNeeded' | 'Never' | '';
  /** Items are told apart by name. */
  readonly matchConditions?: readonly MatchCondition[];
}

/** Webhooks that may accept, reject and change objects. */
export type MutatingWebhookConfiguration = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Items are told apart by name. */
  readonly webhooks?: readonly MutatingWebhook[];
};

export interface NamedRuleWithOperations {
  readonly resourceNames?: readonly string[];
  readonly operations?: readonly ('*' | 'CONNECT' | 'CREATE' | 'DELETE' | 'UPDATE')[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
}

export interface ParamKind {
  readonly apiVersion?: string;
  readonly kind?: string;
}

export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  /** Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly selector?: LabelSelector;
  readonly parameterNotFoundAction?: string;
}

export interface RuleWithOperations {
  readonly operations?: readonly ('*' | 'CONNECT' | 'CREATE' | 'DELETE' | 'UPDATE')[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
}

export interface ServiceReference {
  /** Required. */
  readonly namespace: string;
  /** Required. */
  readonly name: string;
  readonly path?: string;
  readonly port?: number;
}

export interface TypeChecking {
  readonly expressionWarnings?: readonly ExpressionWarning[];
}

/** Rules, written as expressions, that objects have to satisfy. */
export type ValidatingAdmissionPolicy = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: ValidatingAdmissionPolicySpec;
  readonly status?: ValidatingAdmissionPolicyStatus;
};

/** Puts an admission policy to use, with its parameters. */
export type ValidatingAdmissionPolicyBinding = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: ValidatingAdmissionPolicyBindingSpec;
};

export interface ValidatingAdmissionPolicyBindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
  readonly validationActions?: readonly ('Audit' | 'Deny' | 'Warn')[];
}

export interface ValidatingAdmissionPolicySpec {
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: MatchResources;
  readonly validations?: readonly Validation[];
  /** One of "Fail", "Ignore". */
  readonly failurePolicy?: 'Fail' | 'Ignore' | '';
  readonly auditAnnotations?: readonly AuditAnnotation[];
  /** Items are told apart by name. */
  readonly matchConditions?: readonly MatchCondition[];
  /** Items are told apart by name. */
  readonly variables?: readonly Variable[];
}

export interface ValidatingAdmissionPolicyStatus {
  readonly observedGeneration?: number;
  readonly typeChecking?: TypeChecking;
  /** Items are told apart by type. */
  readonly conditions?: readonly Condition[];
}

export interface ValidatingWebhook {
  /** Required. */
  readonly name: string;
  /** Required. */
  readonly clientConfig: WebhookClientConfig;
  readonly rules?: readonly RuleWithOperations[];
  /** One of "Fail", "Ignore". */
  readonly failurePolicy?: 'Fail' | 'Ignore' | '';
  /** One of "Equivalent", "Exact". */
  readonly matchPolicy?: 'Equivalent' | 'Exact' | '';
  /** Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly namespaceSelector?: LabelSelector;
  /** Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly objectSelector?: LabelSelector;
  /** One of "None", "NoneOnDryRun", "Some", "Unknown". Required. */
  readonly sideEffects: 'None' | 'NoneOnDryRun' | 'Some' | 'Unknown';
  readonly timeoutSeconds?: number;
  /** Required. */
  readonly admissionReviewVersions: readonly string[];
  /** Items are told apart by name. */
  readonly matchConditions?: readonly MatchCondition[];
}

/** Webhooks that may accept and reject objects. */
export type ValidatingWebhookConfiguration = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Items are told apart by name. */
  readonly webhooks?: readonly ValidatingWebhook[];
};

export interface Validation {
  /** Required. */
  readonly expression: string;
  readonly message?: string;
  readonly reason?: string;
  readonly messageExpression?: string;
}

export interface Variable {
  /** Required. */
  readonly name: string;
  /** Required. */
  readonly expression: string;
}

export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: ServiceReference;
  /** Base64. */
  readonly caBundle?: string;
}
