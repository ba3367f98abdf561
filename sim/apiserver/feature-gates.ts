/**
 * Feature gates of release 1.31 that change how the server answers: `Name=true|false`, `AllAlpha`,
 * `AllBeta`. Specification: "Feature states named".
 */
export type GateStage = 'alpha' | 'beta' | 'stable';

interface Gate {
  readonly stage: GateStage;
  readonly isOnByDefault: boolean;
}

const alpha: Gate = { stage: 'alpha', isOnByDefault: false };
const beta: Gate = { stage: 'beta', isOnByDefault: true };
const stable: Gate = { stage: 'stable', isOnByDefault: true };

/** Every gate that kubesim looks at; others are refused, so that nobody relies on one in vain. */
const GATES: ReadonlyMap<string, Gate> = new Map(
  Object.entries({
    APIResponseCompression: beta,
    AggregatedDiscoveryEndpoint: stable,
    AuthorizeWithSelectors: alpha,
    ConsistentListFromCache: beta,
    ContainerCheckpoint: beta,
    CoordinatedLeaderElection: alpha,
    CustomResourceFieldSelectors: beta,
    InPlacePodVerticalScaling: alpha,
    MutatingAdmissionPolicy: alpha,
    RetryGenerateName: beta,
    ServerSideApply: stable,
    ServerSideFieldValidation: stable,
    SidecarContainers: beta,
    ValidatingAdmissionPolicy: stable,
    WatchBookmark: stable,
    WatchList: alpha,
  } satisfies Record<string, Gate>),
);

/** A gate setting that makes no sense; the message is for the command line. */
export class FeatureGateError extends Error {
  override readonly name = 'FeatureGateError';
}

export class FeatureGates {
  readonly #settings: ReadonlyMap<string, boolean>;

  /** @throws FeatureGateError for unknown gates and for stable gates switched off */
  constructor(settings: Readonly<Record<string, boolean>> = {}) {
    for (const [name, isOn] of Object.entries(settings)) checkSetting(name, isOn);
    this.#settings = new Map(Object.entries(settings));
  }

  /** Reads `WatchList=true,AllAlpha=false`. @throws FeatureGateError */
  static parse(text: string): FeatureGates {
    const settings: Record<string, boolean> = {};
    for (const part of text.split(',')) {
      if (part === '') continue;
      const [name = '', value = ''] = part.split('=', 2);
      if (value !== 'true' && value !== 'false') {
        throw new FeatureGateError(`invalid value of ${name}=${value}: expected true or false`);
      }
      settings[name] = value === 'true';
    }
    return new FeatureGates(settings);
  }

  isEnabled(name: string): boolean {
    const own = this.#settings.get(name);
    if (own !== undefined) return own;
    const gate = GATES.get(name);
    if (!gate) return false;
    if (gate.stage === 'alpha') return this.#settings.get('AllAlpha') ?? gate.isOnByDefault;
    if (gate.stage === 'beta') return this.#settings.get('AllBeta') ?? gate.isOnByDefault;
    return gate.isOnByDefault;
  }
}

function checkSetting(name: string, isOn: boolean): void {
  if (name === 'AllAlpha' || name === 'AllBeta') return;
  const gate = GATES.get(name);
  if (!gate) throw new FeatureGateError(`unrecognized feature gate: ${name}`);
  if (gate.stage === 'stable' && !isOn) {
    throw new FeatureGateError(`cannot set feature gate ${name} to false, feature is locked to true`);
  }
}
