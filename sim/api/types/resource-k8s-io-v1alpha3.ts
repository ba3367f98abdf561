/** Generated from the catalog by sim/cli/generate-types.ts: types of resource-k8s-io-v1alpha3. */
import type { ApiObject, Json, ObjectMeta } from '../object.ts';
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
  readonly expression: string;
}

export interface Device {
  readonly name: string;
  readonly basic?: BasicDevice;
}

export interface DeviceAllocationConfiguration {
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

export interface DeviceClass extends ApiObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly spec: DeviceClassSpec;
}

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
  readonly name: string;
  readonly deviceClassName: string;
  readonly selectors?: readonly DeviceSelector[];
  readonly allocationMode?: string;
  readonly count?: number;
  readonly adminAccess?: boolean;
}

export interface DeviceRequestAllocationResult {
  readonly request: string;
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
}

export interface DeviceSelector {
  readonly cel?: CELDeviceSelector;
}

export interface OpaqueDeviceConfiguration {
  readonly driver: string;
  readonly parameters: Json;
}

export interface PodSchedulingContext extends ApiObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly spec: PodSchedulingContextSpec;
  readonly status?: PodSchedulingContextStatus;
}

export interface PodSchedulingContextSpec {
  readonly selectedNode?: string;
  readonly potentialNodes?: readonly string[];
}

export interface PodSchedulingContextStatus {
  readonly resourceClaims?: readonly ResourceClaimSchedulingStatus[];
}

export interface ResourceClaim extends ApiObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly spec: ResourceClaimSpec;
  readonly status?: ResourceClaimStatus;
}

export interface ResourceClaimConsumerReference {
  readonly apiGroup?: string;
  readonly resource: string;
  readonly name: string;
  readonly uid: string;
}

export interface ResourceClaimSchedulingStatus {
  readonly name: string;
  readonly unsuitableNodes?: readonly string[];
}

export interface ResourceClaimSpec {
  readonly devices?: DeviceClaim;
  readonly controller?: string;
}

export interface ResourceClaimStatus {
  readonly allocation?: AllocationResult;
  readonly reservedFor?: readonly ResourceClaimConsumerReference[];
  readonly deallocationRequested?: boolean;
}

export interface ResourceClaimTemplate extends ApiObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly spec: ResourceClaimTemplateSpec;
}

export interface ResourceClaimTemplateSpec {
  readonly metadata?: ObjectMeta;
  readonly spec: ResourceClaimSpec;
}

export interface ResourcePool {
  readonly name: string;
  readonly generation: number;
  readonly resourceSliceCount: number;
}

export interface ResourceSlice extends ApiObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly spec: ResourceSliceSpec;
}

export interface ResourceSliceSpec {
  readonly driver: string;
  readonly pool: ResourcePool;
  readonly nodeName?: string;
  readonly nodeSelector?: NodeSelector;
  readonly allNodes?: boolean;
  readonly devices?: readonly Device[];
}
