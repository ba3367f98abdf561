/** Generated from the catalog by sim/cli/generate-types.ts: types of authentication-k8s-io-v1. */
import type { ObjectMeta } from '../object.ts';

export interface BoundObjectReference {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly name?: string;
  readonly uid?: string;
}

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

/** Request for a token of a service account. */
export type TokenRequest = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Required. */
  readonly spec: TokenRequestSpec;
  readonly status?: TokenRequestStatus;
};

export interface TokenRequestSpec {
  /** Required. */
  readonly audiences: readonly string[];
  readonly expirationSeconds?: number;
  readonly boundObjectRef?: BoundObjectReference;
}

export interface TokenRequestStatus {
  /** Required. */
  readonly token: string;
  /** RFC 3339, whole seconds. Required. */
  readonly expirationTimestamp: string;
}

/** Asks whose token this is. */
export type TokenReview = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Required. */
  readonly spec: TokenReviewSpec;
  readonly status?: TokenReviewStatus;
};

export interface TokenReviewSpec {
  readonly token?: string;
  readonly audiences?: readonly string[];
}

export interface TokenReviewStatus {
  readonly authenticated?: boolean;
  readonly user?: UserInfo;
  readonly audiences?: readonly string[];
  readonly error?: string;
}

export interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
