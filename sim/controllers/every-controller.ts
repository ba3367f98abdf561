/** All controllers that there are, in the order in which a manager starts them. */
import type { Controller } from './manager/controller.ts';
import { CLUSTER_ROLE_AGGREGATION } from './cluster-role-aggregation/cluster-role-aggregation.ts';
import { ENDPOINTS } from './endpoints/endpoints-controller.ts';
import { ENDPOINT_SLICES } from './endpointslice/endpointslice-controller.ts';
import { ENDPOINT_SLICE_MIRRORING } from './endpointslice-mirroring/endpointslice-mirroring-controller.ts';
import { GARBAGE_COLLECTOR } from './garbage-collector/garbage-collector.ts';
import { NAMESPACES } from './namespace/namespace-controller.ts';
import { NODE_LIFECYCLE } from './node-lifecycle/node-lifecycle-controller.ts';
import { NODE_TTL } from './node-ttl/node-ttl-controller.ts';
import { POD_GARBAGE_COLLECTOR } from './pod-garbage/pod-garbage-collector.ts';
import { ROOT_CA_PUBLISHER } from './root-ca/root-ca-publisher.ts';
import { SERVICE_ACCOUNT_TOKENS } from './service-account-token/service-account-token.ts';
import { SERVICE_ACCOUNTS } from './service-account/service-account-controller.ts';
import { TAINT_EVICTION } from './taint-eviction/taint-eviction-controller.ts';

export const CONTROLLERS: readonly Controller[] = [
  GARBAGE_COLLECTOR,
  NAMESPACES,
  NODE_LIFECYCLE,
  POD_GARBAGE_COLLECTOR,
  SERVICE_ACCOUNTS,
  SERVICE_ACCOUNT_TOKENS,
  ROOT_CA_PUBLISHER,
  CLUSTER_ROLE_AGGREGATION,
  TAINT_EVICTION,
  NODE_TTL,
  ENDPOINTS,
  ENDPOINT_SLICES,
  ENDPOINT_SLICE_MIRRORING,
];
