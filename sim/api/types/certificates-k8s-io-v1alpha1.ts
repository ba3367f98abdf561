/** Generated from the catalog by sim/cli/generate-types.ts: types of certificates-k8s-io-v1alpha1. */
import type { ApiObject, ObjectMeta } from '../object.ts';

export interface ClusterTrustBundle extends ApiObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly spec: ClusterTrustBundleSpec;
}

export interface ClusterTrustBundleSpec {
  readonly signerName?: string;
  readonly trustBundle: string;
}
