// Made by sim/cli/import-catalog.ts.
import { TYPES_ADMISSION_K8S_IO } from './types-admission-k8s-io.ts';
import { TYPES_ADMISSIONREGISTRATION_K8S_IO } from './types-admissionregistration-k8s-io.ts';
import { TYPES_APIDISCOVERY_K8S_IO } from './types-apidiscovery-k8s-io.ts';
import { TYPES_APIEXTENSIONS_K8S_IO } from './types-apiextensions-k8s-io.ts';
import { TYPES_APIREGISTRATION_K8S_IO } from './types-apiregistration-k8s-io.ts';
import { TYPES_APPS } from './types-apps.ts';
import { TYPES_AUTHENTICATION_K8S_IO } from './types-authentication-k8s-io.ts';
import { TYPES_AUTHORIZATION_K8S_IO } from './types-authorization-k8s-io.ts';
import { TYPES_AUTOSCALING } from './types-autoscaling.ts';
import { TYPES_BATCH } from './types-batch.ts';
import { TYPES_CERTIFICATES_K8S_IO } from './types-certificates-k8s-io.ts';
import { TYPES_COORDINATION_K8S_IO } from './types-coordination-k8s-io.ts';
import { TYPES_DISCOVERY_K8S_IO } from './types-discovery-k8s-io.ts';
import { TYPES_EVENTS_K8S_IO } from './types-events-k8s-io.ts';
import { TYPES_EXTENSIONS } from './types-extensions.ts';
import { TYPES_FLOWCONTROL_APISERVER_K8S_IO } from './types-flowcontrol-apiserver-k8s-io.ts';
import { TYPES_IMAGEPOLICY_K8S_IO } from './types-imagepolicy-k8s-io.ts';
import { TYPES_INTERNAL_APISERVER_K8S_IO } from './types-internal-apiserver-k8s-io.ts';
import { TYPES_META_K8S_IO } from './types-meta-k8s-io.ts';
import { TYPES_NETWORKING_K8S_IO } from './types-networking-k8s-io.ts';
import { TYPES_NODE_K8S_IO } from './types-node-k8s-io.ts';
import { TYPES_POLICY } from './types-policy.ts';
import { TYPES_RBAC_AUTHORIZATION_K8S_IO } from './types-rbac-authorization-k8s-io.ts';
import { TYPES_RESOURCE_K8S_IO } from './types-resource-k8s-io.ts';
import { TYPES_CORE } from './types-core.ts';
import { TYPES_SCHEDULING_K8S_IO } from './types-scheduling-k8s-io.ts';
import { TYPES_STORAGE_K8S_IO } from './types-storage-k8s-io.ts';
import { TYPES_STORAGEMIGRATION_K8S_IO } from './types-storagemigration-k8s-io.ts';

/** Type tables by API group. */
export const TYPE_TABLES: ReadonlyMap<string, string> = new Map([
  ['admission.k8s.io', TYPES_ADMISSION_K8S_IO],
  ['admissionregistration.k8s.io', TYPES_ADMISSIONREGISTRATION_K8S_IO],
  ['apidiscovery.k8s.io', TYPES_APIDISCOVERY_K8S_IO],
  ['apiextensions.k8s.io', TYPES_APIEXTENSIONS_K8S_IO],
  ['apiregistration.k8s.io', TYPES_APIREGISTRATION_K8S_IO],
  ['apps', TYPES_APPS],
  ['authentication.k8s.io', TYPES_AUTHENTICATION_K8S_IO],
  ['authorization.k8s.io', TYPES_AUTHORIZATION_K8S_IO],
  ['autoscaling', TYPES_AUTOSCALING],
  ['batch', TYPES_BATCH],
  ['certificates.k8s.io', TYPES_CERTIFICATES_K8S_IO],
  ['coordination.k8s.io', TYPES_COORDINATION_K8S_IO],
  ['discovery.k8s.io', TYPES_DISCOVERY_K8S_IO],
  ['events.k8s.io', TYPES_EVENTS_K8S_IO],
  ['extensions', TYPES_EXTENSIONS],
  ['flowcontrol.apiserver.k8s.io', TYPES_FLOWCONTROL_APISERVER_K8S_IO],
  ['imagepolicy.k8s.io', TYPES_IMAGEPOLICY_K8S_IO],
  ['internal.apiserver.k8s.io', TYPES_INTERNAL_APISERVER_K8S_IO],
  ['meta.k8s.io', TYPES_META_K8S_IO],
  ['networking.k8s.io', TYPES_NETWORKING_K8S_IO],
  ['node.k8s.io', TYPES_NODE_K8S_IO],
  ['policy', TYPES_POLICY],
  ['rbac.authorization.k8s.io', TYPES_RBAC_AUTHORIZATION_K8S_IO],
  ['resource.k8s.io', TYPES_RESOURCE_K8S_IO],
  ['', TYPES_CORE],
  ['scheduling.k8s.io', TYPES_SCHEDULING_K8S_IO],
  ['storage.k8s.io', TYPES_STORAGE_K8S_IO],
  ['storagemigration.k8s.io', TYPES_STORAGEMIGRATION_K8S_IO],
]);
