/** Generated from the catalog by sim/cli/generate-types.ts: types of authentication-k8s-io-v1alpha1. */
import type { ApiObject, ObjectMeta } from '../object.ts';
import type { UserInfo } from './authentication-k8s-io-v1.ts';

export interface SelfSubjectReview extends ApiObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly status?: SelfSubjectReviewStatus;
}

export interface SelfSubjectReviewStatus {
  readonly userInfo?: UserInfo;
}
