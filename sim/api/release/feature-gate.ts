/** A feature gate as a release has it. Specification: "Feature states named". */
export type GateStage = 'alpha' | 'beta' | 'stable' | 'deprecated';

export interface FeatureGate {
  readonly stage: GateStage;
  readonly isOnByDefault: boolean;
}

/** By name; others are refused, so that nobody relies on one in vain. */
export type FeatureGateTable = ReadonlyMap<string, FeatureGate>;
