/** Generated from the catalog by sim/cli/generate-types.ts: types of meta-k8s-io-v1. */

export interface Condition {
  /** Required. */
  readonly type: string;
  /** Required. */
  readonly status: string;
  readonly observedGeneration?: number;
  /** RFC 3339, whole seconds. Required. */
  readonly lastTransitionTime: string;
  /** Required. */
  readonly reason: string;
  /** Required. */
  readonly message: string;
}

/** How an object is to be deleted. */
export interface DeleteOptions {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: Preconditions;
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
  readonly dryRun?: readonly string[];
}

export interface FieldSelectorRequirement {
  /** Required. */
  readonly key: string;
  /** Required. */
  readonly operator: string;
  readonly values?: readonly string[];
}

/** Query over labels. All of its requirements have to hold; an empty one matches everything. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  /** Required. */
  readonly key: string;
  /** Required. */
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}
