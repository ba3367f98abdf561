/** Writes through `pods/status`: what a node agent reports of a pod. */
import { append } from '../../../../api/append.ts';
import { goStruct, GoSyntax } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { ContainerStatus, Pod, PodSpec, PodStatus } from '../../../../api/types/core-v1.ts';
import { duplicate, forbidden, invalid } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { parseIp, validateIp } from '../../../../api/validation/ip-address.ts';
import { dns1123Subdomain, qualifiedName } from '../../../../api/validation/names.ts';
import type { Draft } from '../../strategy.ts';
import { validateAllocatedResources } from './allocated-resources-status.ts';
import { validateContainerUsers } from './container-users.ts';

const NONE: readonly FieldError[] = [];
const STATUS = FieldPath.of('status');

/** `podIP` is the first of `podIPs`, and wins where they differ. */
export function alignPodIps(status: Draft<PodStatus>): void {
  const { podIP } = status;
  if (podIP && status.podIPs?.[0]?.ip !== podIP) status.podIPs = [{ ip: podIP }];
  const first = status.podIPs?.[0]?.ip;
  if (first) status.podIP = first;
}

export function validatePodStatus({ spec, status = {} }: Pod, old: Pod): readonly FieldError[] {
  const errors = [...validateConditionTypes(status.conditions ?? NO_CONDITIONS)];
  const { nominatedNodeName: name } = status;
  if (name) {
    for (const finding of dns1123Subdomain(name))
      errors.push(invalid(STATUS.child('nominatedNodeName'), name, finding));
  }
  const policy = old.spec?.restartPolicy;
  for (const list of ['containerStatuses', 'initContainerStatuses'] as const) {
    const before = old.status?.[list] ?? [];
    const keepsRunning = (own: ContainerStatus): boolean =>
      list === 'initContainerStatuses' &&
      (spec?.initContainers?.some(
        (container) => container.name === own.name && container.restartPolicy === 'Always',
      ) ??
        false);
    append(errors, validateTransitions(status[list] ?? [], before, policy, STATUS.child(list), keepsRunning));
  }
  append(errors, validateClaimStatuses(status.resourceClaimStatuses ?? [], spec));
  return [
    ...errors,
    ...validatePodIps(status),
    ...validateHostIps(status),
    ...validateContainerUsers(status, 'containerStatuses', spec?.os),
    ...validateContainerUsers(status, 'initContainerStatuses', spec?.os),
    ...validateContainerUsers(status, 'ephemeralContainerStatuses', spec?.os),
    ...validateAllocatedResources(status, spec),
  ];
}

/** In the server's order; what is wrong with a claim's own name is told of the status's name. */
function validateClaimStatuses(
  statuses: NonNullable<PodStatus['resourceClaimStatuses']>,
  spec: PodSpec | undefined,
): readonly FieldError[] {
  const path = STATUS.child('resourceClaimStatuses');
  const seen = new Set<string>();
  return statuses.flatMap(({ name, resourceClaimName }, at) => {
    const own = path.index(at).child('name');
    const errors: FieldError[] = [];
    if (!spec?.resourceClaims?.some((claim) => claim.name === name))
      errors.push(invalid(own, name, 'must match the name of an entry in `spec.resourceClaims`'));
    if (seen.has(name)) errors.push(duplicate(own, name));
    seen.add(name);
    for (const finding of resourceClaimName === undefined ? [] : dns1123Subdomain(resourceClaimName))
      errors.push(invalid(own, resourceClaimName ?? '', finding));
    return errors;
  });
}

const NO_CONDITIONS: NonNullable<PodStatus['conditions']> = [];
const CONDITIONS = FieldPath.of('metadata').child('conditions');
/** Words of the system's own, which need no look. */
const KNOWN_TYPES: ReadonlySet<string> = new Set([
  ...['PodScheduled', 'Ready', 'Initialized', 'ContainersReady', 'DisruptionTarget'],
  'PodReadyToStartContainers',
]);

