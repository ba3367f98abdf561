/**
 * Rules of a pod's spec, alone or in a template, in the server's order. What holds for pods only, or
 * for a workload only, is in the file of that kind.
 */
import { append } from '../../../../api/append.ts';
import { goStringSlice } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { PodSpec, PodTemplateSpec } from '../../../../api/types/core-v1.ts';
import {
  forbidden,
  ifOn,
  invalid,
  longerThan,
  notSupported,
  required,
  since,
  until,
} from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { checkedBy } from '../../../../api/validation/field-checks.ts';
import { appArmorMatchErrors } from './app-armor.ts';
import { podAnnotationErrors } from './pod-annotations.ts';
import { validateIp } from '../../../../api/validation/ip-address.ts';
import { validateAnnotations, validateLabels } from '../../../../api/validation/labels.ts';
import {
  dns1123Label,
  dns1123Subdomain,
  type NameFindings,
  qualifiedName,
  rangeFinding,
} from '../../../../api/validation/names.ts';
import { validateAffinity } from './validate-affinity.ts';
import { validateResourceClaims } from './validate-claims.ts';
import { validateContainers, validateHostNetwork } from './validate-containers.ts';
import { validateResources } from './validate-resources.ts';
import { validateGates, validateSpread, validateTolerations } from './validate-scheduling.ts';
import { validateOs, validatePodSecurityContext } from './validate-security.ts';
import { validateHostProcesses } from './validate-windows.ts';
import { validateVolumes } from './validate-volumes.ts';

const NONE: readonly FieldError[] = [];
const RESTART_POLICIES: readonly string[] = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
export const MAX_DEADLINE_SECONDS = 2_147_483_647;
const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_LENGTH = 2_048;

export function validatePodTemplate(
  template: PodTemplateSpec | undefined,
  path: FieldPath,
): readonly FieldError[] {
  const { metadata, spec } = template ?? {};
  const errors: FieldError[] = [
    ...validateLabels(metadata?.labels, path.child('labels')),
    ...validateAnnotations(metadata?.annotations, path.child('annotations')),
    ...podAnnotationErrors(metadata?.annotations, spec ?? { containers: [] }, path.child('annotations')),
    ...validatePodSpec(spec ?? { containers: [] }, path.child('spec')),
    ...appArmorMatchErrors(metadata?.annotations, spec ?? { containers: [] }, path.child('spec')),
  ];
  if ((spec?.ephemeralContainers?.length ?? 0) > 0) {
    errors.push(
      forbidden(
        path.child('spec', 'ephemeralContainers'),
        'ephemeral containers not allowed in pod template',
      ),
    );
  }
  return errors;
}

/** `podName`: of the pod itself; templates have none. */
export function validatePodSpec(spec: PodSpec, path: FieldPath, podName?: string): readonly FieldError[] {
  const { errors: ofVolumes, volumes } = validateVolumes(spec.volumes, path.child('volumes'), podName);
  return [
    ...ofVolumes,
    ...ifOn('DynamicResourceAllocation', validateResourceClaims(spec, path.child('resourceClaims'))),
    ...validateContainers(spec, volumes, path),
    ...validateHostNetwork(spec, path),
    ...choice(spec.restartPolicy ?? '', RESTART_POLICIES, path.child('restartPolicy')),
    ...choice(spec.dnsPolicy ?? '', DNS_POLICIES, path.child('dnsPolicy')),
    ...validateLabels(spec.nodeSelector, path.child('nodeSelector')),
    ...validatePodSecurityContext(spec, path.child('securityContext')),
    ...validateAffinity(spec.affinity, path.child('affinity')),
    ...validateDns(spec, path.child('dnsConfig')),
    ...validateReadinessGates(spec, path.child('readinessGates')),
    ...validateGates(spec.schedulingGates, path.child('schedulingGates')),
    ...validateSpread(spec.topologySpreadConstraints, path.child('topologySpreadConstraints')),
    ...since('1.33', validateHostUsers(spec, path)),
    ...validateHostProcesses(spec, path),
    ...named(spec.serviceAccountName, dns1123Subdomain, path.child('serviceAccountName')),
    ...named(spec.nodeName, dns1123Subdomain, path.child('nodeName')),
    ...validateDeadline(spec.activeDeadlineSeconds, path.child('activeDeadlineSeconds')),
    ...named(spec.hostname, dns1123Label, path.child('hostname')),
    ...hostnameOverrideErrors(spec, path.child('hostnameOverride')),
    ...named(spec.subdomain, dns1123Label, path.child('subdomain')),
    ...validateTolerations(spec.tolerations, path.child('tolerations')),
    ...validateHostAliases(spec, path.child('hostAliases')),
    ...named(spec.priorityClassName, dns1123Subdomain, path.child('priorityClassName')),
    ...(spec.runtimeClassName === undefined
      ? NONE
      : checkedBy(dns1123Subdomain, spec.runtimeClassName, path.child('runtimeClassName'))),
    ...(spec.preemptionPolicy === undefined
      ? NONE
      : choice(spec.preemptionPolicy, PREEMPTION_POLICIES, path.child('preemptionPolicy'))),
    ...(spec.overhead ? validateResources({ limits: spec.overhead }, path.child('overhead')) : NONE),
    ...validateOs(spec, path),
  ];
}

