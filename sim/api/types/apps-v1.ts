/** Generated from the catalog by sim/cli/generate-types.ts: types of apps-v1. */
import type { Json, ObjectMeta } from '../object.ts';
import type { PersistentVolumeClaim, PodTemplateSpec } from './core-v1.ts';
import type { LabelSelector } from './meta-k8s-io-v1.ts';

/** Immutable snapshot of state that a controller keeps, so that it can be told apart and restored. */
export type ControllerRevision = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly data?: Json;
  /** Required. */
  readonly revision: number;
};

/** Runs a pod on every node, or on those that are selected. */
export type DaemonSet = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: DaemonSetSpec;
  readonly status?: DaemonSetStatus;
};

export interface DaemonSetCondition {
  /** Required. */
  readonly type: string;
  /** Required. */
  readonly status: string;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface DaemonSetSpec {
  /** Required. Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly selector: LabelSelector;
  /** Required. What the pods of a template are like. */
  readonly template: PodTemplateSpec;
  readonly updateStrategy?: DaemonSetUpdateStrategy;
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
}

export interface DaemonSetStatus {
  /** Required. */
  readonly currentNumberScheduled: number;
  /** Required. */
  readonly numberMisscheduled: number;
  /** Required. */
  readonly desiredNumberScheduled: number;
  /** Required. */
  readonly numberReady: number;
  readonly observedGeneration?: number;
  readonly updatedNumberScheduled?: number;
  readonly numberAvailable?: number;
  readonly numberUnavailable?: number;
  readonly collisionCount?: number;
  /** Items are told apart by type. */
  readonly conditions?: readonly DaemonSetCondition[];
}

export interface DaemonSetUpdateStrategy {
  /** One of "OnDelete", "RollingUpdate". */
  readonly type?: 'OnDelete' | 'RollingUpdate' | '';
  readonly rollingUpdate?: RollingUpdateDaemonSet;
}

/** Describes pods of an application and brings changes of them about step by step. */
export type Deployment = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: DeploymentSpec;
  readonly status?: DeploymentStatus;
};

export interface DeploymentCondition {
  /** Required. */
  readonly type: string;
  /** Required. */
  readonly status: string;
  /** RFC 3339, whole seconds. */
  readonly lastUpdateTime?: string;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface DeploymentSpec {
  readonly replicas?: number;
  /** Required. Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly selector: LabelSelector;
  /** Required. What the pods of a template are like. */
  readonly template: PodTemplateSpec;
  readonly strategy?: DeploymentStrategy;
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
  readonly paused?: boolean;
  readonly progressDeadlineSeconds?: number;
}

export interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  /** Items are told apart by type. */
  readonly conditions?: readonly DeploymentCondition[];
  readonly collisionCount?: number;
}

export interface DeploymentStrategy {
  /** One of "Recreate", "RollingUpdate". */
  readonly type?: 'Recreate' | 'RollingUpdate' | '';
  readonly rollingUpdate?: RollingUpdateDeployment;
}

/** Keeps so many pods of a template running. */
export type ReplicaSet = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: ReplicaSetSpec;
  readonly status?: ReplicaSetStatus;
};

export interface ReplicaSetCondition {
  /** Required. */
  readonly type: string;
  /** Required. */
  readonly status: string;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface ReplicaSetSpec {
  readonly replicas?: number;
  readonly minReadySeconds?: number;
  /** Required. Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly selector: LabelSelector;
  /** What the pods of a template are like. */
  readonly template?: PodTemplateSpec;
}

export interface ReplicaSetStatus {
  /** Required. */
  readonly replicas: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly observedGeneration?: number;
  /** Items are told apart by type. */
  readonly conditions?: readonly ReplicaSetCondition[];
}

export interface RollingUpdateDaemonSet {
  /** Number, or percentage such as `25%`, or name of a port. */
  readonly maxUnavailable?: number | string;
  /** Number, or percentage such as `25%`, or name of a port. */
  readonly maxSurge?: number | string;
}

export interface RollingUpdateDeployment {
  /** Number, or percentage such as `25%`, or name of a port. */
  readonly maxUnavailable?: number | string;
  /** Number, or percentage such as `25%`, or name of a port. */
  readonly maxSurge?: number | string;
}

export interface RollingUpdateStatefulSetStrategy {
  readonly partition?: number;
  /** Number, or percentage such as `25%`, or name of a port. */
  readonly maxUnavailable?: number | string;
}

/** Runs pods that have identities of their own: a name, an address and storage. */
export type StatefulSet = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  readonly spec?: StatefulSetSpec;
  readonly status?: StatefulSetStatus;
};

export interface StatefulSetCondition {
  /** Required. */
  readonly type: string;
  /** Required. */
  readonly status: string;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface StatefulSetOrdinals {
  readonly start?: number;
}

export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  readonly whenDeleted?: string;
  readonly whenScaled?: string;
}

export interface StatefulSetSpec {
  readonly replicas?: number;
  /** Required. Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly selector: LabelSelector;
  /** Required. What the pods of a template are like. */
  readonly template: PodTemplateSpec;
  readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[];
  /** Required. */
  readonly serviceName: string;
  /** One of "OrderedReady", "Parallel". */
  readonly podManagementPolicy?: 'OrderedReady' | 'Parallel' | '';
  readonly updateStrategy?: StatefulSetUpdateStrategy;
  readonly revisionHistoryLimit?: number;
  readonly minReadySeconds?: number;
  readonly persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  readonly ordinals?: StatefulSetOrdinals;
}

export interface StatefulSetStatus {
  readonly observedGeneration?: number;
  /** Required. */
  readonly replicas: number;
  readonly readyReplicas?: number;
  readonly currentReplicas?: number;
  readonly updatedReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly collisionCount?: number;
  /** Items are told apart by type. */
  readonly conditions?: readonly StatefulSetCondition[];
  readonly availableReplicas?: number;
}

export interface StatefulSetUpdateStrategy {
  /** One of "OnDelete", "RollingUpdate". */
  readonly type?: 'OnDelete' | 'RollingUpdate' | '';
  readonly rollingUpdate?: RollingUpdateStatefulSetStrategy;
}
