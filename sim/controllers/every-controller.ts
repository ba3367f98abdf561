/** All controllers that there are, in the order in which a manager starts them. */
import type { Controller } from './manager/controller.ts';
import { ATTACH_DETACH } from './attach-detach/attach-detach-controller.ts';
import { BOOTSTRAP_SIGNER } from './bootstrap-signer/bootstrap-signer.ts';
import { CERTIFICATE_APPROVAL } from './certificate-approval/certificate-approval.ts';
import { CERTIFICATE_REQUEST_CLEANER } from './certificate-request-cleaner/certificate-request-cleaner.ts';
import { CERTIFICATE_SIGNING } from './certificate-signing/certificate-signing.ts';
import { CLUSTER_ROLE_AGGREGATION } from './cluster-role-aggregation/cluster-role-aggregation.ts';
import { CRON_JOB } from './cron-job/cron-job-controller.ts';
import { DAEMON_SET } from './daemon-set/daemon-set-controller.ts';
import { DEPLOYMENT } from './deployment/deployment-controller.ts';
import { DISRUPTION } from './disruption/disruption-controller.ts';
import { ENDPOINTS } from './endpoints/endpoints-controller.ts';
import { ENDPOINT_SLICE_MIRRORING } from './endpointslice-mirroring/endpointslice-mirroring-controller.ts';
import { ENDPOINT_SLICES } from './endpointslice/endpointslice-controller.ts';
import { EPHEMERAL_VOLUMES } from './ephemeral-volume/ephemeral-volume.ts';
import { GARBAGE_COLLECTOR } from './garbage-collector/garbage-collector.ts';
import { HORIZONTAL_POD_AUTOSCALER } from './horizontal-pod-autoscaler/horizontal-pod-autoscaler-controller.ts';
import { JOB } from './job/job-controller.ts';
import { LEGACY_TOKEN_CLEANER } from './legacy-token-cleaner/legacy-token-cleaner.ts';
import { LOAD_BALANCER } from './load-balancer/load-balancer-controller.ts';
import { NAMESPACES } from './namespace/namespace-controller.ts';
import { NODE_IPAM } from './node-ipam/node-ipam.ts';
import { NODE_LIFECYCLE } from './node-lifecycle/node-lifecycle-controller.ts';
import { NODE_TTL } from './node-ttl/node-ttl-controller.ts';
import { POD_GARBAGE_COLLECTOR } from './pod-garbage/pod-garbage-collector.ts';
import { POLICY_STATUS } from './policy-status/policy-status-controller.ts';
import { REPLICA_SET, REPLICATION_CONTROLLER } from './replica-set/replica-set-controller.ts';
import { RESOURCE_QUOTAS } from './resource-quota/resource-quota-controller.ts';
import { ROOT_CA_PUBLISHER } from './root-ca/root-ca-publisher.ts';
import { SERVICE_ACCOUNT_TOKENS } from './service-account-token/service-account-token.ts';
import { SERVICE_ACCOUNTS } from './service-account/service-account-controller.ts';
import { STATEFUL_SET } from './stateful-set/stateful-set-controller.ts';
import { STORAGE_VERSION_GC } from './storage-version-gc/storage-version-gc.ts';
import { TAINT_EVICTION } from './taint-eviction/taint-eviction-controller.ts';
import { TOKEN_CLEANER } from './token-cleaner/token-cleaner.ts';
import { TTL_AFTER_FINISHED } from './ttl-after-finished/ttl-after-finished-controller.ts';
import { VOLUME_BINDER } from './volume-binder/volume-binder.ts';
import { VOLUME_EXPANDER } from './volume-expander/volume-expander.ts';
import { CLAIM_PROTECTION, VOLUME_PROTECTION } from './volume-protection/volume-protection.ts';

export const CONTROLLERS: readonly Controller[] = [
  GARBAGE_COLLECTOR,
  NAMESPACES,
  NODE_LIFECYCLE,
  POD_GARBAGE_COLLECTOR,
  SERVICE_ACCOUNTS,
  SERVICE_ACCOUNT_TOKENS,
  ROOT_CA_PUBLISHER,
  RESOURCE_QUOTAS,
  VOLUME_BINDER,
  VOLUME_PROTECTION,
  CLAIM_PROTECTION,
  EPHEMERAL_VOLUMES,
  CLUSTER_ROLE_AGGREGATION,
  TAINT_EVICTION,
  NODE_TTL,
  ENDPOINTS,
  ENDPOINT_SLICES,
  ENDPOINT_SLICE_MIRRORING,
  REPLICATION_CONTROLLER,
  REPLICA_SET,
  DEPLOYMENT,
  DAEMON_SET,
  STATEFUL_SET,
  JOB,
  CRON_JOB,
  TTL_AFTER_FINISHED,
  DISRUPTION,
  HORIZONTAL_POD_AUTOSCALER,
  BOOTSTRAP_SIGNER,
  TOKEN_CLEANER,
  LOAD_BALANCER,
  NODE_IPAM,
  ATTACH_DETACH,
  VOLUME_EXPANDER,
  CERTIFICATE_SIGNING,
  CERTIFICATE_APPROVAL,
  CERTIFICATE_REQUEST_CLEANER,
  POLICY_STATUS,
  LEGACY_TOKEN_CLEANER,
  STORAGE_VERSION_GC,
];