const MAX_HOSTNAME = 64;

/** A member of later releases. */
function hostnameOverrideErrors(spec: PodSpec, path: FieldPath): readonly FieldError[] {
  const name: unknown = Reflect.get(spec, 'hostnameOverride');
  if (typeof name !== 'string') return NONE;
  const errors: FieldError[] = [...checkedBy(dns1123Subdomain, name, path)];
  if (name.length > MAX_HOSTNAME) errors.push(longerThan(path, MAX_HOSTNAME));
  if (spec.setHostnameAsFQDN === true)
    errors.push(forbidden(path, 'may not be specified when setHostnameAsFQDN is true'));
  if (spec.hostNetwork === true)
    errors.push(forbidden(path, 'may not be specified when hostNetwork is true'));
  return errors;
}

/** With users of its own a pod shares little else with its node. */
const validateHostUsers = (spec: PodSpec, path: FieldPath): readonly FieldError[] =>
  spec.hostUsers === false
    ? HOST_PARTS.flatMap(([member, name]) =>
        spec[member] === true
          ? [
              ...until('1.34', [forbidden(path.child(name), 'when `pod.Spec.HostUsers` is false')]),
              ...since('1.34', [forbidden(path.child(name), 'when `hostUsers` is false')]),
            ]
          : NONE,
      )
    : NONE;

/** As the server calls them. */
const HOST_PARTS = [
  ['hostNetwork', 'hostNetwork'],
  ['hostPID', 'HostPID'],
  ['hostIPC', 'HostIPC'],
] as const;

function choice(value: string, values: readonly string[], path: FieldPath): readonly FieldError[] {
  if (value === '') return [required(path)];
  return values.includes(value) ? NONE : [notSupported(path, value, values)];
}

function named(
  name: string | undefined,
  check: (name: string) => NameFindings,
  path: FieldPath,
): readonly FieldError[] {
  return name ? check(name).map((finding) => invalid(path, name, finding)) : NONE;
}

function validateDeadline(seconds: number | undefined, path: FieldPath): readonly FieldError[] {
  if (seconds === undefined || (seconds >= 1 && seconds <= MAX_DEADLINE_SECONDS)) return NONE;
  return [invalid(path, seconds, rangeFinding(1, MAX_DEADLINE_SECONDS))];
}

function validateDns({ dnsPolicy, dnsConfig }: PodSpec, path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  if (dnsPolicy === 'None') {
    if (!dnsConfig) return [required(path, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if (nameservers.length === 0) {
      const why = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
      return [required(path.child('nameservers'), why)];
    }
  }
  if (nameservers.length > MAX_NAMESERVERS) {
    const why = `must not have more than ${MAX_NAMESERVERS} nameservers`;
    errors.push(invalid(path.child('nameservers'), goStringSlice(nameservers), why));
  }
  nameservers.forEach((address, at) => {
    const own = path.child('nameservers').index(at);
    const wrong = validateIp(address, own);
    append(errors, since('1.30', wrong));
    if (wrong.length > 0) append(errors, until('1.30', [invalid(own, address, 'must be valid IP address')]));
  });
  if (searches.length > MAX_SEARCHES) {
    const why = `must not have more than ${MAX_SEARCHES} search paths`;
    errors.push(invalid(path.child('searches'), goStringSlice(searches), why));
  }
  const length = searches.join(' ').length;
  if (length > MAX_SEARCH_LENGTH) {
    const why = `must not have more than ${MAX_SEARCH_LENGTH} characters (including spaces) in the search list`;
    errors.push(invalid(path.child('searches'), goStringSlice(searches), why));
  }
  searches.forEach((search, at) => {
    const name = search.endsWith('.') ? search.slice(0, -1) : search;
    for (const finding of dns1123Subdomain(name))
      errors.push(invalid(path.child('searches').index(at), name, finding));
  });
  options.forEach(({ name }, at) => {
    if (!name) errors.push(required(path.child('options').index(at), 'must not be empty'));
  });
  return errors;
}

function validateReadinessGates({ readinessGates }: PodSpec, path: FieldPath): readonly FieldError[] {
  return (readinessGates ?? []).flatMap(({ conditionType }, at) =>
    qualifiedName(conditionType).map((finding) =>
      invalid(path.index(at).child('conditionType'), conditionType, finding),
    ),
  );
}

function validateHostAliases({ hostAliases }: PodSpec, path: FieldPath): readonly FieldError[] {
  return (hostAliases ?? []).flatMap(({ ip = '', hostnames }, at) => {
    const own = path.index(at);
    const wrong = validateIp(ip, own.child('ip'));
    const errors: FieldError[] = [...since('1.30', wrong)];
    if (wrong.length > 0)
      append(errors, until('1.30', [invalid(path.child('ip'), ip, 'must be valid IP address')]));
    hostnames?.forEach((name, index) => {
      for (const finding of dns1123Subdomain(name)) {
        append(errors, since('1.30', [invalid(own.child('hostnames').index(index), name, finding)]));
        append(errors, until('1.30', [invalid(path.child('hostnames'), name, finding)]));
      }
    });
    return errors;
  });
}
