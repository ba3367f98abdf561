/** Rules of security contexts, of pods and of containers. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  AppArmorProfile,
  PodSecurityContext,
  PodSpec,
  SeccompProfile,
  SecurityContext,
} from '../../../../api/types/core-v1.ts';
import { goLength } from '../../../../api/go-text.ts';
import {
  duplicate,
  forbidden,
  invalid,
  longerThan,
  notSupported,
  required,
  since,
} from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { rangeFinding } from '../../../../api/validation/names.ts';
import { goValue } from '../go-value.ts';
import { containersByPlace, validateWindowsOptions, validateWindowsPod } from './validate-windows.ts';
import { validateDescendingPath } from './validate-paths.ts';

const NONE: readonly FieldError[] = [];
const MAX_ID = 2_147_483_647;
const PROFILE_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const FS_GROUP_POLICIES = ['Always', 'OnRootMismatch'];
const GROUPS_POLICIES = ['Merge', 'Strict'];
const SYSCTL = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';
const SYSCTL_REGEX = new RegExp(SYSCTL);
const MAX_SYSCTL = 253;

export function validateId(id: number | undefined, path: FieldPath): readonly FieldError[] {
  return id === undefined || (id >= 0 && id <= MAX_ID) ? NONE : [invalid(path, id, rangeFinding(0, MAX_ID))];
}

export function validatePodSecurityContext(spec: PodSpec, path: FieldPath): readonly FieldError[] {
  const { securityContext: context } = spec;
  const errors: FieldError[] = [];
  if (context) {
    append(errors, validateId(context.fsGroup, path.child('fsGroup')));
    append(errors, validateId(context.runAsUser, path.child('runAsUser')));
    append(errors, validateId(context.runAsGroup, path.child('runAsGroup')));
    context.supplementalGroups?.forEach((id, at) => {
      append(errors, validateId(id, path.child('supplementalGroups').index(at)));
    });
  }
  if (spec.hostPID && spec.shareProcessNamespace) {
    const why = 'ShareProcessNamespace and HostPID cannot both be enabled';
    errors.push(invalid(path.child('shareProcessNamespace'), true, why));
  }
  if (context) append(errors, validatePodProfiles(spec, context, path));
  return errors;
}

function validatePodProfiles(
  spec: PodSpec,
  context: PodSecurityContext,
  path: FieldPath,
): readonly FieldError[] {
  const { fsGroupChangePolicy } = context;
  const errors = [...validateSysctls(spec, context, path.child('sysctls'))];
  if (fsGroupChangePolicy !== undefined && !FS_GROUP_POLICIES.includes(fsGroupChangePolicy)) {
    errors.push(notSupported(path.child('fsGroupChangePolicy'), fsGroupChangePolicy, FS_GROUP_POLICIES));
  }
  const { supplementalGroupsPolicy: groups } = context;
  if (groups !== undefined && !GROUPS_POLICIES.includes(groups)) {
    const own = path.child('supplementalGroupsPolicy');
    append(errors, since('1.33', [notSupported(own, groups, GROUPS_POLICIES)]));
  }
  append(errors, validateSeccomp(context.seccompProfile, path.child('seccompProfile')));
  append(errors, validateWindowsOptions(context.windowsOptions, path.child('windowsOptions')));
  append(errors, validateAppArmor(context.appArmorProfile, path.child('appArmorProfile')));
  append(errors, since('1.33', relabelingErrors(context, path.child('seLinuxChangePolicy'))));
  return errors;
}

/** Another one than file by file takes a feature that is off. */
function relabelingErrors(context: PodSecurityContext, path: FieldPath): readonly FieldError[] {
  const policy: unknown = Reflect.get(context, 'seLinuxChangePolicy');
  if (typeof policy !== 'string' || policy === 'Recursive') return NONE;
  return [notSupported(path, policy, ['Recursive'])];
}

/** What belongs to the host if the pod shares that part of it. */
const HOST_SYSCTLS = [
  ['hostNetwork', /^net[./]/],
  ['hostIPC', /^(?:kernel[./](?:shm|msg|sem)|fs[./]mqueue[./])/],
] as const;

function validateSysctls(
  spec: PodSpec,
  { sysctls }: PodSecurityContext,
  path: FieldPath,
): readonly FieldError[] {
  if (!sysctls) return NONE;
  const seen = new Set<string>();
  return sysctls.flatMap(({ name }, at) => {
    const own = path.index(at).child('name');
    if (!name) return [required(own)];
    if (name.length > MAX_SYSCTL || !SYSCTL_REGEX.test(name)) {
      return [invalid(own, name, `must have at most ${MAX_SYSCTL} characters and match regex ${SYSCTL}`)];
    }
    if (seen.has(name)) return [duplicate(own, name)];
    seen.add(name);
    const shared = HOST_SYSCTLS.find(([flag, pattern]) => spec[flag] === true && pattern.test(name));
    return shared ? [invalid(own, name, `may not be specified when '${shared[0]}' is true`)] : NONE;
  });
}

