/** A feature gate as a release has it. Specification: "Feature states named". */
export type GateStage = 'alpha' | 'beta' | 'stable' | 'deprecated';

export interface FeatureGate {
  readonly stage: GateStage;
  readonly isOnByDefault: boolean;
  /** It can be set to its default alone. */
  readonly isLocked?: true;
}

/** By name; others are refused. Of releases whose servers were recorded all that there are, of others those that act. */
export type FeatureGateTable = ReadonlyMap<string, FeatureGate>;
