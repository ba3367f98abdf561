/**
 * Which feature gates of a release are on: `Name=true|false`, `AllAlpha`, `AllBeta`. Specification:
 * "Feature states named".
 */
import { goBoolProblem, parseGoBool } from '../api/go-bool.ts';
import { ACTING_GATES } from '../api/release/acting-gates.ts';
import type { FeatureGate, FeatureGateTable } from '../api/release/feature-gate.ts';
import { isGraduated } from '../api/release/gates-of-release.ts';
import type { Release } from '../api/release/release.ts';

/** A gate setting that makes no sense; the message is for the command line. */
export class FeatureGateError extends Error {
  override readonly name = 'FeatureGateError';
}

export class FeatureGates {
  readonly #gates: FeatureGateTable;
  readonly #settings: ReadonlyMap<string, boolean>;
  /** What was asked before, of a server of the release below. */
  readonly #features = new Map<string, boolean>();
  #featuresOf: Release | undefined;

  /** @throws FeatureGateError for unknown gates and for locked ones switched over */
  constructor(gates: FeatureGateTable, settings: Readonly<Record<string, boolean>> = {}) {
    for (const [name, isOn] of Object.entries(settings)) checkSetting(gates, name, isOn);
    this.#gates = gates;
    this.#settings = new Map(Object.entries(settings));
  }

  /** Reads `WatchList=true,AllAlpha=false`. @throws FeatureGateError */
  static parse(gates: FeatureGateTable, text: string): FeatureGates {
    const settings: Record<string, boolean> = {};
    for (const part of text.split(',')) {
      if (part.trim() === '') continue;
      const [name = '', value] = part.split('=', 2).map((each) => each.trim());
      if (value === undefined) throw new FeatureGateError(`missing bool value for ${name}`);
      const isOn = parseGoBool(value);
      if (isOn === undefined)
        throw new FeatureGateError(`invalid value of ${name}=${value}, err: ${goBoolProblem(value)}`);
      settings[name] = isOn;
    }
    return new FeatureGates(gates, settings);
  }

  /** What is to be said of settings that mean little, as kube-apiserver does when it starts. */
  get warnings(): readonly string[] {
    return [...this.#settings].flatMap(([name, isOn]) => {
      const gate = this.#gates.get(name);
      return [
        ...(gate ? lateWarnings(name, isOn, gate) : []),
        ...(ACTING_GATES.has(name)
          ? []
          : [`Feature gate ${name} is known, but nothing in kubesim depends on it.`]),
      ];
    });
  }

  /** The same settings under the gates of another release. @throws FeatureGateError where it does not take them */
  under(gates: FeatureGateTable): FeatureGates {
    return new FeatureGates(gates, Object.fromEntries(this.#settings));
  }

  isEnabled(name: string): boolean {
    return this.#settings.get(name) ?? this.isEnabledIn(this.#gates, name);
  }

  /** Whether a server of the release has the feature: its gate is open, or gone because the feature is always on. */
  hasFeature(release: Release, name: string): boolean {
    if (release !== this.#featuresOf) {
      this.#features.clear();
      this.#featuresOf = release;
    }
    let known = this.#features.get(name);
    if (known === undefined) {
      known = this.isEnabled(name) || isGraduated(Number(release.versionInfo.minor), name);
      this.#features.set(name, known);
    }
    return known;
  }

  /** Whether the settings come to that in another release, as far as it knows the gate. */
  isEnabledIn(gates: FeatureGateTable, name: string): boolean {
    const gate = gates.get(name);
    if (!gate) return false;
    const own = this.#settings.get(name);
    if (own !== undefined) return own;
    if (gate.stage === 'alpha') return this.#settings.get('AllAlpha') ?? gate.isOnByDefault;
    if (gate.stage === 'beta') return this.#settings.get('AllBeta') ?? gate.isOnByDefault;
    return gate.isOnByDefault;
  }
}

function checkSetting(gates: FeatureGateTable, name: string, isOn: boolean): void {
  if (name === 'AllAlpha' || name === 'AllBeta') return;
  const gate = gates.get(name);
  if (!gate) throw new FeatureGateError(`unrecognized feature gate: ${name}`);
  if (gate.isLocked && isOn !== gate.isOnByDefault)
    throw new FeatureGateError(
      `cannot set feature gate ${name} to ${isOn}, feature is locked to ${gate.isOnByDefault}`,
    );
}

function lateWarnings(
  name: string,
  isOn: boolean,
  { stage, isLocked, isOnByDefault }: FeatureGate,
): readonly string[] {
  if (stage !== 'stable' && stage !== 'deprecated') return [];
  const effect = isLocked
    ? ` It is not operational: the feature is always ${isOnByDefault ? 'on' : 'off'}.`
    : ' It is operational.';
  const kind = stage === 'stable' ? 'GA' : 'deprecated';
  return [`Setting ${kind} feature gate ${name}=${isOn}. It will be removed in a future release.${effect}`];
}
