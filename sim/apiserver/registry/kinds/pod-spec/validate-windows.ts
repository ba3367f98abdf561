/** Rules of pods for Windows: their options, and what of a pod's settings there is none of. */
import { append } from '../../../../api/append.ts';
import { goLength } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { PodSpec, SecurityContext } from '../../../../api/types/core-v1.ts';
import { checkedBy } from '../../../../api/validation/field-checks.ts';
import { forbidden, invalid } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Subdomain } from '../../../../api/validation/names.ts';

type Errors = readonly FieldError[];
type Options = NonNullable<SecurityContext['windowsOptions']>;

const NONE: Errors = [];
const MAX_SPEC_BYTES = 64 * 1024;

export function validateWindowsOptions(options: Options | undefined, path: FieldPath): Errors {
  if (!options) return NONE;
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: text, runAsUserName: user } = options;
  const errors: FieldError[] = [];
  if (name !== undefined)
    append(errors, checkedBy(dns1123Subdomain, name, path.child('gmsaCredentialSpecName')));
  if (text !== undefined) {
    const own = path.child('gmsaCredentialSpec');
    if (text === '') errors.push(invalid(own, text, 'gmsaCredentialSpec cannot be an empty string'));
    else if (goLength(text) > MAX_SPEC_BYTES)
      errors.push(invalid(own, text, `gmsaCredentialSpec size must be under ${MAX_SPEC_BYTES / 1024} KiB`));
  }
  if (user === undefined) return errors;
  const own = path.child('runAsUserName');
  return [...errors, ...userFindings(user).map((finding) => invalid(own, user, `runAsUserName${finding}`))];
}

const MAX_DOMAIN = 256;
const MAX_USER = 104;
const NET_BIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS =
  /^([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(\.([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*\.?$/;
const ODD_CHARACTERS = '"/\\:;|=,+*?<>@[]';
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f]/;

function userFindings(name: string): readonly string[] {
  if (name === '') return [' cannot be an empty string'];
  if (CONTROLS.test(name)) return [' cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return [' cannot contain more than one backslash'];
  const domain = parts.length === 2 ? (parts[0] ?? '') : undefined;
  const user = parts.at(-1) ?? '';
  const findings: string[] = [];
  if (domain !== undefined) {
    if (domain.length >= MAX_DOMAIN) findings.push(`'s Domain length must be under ${MAX_DOMAIN} characters`);
    if (!NET_BIOS.test(domain) && !DNS.test(domain))
      findings.push("'s Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === '') findings.push("'s User cannot be empty");
  else if (user.length > MAX_USER)
    findings.push(`'s User length must not be longer than ${MAX_USER} characters`);
  if (user !== '' && /^[. ]+$/.test(user)) findings.push("'s User cannot contain only periods or spaces");
  if ([...user].some((character) => ODD_CHARACTERS.includes(character)))
    findings.push(`'s User cannot contain the following characters: ${ODD_CHARACTERS}`);
  return findings;
}

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

export function* containersByPlace(
  spec: PodSpec,
): Generator<readonly [list: string, at: number, context: SecurityContext | undefined]> {
  for (const list of LISTS) {
    for (const [at, container] of (spec[list] ?? []).entries()) yield [list, at, container.securityContext];
  }
}

/** Containers that are processes of the host: all of a pod or none, on its network, and where policy allows. */
export function validateHostProcesses(spec: PodSpec, path: FieldPath): Errors {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const errors: FieldError[] = [];
  let count = 0;
  let hosted = 0;
  for (const [list, at, context] of containersByPlace(spec)) {
    count += 1;
    const own = context?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && own !== undefined && own !== ofPod) {
      const place = path.child(list).index(at).child('securityContext', 'windowsOptions', 'hostProcess');
      const why = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      errors.push(invalid(place, own, why));
    }
    if (own ?? ofPod) hosted += 1;
  }
  if (hosted === 0) return errors;
  if (hosted !== count) {
    const why =
      'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    errors.push(invalid(path, '', why));
  }
  if (!spec.hostNetwork) {
    const why = 'hostNetwork must be true if pod contains any hostProcess containers';
    errors.push(invalid(path.child('hostNetwork'), false, why));
  }
  return [...errors, forbidden(path, 'hostProcess containers are disallowed by cluster policy')];
}

const WINDOWS_POD = 'cannot be set for a windows pod';
/** In the server's order; those outside the security context are told where they stand. */
const POD_CONTEXT = [
  'appArmorProfile',
  'seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  'seccompProfile',
];
const MORE_CONTEXT = [
  ...['fsGroup', 'fsGroupChangePolicy', 'sysctls', 'shareProcessNamespace', 'runAsUser', 'runAsGroup'],
  ...['supplementalGroups', 'supplementalGroupsPolicy'],
];
const OF_SPEC: ReadonlySet<string> = new Set(['hostUsers', 'hostPID', 'hostIPC', 'shareProcessNamespace']);
const FLAGS: ReadonlySet<string> = new Set(['hostPID', 'hostIPC']);
const CONTAINER_CONTEXT = [
  ...['appArmorProfile', 'capabilities', 'seLinuxOptions', 'seccompProfile', 'privileged'],
  ...['allowPrivilegeEscalation', 'procMount', 'runAsUser', 'runAsGroup', 'readOnlyRootFilesystem'],
];

export function validateWindowsPod(spec: PodSpec, path: FieldPath): Errors {
  const errors: FieldError[] = [];
  const context = path.child('securityContext');
  for (const name of [...POD_CONTEXT, ...MORE_CONTEXT]) {
    const [owner, place] = OF_SPEC.has(name) ? [spec, path] : [spec.securityContext, context];
    if (isSet(owner, name)) errors.push(forbidden(place.child(name), WINDOWS_POD));
  }
  for (const [list, at, container] of containersByPlace(spec)) {
    const own = path.child(list).index(at).child('securityContext');
    for (const name of CONTAINER_CONTEXT)
      if (isSet(container, name)) errors.push(forbidden(own.child(name), WINDOWS_POD));
  }
  return errors;
}

function isSet(value: object | undefined, name: string): boolean {
  const member: unknown = value && Reflect.get(value, name);
  if (FLAGS.has(name)) return member === true;
  return member !== undefined && member !== null && !(Array.isArray(member) && member.length === 0);
}
