/**
 * Service: a stable address before changing pods. Addresses and node ports are allocated on the way
 * in (`service-addresses.ts`); a change of type gives up what the new type does not need, unless the
 * request names it.
 */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { Service, ServiceSpec } from '../../../../api/types/core-v1.ts';
import { nameIsDns1035Label, nameIsDnsLabel } from '../../../../api/validation/names.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { keepMember } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import { serviceProxy } from '../../../endpoints/proxy.ts';
import type { Draft, HookContext } from '../../strategy.ts';
import {
  allocateAddresses,
  prepareAddresses,
  reallocateAddresses,
  refuseRepeatedPorts,
} from './service-addresses.ts';
import { serviceRow } from './service-row.ts';
import {
  isExternallyAccessible,
  mayHaveClusterIp,
  mayHaveNodePorts,
  needsClusterIp,
  needsHealthCheckPort,
} from './service-traits.ts';
import { addressWarnings } from './service-address-warnings.ts';
import { serviceErrors, serviceUpdateErrors } from './service-validation.ts';
import { loadBalancerStatusErrors } from './load-balancer-status.ts';

const AFFINITY_TIMEOUT_SECONDS = 10_800;

type Allocation = (draft: Draft<Service>, old: Service | undefined, context: HookContext) => void;

/** Whoever writes the status of a Service that does not exist makes one that is given nothing. */
const isAllocated = ({ subresource }: HookContext): boolean => subresource === '';

const whereAllocated =
  (allocation: Allocation): Allocation =>
  (draft, old, context) => {
    if (old || isAllocated(context)) allocation(draft, old, context);
  };

export const serviceKind = defineKind<Service>({
  resource: 'services',
  storageDirectory: 'services/specs',
  endpoints: { proxy: serviceProxy },
  strategy: {
    nameCheck: nameIsDns1035Label,
    laterNameCheck: { since: '1.36', check: nameIsDnsLabel },
    metadataChecks: ['change', 'object'],
    laterChecks: [['1.34', ['change']]],
    allowsCreateOnUpdate: true,
    returnsDeletedObject: true,
    defaults: setDefaults,
    prepareForCreate: (draft, context) => {
      if (!knowsDistribution(context)) delete draft.spec?.trafficDistribution;
      draft.status = { loadBalancer: {} };
      if (isAllocated(context)) prepareAddresses(draft, undefined, context);
    },
    validate: serviceErrors,
    prepareForUpdate: (draft, old, context) => {
      keepMember(draft, old, 'status');
      if (!knowsDistribution(context) && old.spec?.trafficDistribution === undefined)
        delete draft.spec?.trafficDistribution;
      keepAllocated(draft.spec ?? {}, old.spec ?? {});
      if (mayHaveNodePorts(draft.spec ?? {})) refuseRepeatedPorts(draft.spec ?? {});
      dropWhatTypeDoesNotNeed(draft.spec ?? {}, old.spec ?? {});
      // Nobody balances its load any more.
      if (old.spec?.type === 'LoadBalancer' && draft.spec?.type !== 'LoadBalancer')
        draft.status = { ...draft.status, loadBalancer: {} };
      prepareAddresses(draft, old, context);
    },
    validateUpdate: (object, old) => [...serviceUpdateErrors(object, old), ...serviceErrors(object)],
    allocate: whereAllocated(allocateAddresses),
    reallocate: whereAllocated(reallocateAddresses),
    // What was set for another type is still there when others admit it.
    leaveOut: ({ spec }) => {
      if (spec?.type === 'ExternalName') delete spec.internalTrafficPolicy;
    },
    resetFields: [['status']],
    warningsOnCreate: serviceWarnings,
    warningsOnUpdate: (object, _old, context) => serviceWarnings(object, context),
    subresources: {
      status: {
        prepareForUpdate: (draft, old) => keepMember(draft, old, 'spec'),
        validateUpdate: (object): readonly FieldError[] => loadBalancerStatusErrors(object),
        resetFields: [['spec']],
      },
    },
    selectableFields: ({ spec = {} }) => ({
      'spec.clusterIP': spec.clusterIP ?? '',
      'spec.type': spec.type ?? '',
    }),
    tableRow: serviceRow,
  },
});

type DraftSpec = Draft<ServiceSpec>;