/** The server says `metadata` where it means the status. */
function validateConditionTypes(conditions: NonNullable<PodStatus['conditions']>): readonly FieldError[] {
  return conditions.flatMap(({ type }, at) =>
    KNOWN_TYPES.has(type)
      ? NONE
      : qualifiedName(type).map((finding) => invalid(CONDITIONS.index(at).child('Type'), type, finding)),
  );
}

/** A container that may not start again stays ended. */
function validateTransitions(
  now: readonly ContainerStatus[],
  before: readonly ContainerStatus[],
  restartPolicy: string | undefined,
  path: FieldPath,
  isExempt: (status: ContainerStatus) => boolean,
): readonly FieldError[] {
  if (restartPolicy === 'Always') return NONE;
  return before.flatMap((old, at) => {
    const { terminated } = old.state ?? {};
    if (!terminated || isExempt(old) || (terminated.exitCode !== 0 && restartPolicy === 'OnFailure'))
      return NONE;
    const present = now.find(({ name }) => name === old.name);
    if (!present || present.state?.terminated) return NONE;
    return [forbidden(path.index(at).child('state'), 'may not be transitioned to non-terminated state')];
  });
}

interface Address {
  readonly ip?: string;
}

function validatePodIps({ podIPs = [] }: PodStatus): readonly FieldError[] {
  const path = STATUS.child('podIPs');
  return [
    ...addressErrors(podIPs, path),
    ...familyErrors(podIPs, path, 'core.PodIP'),
    ...duplicateErrors(podIPs, path, 'core.PodIP'),
  ];
}

function validateHostIps({ hostIP = '', hostIPs }: PodStatus): readonly FieldError[] {
  if (!hostIPs || hostIPs.length === 0) return NONE;
  const path = STATUS.child('hostIPs');
  const first = hostIPs[0]?.ip ?? '';
  const isOdd = first !== hostIP;
  return [
    ...(isOdd ? [invalid(path.index(0).child('ip'), first, 'must be equal to `hostIP`')] : NONE),
    ...addressErrors(hostIPs, path),
    ...duplicateErrors(hostIPs, path, 'core.HostIP'),
    ...familyErrors(hostIPs, path, 'core.HostIP'),
  ];
}

const addressErrors = (list: readonly Address[], path: FieldPath): readonly FieldError[] =>
  list.flatMap(({ ip = '' }, at) => validateIp(ip, path.index(at)));

const shownAddress = (goType: string, { ip = '' }: Address): GoSyntax => goStruct(goType, [['IP', ip]]);

/** Two of them have to be of two families. */
function familyErrors(list: readonly Address[], path: FieldPath, goType: string): readonly FieldError[] {
  if (list.length <= 1) return NONE;
  const errors: FieldError[] = [];
  const wrong = list.findIndex(({ ip = '' }) => !parseIp(ip));
  if (wrong >= 0) {
    const why = `invalid IP[${wrong}]: ${list[wrong]?.ip ?? ''}`;
    const message = `Internal error: failed to check for dual stack with error:${why}`;
    errors.push({ reason: 'InternalError', field: path.text, message });
  }
  const families = list.map(({ ip = '' }) => parseIp(ip)?.family).filter((family) => family !== undefined);
  if (list.length === 2 && new Set(families).size === list.length) return errors;
  const shown = list.map((each) => shownAddress(goType, each));
  const all = new GoSyntax(
    `[]${goType}{${shown.map(({ text }) => text).join(', ')}}`,
    () => `[${shown.map(({ json }) => json).join(',')}]`,
  );
  return [...errors, invalid(path, all, 'may specify no more than one IP for each IP family')];
}

function duplicateErrors(list: readonly Address[], path: FieldPath, goType: string): readonly FieldError[] {
  const seen = new Set<string>();
  return list.flatMap((each, at) => {
    const { ip = '' } = each;
    if (seen.has(ip)) return [duplicate(path.index(at), shownAddress(goType, each))];
    seen.add(ip);
    return NONE;
  });
}
