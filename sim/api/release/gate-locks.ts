/**
 * Which gates are locked to their default. Of stable ones all are, and of deprecated ones none: these are the exceptions,
 * each of which was set to the other value at servers of 1.29 to 1.36;
 * of earlier ones what their lists of gates say.
 */
import type { GateStage } from './feature-gate.ts';

type Span = readonly [first: number, last: number];

const STABLE_AND_OPEN: Readonly<Record<string, Span>> = {
  AllowServiceExternalIPs: [36, 37],
  ConsistentHTTPGetHandlers: [29, 29],
  CustomCPUCFSQuotaPeriod: [36, 37],
  DRAPrioritizedList: [36, 37],
  DisableAllocatorDualWrite: [34, 34],
  DynamicResourceAllocation: [34, 34],
  ExecProbeTimeout: [20, 34],
  InformerResourceVersion: [35, 37],
  MultiCIDRServiceAllocator: [33, 33],
  MutatingAdmissionPolicy: [36, 37],
  ServerSideApply: [22, 25],
  TopologyManagerPolicyOptions: [32, 35],
  VolumeAttributesClass: [34, 35],
};

const DEPRECATED_AND_LOCKED: Readonly<Record<string, Span>> = {
  AggregatedDiscoveryRemoveBetaType: [35, 37],
  AllowOverwriteTerminationGracePeriodSeconds: [35, 37],
  AllowServiceLBStatusOnNonLB: [32, 34],
  DisableNodeKubeProxyVersion: [36, 37],
  ExperimentalHostUserNamespaceDefaulting: [29, 29],
  GitRepoVolumeDriver: [36, 37],
  SeparateCacheWatchRPC: [36, 37],
  WatchFromStorageWithoutResourceVersion: [33, 35],
};

const isWithin = (minor: number, span: Span | undefined): boolean =>
  span !== undefined && span[0] <= minor && minor <= span[1];

export function isLockedIn(minor: number, name: string, stage: GateStage): boolean {
  if (stage === 'stable') return !isWithin(minor, STABLE_AND_OPEN[name]);
  return stage === 'deprecated' && isWithin(minor, DEPRECATED_AND_LOCKED[name]);
}