function setDefaults(draft: Draft<Service>): void {
  const spec = (draft.spec ??= {});
  spec.sessionAffinity ||= 'None';
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP') {
    const config = (spec.sessionAffinityConfig ??= {});
    (config.clientIP ??= {}).timeoutSeconds ??= AFFINITY_TIMEOUT_SECONDS;
  }
  spec.type ||= 'ClusterIP';
  for (const port of spec.ports ?? []) {
    port.protocol ||= 'TCP';
    port.targetPort ||= port.port;
  }
  if (isExternallyAccessible(spec)) spec.externalTrafficPolicy ||= 'Cluster';
  if (needsClusterIp(spec)) spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type !== 'LoadBalancer') return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of draft.status?.loadBalancer?.ingress ?? []) if (ingress.ip) ingress.ipMode ??= 'VIP';
}

/** What the server chose stays if the request is silent about it. */
function keepAllocated(spec: DraftSpec, old: ServiceSpec): void {
  if (mayHaveClusterIp(old) && mayHaveClusterIp(spec)) {
    if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP;
    if (!spec.clusterIPs?.length && spec.clusterIP === old.clusterIP && old.clusterIPs)
      spec.clusterIPs = [...old.clusterIPs];
  }
  if (mayHaveNodePorts(old) && mayHaveNodePorts(spec)) keepNodePorts(spec, old);
  if (
    needsHealthCheckPort(old) &&
    needsHealthCheckPort(spec) &&
    !spec.healthCheckNodePort &&
    old.healthCheckNodePort
  ) {
    spec.healthCheckNodePort = old.healthCheckNodePort;
  }
}

/** By name, whatever else has changed; what one port asks for itself no other is given. */
function keepNodePorts(spec: DraftSpec, old: ServiceSpec): void {
  const before = new Map((old.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]));
  const asked = new Set((spec.ports ?? []).map(({ nodePort }) => nodePort ?? 0));
  for (const port of spec.ports ?? []) {
    const kept = before.get(port.name ?? '') ?? 0;
    if (!port.nodePort && kept !== 0 && !asked.has(kept)) port.nodePort = kept;
  }
}

function dropWhatTypeDoesNotNeed(spec: DraftSpec, old: ServiceSpec): void {
  const isSame = (...members: readonly (keyof ServiceSpec)[]): boolean =>
    members.every((member) => isEqualJson(spec[member], old[member]));
  if (mayHaveClusterIp(old) && !mayHaveClusterIp(spec)) {
    if (isSame('clusterIP', 'clusterIPs')) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (isSame('ipFamilies')) delete spec.ipFamilies;
    if (isSame('ipFamilyPolicy')) delete spec.ipFamilyPolicy;
  }
  if (mayHaveNodePorts(old) && !mayHaveNodePorts(spec) && hasSameNodePorts(spec, old)) {
    for (const port of spec.ports ?? []) delete port.nodePort;
  }
  if (needsHealthCheckPort(old) && !needsHealthCheckPort(spec) && isSame('healthCheckNodePort'))
    delete spec.healthCheckNodePort;
  if (old.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    if (isSame('allocateLoadBalancerNodePorts')) delete spec.allocateLoadBalancerNodePorts;
    if (isSame('loadBalancerClass')) delete spec.loadBalancerClass;
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(spec) && isSame('externalTrafficPolicy'))
    delete spec.externalTrafficPolicy;
}

/** No node port was named that was not there before. */
function hasSameNodePorts(spec: DraftSpec, old: ServiceSpec): boolean {
  const before = new Set((old.ports ?? []).map(({ nodePort }) => nodePort ?? 0));
  return (spec.ports ?? []).every(({ nodePort }) => !nodePort || before.has(nodePort));
}

const knowsDistribution = (context: HookContext): boolean =>
  context.isFeatureEnabled('ServiceTrafficDistribution');

function serviceWarnings({ metadata, spec = {} }: Service, context: HookContext): string[] {
  const warnings: string[] = [];
  if (metadata.annotations?.['service.kubernetes.io/topology-aware-hints'] !== undefined) {
    warnings.push(
      'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
    );
  }
  if (spec.externalIPs?.length && context.isReleasedBy('1.36'))
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  append(warnings, addressWarnings(spec, context));
  if (spec.type === 'ExternalName' && spec.externalIPs?.length)
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (spec.type !== 'ExternalName' && spec.externalName) {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  return warnings;
}
