/**
 * The feature gates of 1.15 to 1.28, of which no server was recorded, as their documentation tells them: from which minor
 * release on a gate is `A`lpha, `B`eta, `G`A or `D`eprecated; a small letter: off by default; `-`: it is gone. What began
 * before 1.15 is told as if it had begun there.
 */
export const EARLY_GATES = `
APIListChunking 15B
APIPriorityAndFairness 18a 20B
APIResponseCompression 15a 16B
APISelfSubjectReview 26a 27B 28G
APIServerIdentity 20a 26B
APIServerTracing 22a 27B
AdmissionWebhookMatchConditions 27a 28B
AdvancedAuditing 15G 28-
AggregatedDiscoveryEndpoint 26a 27B
AllowInsecureBackendProxy 17B 21G 26-
AnyVolumeDataSource 18a 24B
AppArmor 15B
AttachVolumeLimit 15B 17G 22-
BalanceAttachedNodeVolumes 15a 22d 23-
BlockVolume 15B 18G 22-
BoundServiceAccountTokenVolume 15a 21B 22G 24-
CPUManager 15B 26G
CPUManagerPolicyAlphaOptions 23a
CPUManagerPolicyBetaOptions 23B
CPUManagerPolicyOptions 22a 23B
CRDValidationRatcheting 28a
CRIContainerLogRotation 15B 21G 23-
CSIBlockVolume 15B 18G 22-
CSIDriverRegistry 15B 18G 22-
CSIInlineVolume 15a 16B 25G 27-
CSIMigration 15a 17B 25G 27-
CSIMigrationAWS 15a 17b 23B 25G 27-
CSIMigrationAWSComplete 17a 21d 22-
CSIMigrationAzureDisk 15a 19b 23B 24G 27-
CSIMigrationAzureDiskComplete 17a 21d 22-
CSIMigrationAzureFile 15a 21b 24B 26G
CSIMigrationAzureFileComplete 17a 21d 22-
CSIMigrationGCE 15a 17b 23B 25G 28-
CSIMigrationGCEComplete 17a 21d 22-
CSIMigrationOpenStack 15a 18B 24G 26-
CSIMigrationOpenStackComplete 17a 21d 22-
CSIMigrationPortworx 23a 25b
CSIMigrationRBD 23a 28d
CSIMigrationvSphere 18a 19b 25B 26G
CSIMigrationvSphereComplete 19b 22d 23-
CSINodeExpandSecret 25a 27B
CSINodeInfo 15B 17G 23-
CSIPersistentVolume 15G 17-
CSIServiceAccountToken 20a 21B 22G 25-
CSIStorageCapacity 19a 21B 24G 28-
CSIVolumeFSGroupPolicy 19a 20B 23G 26-
CSIVolumeHealth 21a
CSRDuration 22B 24G 26-
CloudControllerManagerWebhook 27a
CloudDualStackNodeIPs 27a
ClusterTrustBundle 27a
ComponentSLIs 26a 27B
ConfigurableFSGroupPolicy 18a 20B 23G 26-
ConsistentHTTPGetHandlers 25G
ConsistentListFromCache 28a
ContainerCheckpoint 25a
ContextualLogging 24a
ControllerManagerLeaderMigration 21a 22B 24G 27-
CronJobControllerV2 20a 21B 22G 24-
CronJobTimeZone 24a 25B 27G
CronJobsScheduledAnnotation 28B
CrossNamespaceVolumeDataSource 26a
CustomCPUCFSQuotaPeriod 15a
CustomPodDNS 15G 17-
CustomResourceDefaulting 15a 16B 17G 19-
CustomResourcePublishOpenAPI 15B 16G 19-
CustomResourceSubresources 15B 16G 19-
CustomResourceValidation 15B 16G 19-
CustomResourceValidationExpressions 23a 25B
CustomResourceWebhookConversion 15B 16G 19-
DaemonSetUpdateSurge 21a 22B 25G 27-
DefaultHostNetworkHostPortsInPodTemplates 28d
DefaultPodTopologySpread 19a 20B 24G 26-
DelegateFSGroupToCSIDriver 22a 23B 26G 28-
DevicePluginCDIDevices 28a
DevicePlugins 15B 26G 28-
DisableAcceleratorUsageMetrics 19a 20B 25G 28-
DisableCloudProviders 22a
DisableKubeletCloudCredentialProviders 23a
DownwardAPIHugePages 20a 21b 22B 27G
DryRun 15B 19G 28-
DynamicAuditing 15a 19d 20-
DynamicKubeletConfig 15B 22d 26-
DynamicResourceAllocation 26a
EfficientWatchResumption 20a 21B 24G
ElasticIndexedJob 27B
EnableAggregatedDiscoveryTimeout 16D 18-
EndpointSlice 16a 17b 18B 21G 25-
EndpointSliceNodeName 20a 21G 25-
EndpointSliceProxying 18a 19B 22G 25-
EndpointSliceTerminatingCondition 20a 22B 26G 28-
EphemeralContainers 16a 23B 25G 27-
EvenPodsSpread 16a 18B 19G 22-
EventedPLEG 26a 27b
ExecProbeTimeout 20G
ExpandCSIVolumes 15a 16B 24G 27-
ExpandInUsePersistentVolumes 15B 24G 27-
ExpandPersistentVolumes 15B 24G 27-
ExpandedDNSConfig 22a 26B 28G
ExperimentalCriticalPodAnnotation 15d 17-
ExperimentalHostUserNamespaceDefaulting 15b 28d
ExternalPolicyForExternalIP 18G 23-
GCERegionalPersistentDisk 15G 17-
GRPCContainerProbe 23a 24B 27G
GenericEphemeralVolume 19a 21B 23G 25-
GracefulNodeShutdown 20a 21B
GracefulNodeShutdownBasedOnPodPriority 23a 24B
HPAContainerMetrics 20a 27B
HPAScaleToZero 16a
HonorPVReclaimPolicy 23a
HugePageStorageMediumSize 18a 19B 22G 25-
HugePages 15G 17-
HyperVContainer 15a 20d 21-
IPTablesOwnershipCleanup 25a 27B 28G
IPv6DualStack 15a 21B 23G 25-
IdentifyPodOS 23a 24B 25G 27-
ImmutableEphemeralVolumes 18a 19B 21G 25-
InPlacePodVerticalScaling 27a
InTreePluginAWSUnregister 21a
InTreePluginAzureDiskUnregister 21a
InTreePluginAzureFileUnregister 21a
InTreePluginGCEUnregister 21a
InTreePluginOpenStackUnregister 21a
InTreePluginPortworxUnregister 23a
InTreePluginRBDUnregister 23a 28d
InTreePluginvSphereUnregister 21a
IndexedJob 21a 22B 24G 26-
IngressClassNamespacedParams 21a 22B 23G 25-
JobBackoffLimitPerIndex 28a
JobMutableNodeSchedulingDirectives 23B 27G
JobPodFailurePolicy 25a 26B
JobPodReplacementPolicy 28a
JobReadyPods 23a 24B
JobTrackingWithFinalizers 22a 23b 25B 26G
KMSv1 28D
KMSv2 25a 27B
KMSv2KDF 28b
KubeProxyDrainingTerminatingNodes 28a
KubeletCgroupDriverFromCRI 28a
KubeletCredentialProviders 20a 24B 26G 28-
KubeletInUserNamespace 22a
KubeletPluginsWatcher 15G 17-
KubeletPodResources 15B 28G
KubeletPodResourcesDynamicResources 27a
KubeletPodResourcesGet 27a
KubeletPodResourcesGetAllocatable 21a 23B 28G
KubeletTracing 25a 27B
LegacyNodeRoleBehavior 16a 19B 21g 23-
LegacyServiceAccountTokenCleanUp 28a
LegacyServiceAccountTokenNoAutoGeneration 24B 26G
LegacyServiceAccountTokenTracking 26a 27B 28G
LocalStorageCapacityIsolation 15B 25G 27-
LocalStorageCapacityIsolationFSQuotaMonitoring 15a
LogarithmicScaleDown 21a 22B
LoggingAlphaOptions 24a
LoggingBetaOptions 24B
MatchLabelKeysInPodTopologySpread 25a 27B
MaxUnavailableStatefulSet 24a
MemoryManager 21a 22B
MemoryQoS 22a
MinDomainsInPodTopologySpread 24a 25b 27B
MinimizeIPTablesRestore 26a 27B 28G
MixedProtocolLBService 20a 24B 26G 28-
MountContainers 15a 17d 18-
MultiCIDRRangeAllocator 25a
MultiCIDRServiceAllocator 27a
NamespaceDefaultLabelName 21B 22G 24-
NetworkPolicyEndPort 21a 22B 25G 27-
NetworkPolicyStatus 24a 28-
NewVolumeManagerReconstruction 27b 28B
NodeDisruptionExclusion 16a 19B 21G 23-
NodeInclusionPolicyInPodTopologySpread 25a 26B
NodeLease 15B 17G 24-
NodeLogQuery 27a
NodeOutOfServiceVolumeDetach 24a 26B 28G
NodeSwap 22a 28b
NonPreemptingPriority 15a 19B 24G 26-
OpenAPIEnums 23a 24B
OpenAPIV3 23a 24B 27G
PDBUnhealthyPodEvictionPolicy 26a 27B
PersistentLocalVolumes 15G 17-
PersistentVolumeLastPhaseTransitionTime 28a
PodAffinityNamespaceSelector 21a 22B 24G 26-
PodAndContainerStatsFromCRI 23a
PodDeletionCost 21a 22B
PodDisruptionBudget 15B 21G 26-
PodDisruptionConditions 25a 26B
PodHasNetworkCondition 25a 28-
PodHostIPs 28a
PodIndexLabel 28B
PodOverhead 16a 18B 24G 26-
PodPriority 15G 19-
PodReadinessGates 15G 17-
PodReadyToStartContainersCondition 28a
PodSchedulingReadiness 26a 27B
PodSecurity 22a 23B 25G 28-
PodShareProcessNamespace 15B 17G 20-
PreferNominatedNode 21a 22B 24G 26-
ProbeTerminationGracePeriod 21a 22b 25B 28G
ProcMountType 15a
ProxyTerminatingEndpoints 22a 26B 28G
QOSReserved 15a
ReadWriteOncePod 22a 27B
RecoverVolumeExpansionFailure 23a
RemainingItemCount 15a 16B
RemoveSelfLink 16a 20B 24G
RequestManagement 15a 17d 18-
ResourceLimitsPriorityFunction 15a 19d 20-
ResourceQuotaScopeSelectors 15B 17G 19-
RetroactiveDefaultStorageClass 25a 26B 28G
RootCAConfigMap 15a 20B 21G 23-
RotateKubeletClientCertificate 15B 19G 22-
RotateKubeletServerCertificate 15B
RunAsGroup 15B 21G 23-
RuntimeClass 15B 20G 25-
SCTPSupport 15a 19B 20G 23-
SELinuxMountReadWriteOncePod 25a 27b 28B
ScheduleDaemonSetPods 15B 17G 19-
SchedulerQueueingHints 28B
SeccompDefault 22a 25B 27G
SecurityContextDeny 27a
SelectorIndex 18a 19B 20G 26-
ServerSideApply 15a 16B 22G
ServerSideFieldValidation 23a 25B 27G
ServiceAccountIssuerDiscovery 18a 20B 21G 24-
ServiceAppProtocol 18a 19B 20G 23-
ServiceIPStaticSubrange 24a 25B 26G 28-
ServiceInternalTrafficPolicy 21a 22B 26G 28-
ServiceLBNodePortControl 20a 22B 24G 26-
ServiceLoadBalancerClass 21a 22B 24G 26-
ServiceLoadBalancerFinalizer 15a 16B 17G 21-
ServiceNodeExclusion 15a 19B 21G 23-
ServiceNodePortStaticSubrange 27a 28B
ServiceTopology 17a 20d 23-
SetHostnameAsFQDN 19a 20B 22G 25-
SidecarContainers 28a
SizeMemoryBackedVolumes 20a 22B
SkipReadOnlyValidationGCE 28a
StableLoadBalancerNodeSet 27B
StartupProbe 16a 18B 20G 24-
StatefulSetAutoDeletePVC 23a 27b
StatefulSetMinReadySeconds 22a 23B 25G 27-
StatefulSetStartOrdinal 26a 27B
StorageObjectInUseProtection 15G 25-
StorageVersionAPI 20a
StorageVersionHash 15B
StreamingProxyRedirects 15B 18D 22d 25-
SupportIPVSProxyMode 15G 21-
SupportNodePidsLimit 15B 20G 24-
SupportPodPidsLimit 15B 20G 24-
SuspendJob 21a 22B 24G 26-
Sysctls 15B 21G 23-
TTLAfterFinished 15a 21B 23G 25-
TaintBasedEvictions 15B 18G 21-
TaintNodesByCondition 15B 17G 19-
TokenRequest 15B 20G 22-
TokenRequestProjection 15B 20G 22-
TopologyAwareHints 21a 23b 24B
TopologyManager 16a 18B 27G
TopologyManagerPolicyAlphaOptions 26a
TopologyManagerPolicyBetaOptions 26b 28B
TopologyManagerPolicyOptions 26a 28B
UnknownVersionInteroperabilityProxy 28a
UserNamespacesStatelessPodsSupport 25a 28-
UserNamespacesSupport 28a
ValidateProxyRedirects 15B 22D 25-
ValidatingAdmissionPolicy 26a 28b
VolumeCapacityPriority 21a
VolumePVCDataSource 15a 16B 18G 22-
VolumeScheduling 15G 17-
VolumeSnapshotDataSource 15a 17B 20G 23-
VolumeSubpath 15G 25-
VolumeSubpathEnvExpansion 15B 17G 25-
WarningHeaders 19B 22G 25-
WatchBookmark 15a 16B 17G
WatchList 27a
WinDSR 15a
WinOverlay 15a 20B
WindowsEndpointSliceProxying 19a 21B 22G 25-
WindowsGMSA 15a 16B 18G 21-
WindowsHostNetwork 26a
WindowsHostProcessContainers 22a 23B 26G
WindowsRunAsUserName 16a 17B 18G 21-
`;
