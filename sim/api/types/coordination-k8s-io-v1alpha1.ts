/** Generated from the catalog by sim/cli/generate-types.ts: types of coordination-k8s-io-v1alpha1. */
import type { ApiObject, ObjectMeta } from '../object.ts';

export interface LeaseCandidate extends ApiObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly spec?: LeaseCandidateSpec;
}

export interface LeaseCandidateSpec {
  readonly leaseName: string;
  readonly pingTime?: string;
  readonly renewTime?: string;
  readonly binaryVersion?: string;
  readonly emulationVersion?: string;
  readonly preferredStrategies: readonly string[];
}
