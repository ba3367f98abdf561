/**
 * What the releases of a program have offered, in order: all that the deprecation policy speaks of. Specification:
 * "Deprecation rules".
 */

export type Stability = 'alpha' | 'beta' | 'ga';

/** Something that a version of a kind has: a field, a value, an annotation. */
export interface ApiElement {
  /** `spec.replicas`. */
  readonly name: string;
  /** What it may hold; a change of it is a significant one. */
  readonly type?: string;
  /** What keeps it where another version of the same release has no place for it, such as an annotation. */
  readonly keptAs?: string;
}

export interface ApiVersion {
  /** `v1beta1`. */
  readonly name: string;
  /** Default true. */
  readonly isServed?: boolean;
  readonly isStored?: boolean;
  readonly isPreferred?: boolean;
  readonly isDeprecated?: boolean;
  /** `group/version` that is to be used instead. */
  readonly replacement?: string;
  /** By kind. */
  readonly kinds: Readonly<Record<string, readonly ApiElement[]>>;
}

export interface ApiGroup {
  readonly group: string;
  readonly versions: readonly ApiVersion[];
}

interface Deprecatable {
  readonly name: string;
  readonly isDeprecated?: boolean;
  /** How stable that is what it is deprecated in favour of. */
  readonly replacementStability?: Stability;
}

export interface CommandLineElement extends Deprecatable {
  readonly stability: Stability;
  /** Of a component that users run, or that administrators do. */
  readonly audience: 'user' | 'admin';
  /** Says so when it is used. */
  readonly warns?: boolean;
}

export interface Behaviour extends Deprecatable {
  readonly stability: Stability;
}

export interface FeatureGate extends Deprecatable {
  readonly stage: Stability;
  readonly warns?: boolean;
  /** The warning says whether it still does anything. */
  readonly tellsOperation?: boolean;
}

export interface Metric extends Deprecatable {
  readonly stability: 'ALPHA' | 'BETA' | 'STABLE';
  /** There only for who asks for it. */
  readonly isHidden?: boolean;
}

export interface PolicyRelease {
  readonly name: string;
  /** `2024-08-13`; without it releases are four months apart. */
  readonly date?: string;
  readonly groups?: readonly ApiGroup[];
  readonly commandLine?: readonly CommandLineElement[];
  readonly behaviours?: readonly Behaviour[];
  readonly gates?: readonly FeatureGate[];
  readonly metrics?: readonly Metric[];
}

/** Oldest first. */
export type ReleaseHistory = readonly PolicyRelease[];

export type PolicyRule =
  '1' | '2' | '3' | '4a' | '4b' | '5a' | '5b' | '5c' | '6' | '7' | '8' | '9' | '10' | '11a' | '11b';

export interface PolicyViolation {
  readonly rule: PolicyRule;
  readonly release: string;
  /** What breaks it: `batch/v1beta1 CronJob`, `--flag`. */
  readonly subject: string;
  readonly message: string;
}