function validateSeccomp(profile: SeccompProfile | undefined, path: FieldPath): readonly FieldError[] {
  if (!profile) return NONE;
  const { type, localhostProfile } = profile;
  const errors: FieldError[] = [];
  if (!type) errors.push(required(path.child('type'), 'type is required when seccompProfile is set'));
  else if (!PROFILE_TYPES.includes(type)) errors.push(notSupported(path.child('type'), type, PROFILE_TYPES));
  const own = path.child('localhostProfile');
  if (type === 'Localhost') {
    if (localhostProfile === undefined)
      errors.push(required(own, 'must be set when seccomp type is Localhost'));
    else append(errors, validateDescendingPath(localhostProfile, own));
  } else if (localhostProfile !== undefined) {
    const shown = goValue('v1.SeccompProfile', profile);
    errors.push(invalid(own, shown, 'can only be set when seccomp type is Localhost'));
  }
  return errors;
}

const MAX_PROFILE = 4095;

function validateAppArmorName(name: string | undefined, path: FieldPath): readonly FieldError[] {
  if (name === undefined || name.trim() === '')
    return [required(path, 'must be set when AppArmor type is Localhost')];
  if (name.trim() !== name) return [invalid(path, name, 'must not be padded with whitespace')];
  return goLength(name) <= MAX_PROFILE ? NONE : [longerThan(path, MAX_PROFILE)];
}

function validateAppArmor(profile: AppArmorProfile | undefined, path: FieldPath): readonly FieldError[] {
  if (!profile) return NONE;
  const { type, localhostProfile } = profile;
  const own = path.child('localhostProfile');
  if (type === 'Localhost') return validateAppArmorName(localhostProfile, own);
  if (!type) return [required(path.child('type'), 'type is required when appArmorProfile is set')];
  if (!PROFILE_TYPES.includes(type)) return [notSupported(path.child('type'), type, PROFILE_TYPES)];
  return localhostProfile === undefined
    ? NONE
    : [invalid(own, localhostProfile, 'can only be set when AppArmor type is Localhost')];
}

export function validateSecurityContext(
  context: SecurityContext | undefined,
  path: FieldPath,
  { hostUsers }: Pick<PodSpec, 'hostUsers'> = {},
): readonly FieldError[] {
  if (!context) return NONE;
  const errors: FieldError[] = [];
  if (context.privileged === true)
    errors.push(forbidden(path.child('privileged'), 'disallowed by cluster policy'));
  append(errors, validateId(context.runAsUser, path.child('runAsUser')));
  append(errors, validateId(context.runAsGroup, path.child('runAsGroup')));
  append(errors, validateProcMount(context.procMount, path.child('procMount'), hostUsers));
  append(errors, validateSeccomp(context.seccompProfile, path.child('seccompProfile')));
  append(errors, validateEscalation(context, path));
  append(errors, validateWindowsOptions(context.windowsOptions, path.child('windowsOptions')));
  append(errors, validateAppArmor(context.appArmorProfile, path.child('appArmorProfile')));
  return errors;
}

const PROC_MOUNTS = ['Default', 'Unmasked'];

/** Who sees all of `/proc` has users of its own. */
function validateProcMount(
  mount: string | undefined,
  path: FieldPath,
  hostUsers: boolean | undefined,
): readonly FieldError[] {
  if (mount === undefined) return NONE;
  if (!PROC_MOUNTS.includes(mount)) return since('1.33', [notSupported(path, mount, PROC_MOUNTS)]);
  if (mount === 'Default' || hostUsers === false) return NONE;
  return since('1.33', [invalid(path, mount, '`hostUsers` must be false to use `Unmasked`')]);
}

const ADMIN_CAPABILITIES = ['CAP_SYS_ADMIN'];

function validateEscalation(context: SecurityContext, path: FieldPath): readonly FieldError[] {
  if (context.allowPrivilegeEscalation !== false) return NONE;
  const errors: FieldError[] = [];
  const value = goValue('v1.SecurityContext', context);
  if (context.privileged === true) {
    errors.push(
      invalid(path, value, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'),
    );
  }
  if (context.capabilities?.add?.some((name) => ADMIN_CAPABILITIES.includes(name))) {
    const why = 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN';
    errors.push(invalid(path, value, why));
  }
  return errors;
}

const OS_NAMES = ['linux', 'windows'];
const LINUX_POD = 'windows options cannot be set for a linux pod';

/** Settings that the named operating system does not have. */
export function validateOs(spec: PodSpec, path: FieldPath): readonly FieldError[] {
  const { os, securityContext } = spec;
  if (!os) return NONE;
  const own = path.child('os');
  if (!os.name) return [required(own.child('name'), 'cannot be empty')];
  if (!OS_NAMES.includes(os.name)) return [notSupported(own, os.name, OS_NAMES)];
  if (os.name === 'windows') return validateWindowsPod(spec, path);
  const errors: FieldError[] = [];
  if (securityContext?.windowsOptions) {
    errors.push(forbidden(path.child('securityContext', 'windowsOptions'), LINUX_POD));
  }
  for (const [list, at, container] of containersByPlace(spec)) {
    if (!container?.windowsOptions) continue;
    errors.push(forbidden(path.child(list).index(at).child('securityContext', 'windowsOptions'), LINUX_POD));
  }
  return errors;
}
