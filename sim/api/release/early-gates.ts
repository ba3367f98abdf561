/**
 * Stages of the gates that kubesim looks at in releases before 1.29, of which no server was recorded: as their
 * documentation tells them. `A`lpha, `B`eta, `G`A; a small letter: off by default.
 */
export const EARLY_GATES: Readonly<Record<string, readonly (readonly [minor: number, stage: string])[]>> = {
  APIResponseCompression: [
    [15, 'a'],
    [16, 'B'],
  ],
  AggregatedDiscoveryEndpoint: [
    [26, 'a'],
    [27, 'B'],
  ],
  ConsistentListFromCache: [[28, 'a']],
  ContainerCheckpoint: [[25, 'a']],
  DynamicResourceAllocation: [[26, 'a']],
  InPlacePodVerticalScaling: [[27, 'a']],
  MaxUnavailableStatefulSet: [[24, 'a']],
  ProcMountType: [[15, 'a']],
  RecoverVolumeExpansionFailure: [[23, 'a']],
  ServerSideApply: [
    [15, 'a'],
    [16, 'B'],
    [22, 'G'],
  ],
  ServerSideFieldValidation: [
    [23, 'a'],
    [25, 'B'],
    [27, 'G'],
  ],
  SidecarContainers: [[28, 'a']],
  UserNamespacesSupport: [[28, 'a']],
  ValidatingAdmissionPolicy: [
    [26, 'a'],
    [28, 'b'],
  ],
  WatchBookmark: [
    [15, 'a'],
    [16, 'B'],
    [17, 'G'],
  ],
  WatchList: [[27, 'a']],
};
