/** Generated from the catalog by sim/cli/generate-types.ts: types of coordination-k8s-io-v1alpha1. */
import type { ObjectMeta } from '../object.ts';

/** Component that wants to hold a lease. */
export type LeaseCandidate = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: LeaseCandidateSpec;
};

export interface LeaseCandidateSpec {
  /** Required. */
  readonly leaseName: string;
  /** RFC 3339, with microseconds. */
  readonly pingTime?: string;
  /** RFC 3339, with microseconds. */
  readonly renewTime?: string;
  readonly binaryVersion?: string;
  readonly emulationVersion?: string;
  /** Required. */
  readonly preferredStrategies: readonly string[];
}
