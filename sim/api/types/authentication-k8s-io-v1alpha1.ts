/** Generated from the catalog by sim/cli/generate-types.ts: types of authentication-k8s-io-v1alpha1. */
import type { ObjectMeta } from '../object.ts';
import type { UserInfo } from './authentication-k8s-io-v1.ts';

/** Tells who the server takes the client for. */
export type SelfSubjectReview = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly status?: SelfSubjectReviewStatus;
};

export interface SelfSubjectReviewStatus {
  readonly userInfo?: UserInfo;
}
