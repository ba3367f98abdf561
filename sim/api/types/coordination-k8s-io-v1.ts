/** Generated from the catalog by sim/cli/generate-types.ts: types of coordination-k8s-io-v1. */
import type { ObjectMeta } from '../object.ts';

/** Says who holds something, and until when. */
export type Lease = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: LeaseSpec;
};

export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  /** RFC 3339, with microseconds. */
  readonly acquireTime?: string;
  /** RFC 3339, with microseconds. */
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
  readonly strategy?: string;
  readonly preferredHolder?: string;
}
