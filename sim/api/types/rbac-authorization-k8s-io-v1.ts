/** Generated from the catalog by sim/cli/generate-types.ts: types of rbac-authorization-k8s-io-v1. */
import type { ObjectMeta } from '../object.ts';
import type { LabelSelector } from './meta-k8s-io-v1.ts';

export interface AggregationRule {
  readonly clusterRoleSelectors?: readonly LabelSelector[];
}

/** Set of permissions, for the whole cluster or to be given in namespaces. */
export type ClusterRole = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly rules?: readonly PolicyRule[];
  readonly aggregationRule?: AggregationRule;
};

/** Gives a cluster role to users, groups and service accounts, everywhere. */
export type ClusterRoleBinding = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly subjects?: readonly Subject[];
  /** Required. */
  readonly roleRef: RoleRef;
};

export interface PolicyRule {
  /** Required. */
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** Set of permissions in a namespace. */
export type Role = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly rules?: readonly PolicyRule[];
};

/** Gives a role to users, groups and service accounts, in a namespace. */
export type RoleBinding = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly subjects?: readonly Subject[];
  /** Required. */
  readonly roleRef: RoleRef;
};

export interface RoleRef {
  /** Required. */
  readonly apiGroup: string;
  /** Required. */
  readonly kind: string;
  /** Required. */
  readonly name: string;
}

export interface Subject {
  /** Required. */
  readonly kind: string;
  readonly apiGroup?: string;
  /** Required. */
  readonly name: string;
  readonly namespace?: string;
}
