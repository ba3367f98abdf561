/** Generated from the catalog by sim/cli/generate-types.ts: types of resource-k8s-io-v1alpha3. */
import type { Json, ObjectMeta } from '../object.ts';
import type { NodeSelector } from './core-v1.ts';

export interface AllocationResult {
  readonly devices?: DeviceAllocationResult;
  readonly nodeSelector?: NodeSelector;
  readonly controller?: string;
}

export interface BasicDevice {
  readonly attributes?: Readonly<Record<string, DeviceAttribute>>;
  readonly capacity?: Readonly<Record<string, string>>;
}

export interface CELDeviceSelector {
  /** Required. */
  readonly expression: string;
}

export interface Device {
  /** Required. */
  readonly name: string;
  readonly basic?: BasicDevice;
}

export interface DeviceAllocationConfiguration {
  /** Required. */
  readonly source: string;
  readonly requests?: readonly string[];
  readonly opaque?: OpaqueDeviceConfiguration;
}

export interface DeviceAllocationResult {
  readonly results?: readonly DeviceRequestAllocationResult[];
  readonly config?: readonly DeviceAllocationConfiguration[];
}

export interface DeviceAttribute {
  readonly int?: number;
  readonly bool?: boolean;
  readonly string?: string;
  readonly version?: string;
}

export interface DeviceClaim {
  readonly requests?: readonly DeviceRequest[];
  readonly constraints?: readonly DeviceConstraint[];
  readonly config?: readonly DeviceClaimConfiguration[];
}

export interface DeviceClaimConfiguration {
  readonly requests?: readonly string[];
  readonly opaque?: OpaqueDeviceConfiguration;
}

/** Kind of device that claims can ask for. */
export type DeviceClass = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Required. */
  readonly spec: DeviceClassSpec;
};

export interface DeviceClassConfiguration {
  readonly opaque?: OpaqueDeviceConfiguration;
}

export interface DeviceClassSpec {
  readonly selectors?: readonly DeviceSelector[];
  readonly config?: readonly DeviceClassConfiguration[];
  readonly suitableNodes?: NodeSelector;
}

export interface DeviceConstraint {
  readonly requests?: readonly string[];
  readonly matchAttribute?: string;
}

export interface DeviceRequest {
  /** Required. */
  readonly name: string;
  /** Required. */
  readonly deviceClassName: string;
  readonly selectors?: readonly DeviceSelector[];
  readonly allocationMode?: string;
  readonly count?: number;
  /** Default false. */
  readonly adminAccess?: boolean;
}

export interface DeviceRequestAllocationResult {
  /** Required. */
  readonly request: string;
  /** Required. */
  readonly driver: string;
  /** Required. */
  readonly pool: string;
  /** Required. */
  readonly device: string;
}

export interface DeviceSelector {
  readonly cel?: CELDeviceSelector;
}

export interface OpaqueDeviceConfiguration {
  /** Required. */
  readonly driver: string;
  /** Required. */
  readonly parameters: Json;
}

/** What scheduler and drivers tell each other about the devices of a pod. */
export type PodSchedulingContext = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Required. */
  readonly spec: PodSchedulingContextSpec;
  readonly status?: PodSchedulingContextStatus;
};

export interface PodSchedulingContextSpec {
  readonly selectedNode?: string;
  readonly potentialNodes?: readonly string[];
}

export interface PodSchedulingContextStatus {
  /** Items are told apart by name. */
  readonly resourceClaims?: readonly ResourceClaimSchedulingStatus[];
}

/** Request for devices, and what was allocated for it. */
export type ResourceClaim = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Required. */
  readonly spec: ResourceClaimSpec;
  readonly status?: ResourceClaimStatus;
};

export interface ResourceClaimConsumerReference {
  readonly apiGroup?: string;
  /** Required. */
  readonly resource: string;
  /** Required. */
  readonly name: string;
  /** Required. */
  readonly uid: string;
}

export interface ResourceClaimSchedulingStatus {
  /** Required. */
  readonly name: string;
  readonly unsuitableNodes?: readonly string[];
}

export interface ResourceClaimSpec {
  readonly devices?: DeviceClaim;
  readonly controller?: string;
}

export interface ResourceClaimStatus {
  readonly allocation?: AllocationResult;
  /** Items are told apart by uid. */
  readonly reservedFor?: readonly ResourceClaimConsumerReference[];
  readonly deallocationRequested?: boolean;
}

/** Template for claims of pods. */
export type ResourceClaimTemplate = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Required. */
  readonly spec: ResourceClaimTemplateSpec;
};

export interface ResourceClaimTemplateSpec {
  /** What all objects have in common. */
  readonly metadata?: ObjectMeta;
  /** Required. */
  readonly spec: ResourceClaimSpec;
}

export interface ResourcePool {
  /** Required. */
  readonly name: string;
  /** Required. */
  readonly generation: number;
  /** Required. */
  readonly resourceSliceCount: number;
}

/** Devices that a driver offers on a node or in a pool. */
export type ResourceSlice = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Required. */
  readonly spec: ResourceSliceSpec;
};

export interface ResourceSliceSpec {
  /** Required. */
  readonly driver: string;
  /** Required. */
  readonly pool: ResourcePool;
  readonly nodeName?: string;
  readonly nodeSelector?: NodeSelector;
  readonly allNodes?: boolean;
  readonly devices?: readonly Device[];
}
