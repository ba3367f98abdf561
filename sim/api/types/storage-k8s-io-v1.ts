/** Generated from the catalog by sim/cli/generate-types.ts: types of storage-k8s-io-v1. */
import type { ObjectMeta } from '../object.ts';
import type { PersistentVolumeSpec, TopologySelectorTerm } from './core-v1.ts';
import type { LabelSelector } from './meta-k8s-io-v1.ts';

/** Facts about a storage driver. */
export type CSIDriver = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Required. */
  readonly spec: CSIDriverSpec;
};

export interface CSIDriverSpec {
  readonly attachRequired?: boolean;
  readonly podInfoOnMount?: boolean;
  readonly volumeLifecycleModes?: readonly string[];
  readonly storageCapacity?: boolean;
  readonly fsGroupPolicy?: string;
  readonly tokenRequests?: readonly TokenRequest[];
  readonly requiresRepublish?: boolean;
  readonly seLinuxMount?: boolean;
}

/** Storage drivers on a node. */
export type CSINode = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Required. */
  readonly spec: CSINodeSpec;
};

export interface CSINodeDriver {
  /** Required. */
  readonly name: string;
  /** Required. */
  readonly nodeID: string;
  readonly topologyKeys?: readonly string[];
  readonly allocatable?: VolumeNodeResources;
}

export interface CSINodeSpec {
  /** Items are told apart by name. Required. */
  readonly drivers: readonly CSINodeDriver[];
}

/** How much storage of a class there is in a part of the cluster. */
export type CSIStorageCapacity = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Query over labels. All of its requirements have to hold; an empty one matches everything. */
  readonly nodeTopology?: LabelSelector;
  /** Required. */
  readonly storageClassName: string;
  /** Quantity such as `500m`, `2` or `1Gi`. */
  readonly capacity?: string;
  /** Quantity such as `500m`, `2` or `1Gi`. */
  readonly maximumVolumeSize?: string;
};

/** Describes how volumes of a class are made. */
export type StorageClass = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Required. */
  readonly provisioner: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** One of "Delete", "Recycle", "Retain". */
  readonly reclaimPolicy?: 'Delete' | 'Recycle' | 'Retain' | '';
  readonly mountOptions?: readonly string[];
  readonly allowVolumeExpansion?: boolean;
  /** One of "Immediate", "WaitForFirstConsumer". */
  readonly volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer' | '';
  readonly allowedTopologies?: readonly TopologySelectorTerm[];
};

/** Request for a token of a service account. */
export interface TokenRequest {
  /** Required. */
  readonly audience: string;
  readonly expirationSeconds?: number;
}

/** Intent to attach a volume to a node, and how far that is. */
export type VolumeAttachment = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Required. */
  readonly spec: VolumeAttachmentSpec;
  readonly status?: VolumeAttachmentStatus;
};

export interface VolumeAttachmentSource {
  readonly persistentVolumeName?: string;
  readonly inlineVolumeSpec?: PersistentVolumeSpec;
}

export interface VolumeAttachmentSpec {
  /** Required. */
  readonly attacher: string;
  /** Required. */
  readonly source: VolumeAttachmentSource;
  /** Required. */
  readonly nodeName: string;
}

export interface VolumeAttachmentStatus {
  /** Default false. Required. */
  readonly attached: boolean;
  readonly attachmentMetadata?: Readonly<Record<string, string>>;
  readonly attachError?: VolumeError;
  readonly detachError?: VolumeError;
}

export interface VolumeError {
  /** RFC 3339, whole seconds. */
  readonly time?: string;
  readonly message?: string;
}

export interface VolumeNodeResources {
  readonly count?: number;
}
