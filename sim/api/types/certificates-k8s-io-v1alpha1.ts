/** Generated from the catalog by sim/cli/generate-types.ts: types of certificates-k8s-io-v1alpha1. */
import type { ObjectMeta } from '../object.ts';

/** Certificates of authorities that a cluster trusts. */
export type ClusterTrustBundle = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Required. */
  readonly spec: ClusterTrustBundleSpec;
};

export interface ClusterTrustBundleSpec {
  readonly signerName?: string;
  /** Required. */
  readonly trustBundle: string;
}
