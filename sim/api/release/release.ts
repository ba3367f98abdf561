/**
 * A release of Kubernetes as one value: what it knows of types, kinds and resources, with their life cycles; its feature
 * gates; its version texts; the rules that differ between releases. Whoever is of a release (an API server, the
 * agent of a node) is handed its value, so several releases may live in one process and in one simulation.
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { FeatureGateTable } from './feature-gate.ts';
import type { Wording } from './wording.ts';

/** What `/version` answers. Specification: "Versions". */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  /** Since 1.34: what the server pretends to be, and what it can be gone back to. */
  readonly emulationMajor?: string;
  readonly emulationMinor?: string;
  readonly minCompatibilityMajor?: string;
  readonly minCompatibilityMinor?: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

/** Of a group among groups, then of each of its versions: which ones clients prefer that ask for none in particular. */
export type ServicePriorities = Readonly<
  Record<string, readonly [group: number, versions: Readonly<Record<string, number>>]>
>;

/** What is no fact of a type, kind or gate, and yet not the same in every release. */
export interface ReleaseRules {
  readonly servicePriorities: ServicePriorities;
  /** Absent: those of 1.31, which works on what it prefers and stores what it works on. */
  readonly versions?: VersionRules;
  /** Absent: as 1.31 words what it refuses. */
  readonly wording?: Wording;
}

/** In which version a built-in resource is worked on and stored, where that is not the one that clients prefer. */
export interface VersionRules {
  /** `apiVersion` whose shape the rules of the kind know; undefined: the preferred one. */
  workedOn(group: string, resource: string): string | undefined;
  /** `apiVersion` in which the storage has it. */
  stored(group: string, resource: string): string;
}

export interface Release {
  /** Of API servers. */
  readonly versionInfo: VersionInfo;
  /** Of agents and whatever else tells its version: `v1.31.14`. */
  readonly componentVersion: string;
  readonly catalog: Catalog;
  readonly gates: FeatureGateTable;
  readonly rules: ReleaseRules;
}

/** Whether the release is the named one, such as `1.22`, or a later one. */
export function isReleasedBy({ versionInfo: { major, minor } }: Release, name: string): boolean {
  const [wantedMajor = 0, wantedMinor = 0] = name.split('.').map(Number);
  const [ownMajor, ownMinor] = [Number(major), Number(minor)];
  return ownMajor > wantedMajor || (ownMajor === wantedMajor && ownMinor >= wantedMinor);
}
