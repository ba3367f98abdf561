/** Rules of containers: of every sort, and what only one sort may have. */
import { append } from '../../../../api/append.ts';
import { GoSyntax } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { Container, EphemeralContainer, PodSpec } from '../../../../api/types/core-v1.ts';
import {
  duplicate,
  forbidden,
  ifOn,
  invalid,
  notFoundValue,
  notSupported,
  required,
  since,
  until,
} from '../../../../api/validation/field-error.ts';
import { oneOf } from '../../../../api/validation/field-checks.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Label, portName, portNumber } from '../../../../api/validation/names.ts';
import { goMemberValue } from '../go-value.ts';
import { validateEnv, validateEnvFrom } from './validate-env.ts';
import { validateClaims } from './validate-claims.ts';
import { validateDevices, validateMounts, type Volumes } from './validate-mounts.ts';
import { type ProbeRole, validateLifecycle, validateProbe } from './validate-probes.ts';
import { validateResources } from './validate-resources.ts';
import { validateSecurityContext } from './validate-security.ts';

const NONE: readonly FieldError[] = [];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
const PROBES: readonly ProbeRole[] = ['livenessProbe', 'readinessProbe', 'startupProbe'];

export function validateContainers(spec: PodSpec, volumes: Volumes, path: FieldPath): readonly FieldError[] {
  const containers = spec.containers ?? [];
  const own = path.child('containers');
  const names = new Set<string>();
  const errors: FieldError[] = [];
  if (containers.length === 0) errors.push(required(own));
  containers.forEach((container, at) => {
    const place = own.index(at);
    append(errors, [
      ...validateCommon(container, { spec, volumes }, place),
      ...validateUnique(container, names, place),
    ]);
    append(errors, validateRunning(container, place, graceOf(spec)));
    append(errors, restartErrors(container.restartPolicy, place.child('restartPolicy')));
  });
  append(errors, validateHostPorts(containers, own));
  append(errors, validateInitContainers(spec, volumes, names, path.child('initContainers')));
  append(errors, validateEphemeralContainers(spec, volumes, names, path.child('ephemeralContainers')));
  return errors;
}

const RESTART_POLICIES = ['Always', 'Never', 'OnFailure'];

const knownRestart = (policy: string, path: FieldPath): readonly FieldError[] =>
  RESTART_POLICIES.includes(policy) ? NONE : [notSupported(path, policy, RESTART_POLICIES)];

function restartErrors(policy: string | undefined, path: FieldPath): readonly FieldError[] {
  if (policy === undefined) return NONE;
  return [
    ...until('1.34', [forbidden(path, 'may not be set for non-init containers')]),
    ...since('1.34', knownRestart(policy, path)),
  ];
}

const RESIZABLE = ['cpu', 'memory'];
const RESIZES = 'InPlacePodVerticalScaling';
const RESIZE_POLICIES = ['NotRequired', 'RestartContainer'];

const neverRestarted = (policy: string): string => `must be 'NotRequired' when ${policy} is 'Never'`;

/** Earlier servers drop it, or do not look at it. */
function resizeErrors(
  { resizePolicy = [] }: EphemeralContainer,
  { restartPolicy: ofPod }: PodSpec,
  path: FieldPath,
): readonly FieldError[] {
  const names = new Set<string>();
  const errors: FieldError[] = [];
  for (const [at, { resourceName, restartPolicy }] of (resizePolicy ?? []).entries()) {
    const shown = new GoSyntax(resourceName, JSON.stringify(resourceName));
    if (names.has(resourceName)) errors.push(duplicate(path.index(at), shown));
    names.add(resourceName);
    if (!resourceName) errors.push(required(path));
    else if (!RESIZABLE.includes(resourceName)) errors.push(notSupported(path, shown, RESIZABLE));
    append(errors, restartPolicy ? oneOf(restartPolicy, RESIZE_POLICIES, path) : [required(path)]);
    if (ofPod === 'Never' && restartPolicy !== 'NotRequired')
      append(errors, [
        ...until('1.36', [invalid(path, restartPolicy, neverRestarted('`restartPolicy`'))]),
        ...since('1.36', [invalid(path, restartPolicy, neverRestarted('pod `restartPolicy`'))]),
      ]);
  }
  return ifOn(RESIZES, errors);
}

/** Until sidecars could be given more room nothing could be said of that. */
const neverResizedErrors = ({ resizePolicy = [] }: Container, path: FieldPath): readonly FieldError[] =>
  resizePolicy.length > 0
    ? ifOn(
        RESIZES,
        until('1.33', [
          invalid(
            path,
            goMemberValue('v1.Container', 'resizePolicy', resizePolicy),
            'must not be set for init containers',
          ),
        ]),
      )
    : NONE;

/** Containers that end on their own are not begun anew for more room. */
const lastingErrors = ({ resizePolicy = [] }: Container, path: FieldPath): readonly FieldError[] =>
  (resizePolicy ?? []).flatMap(({ restartPolicy }, at) =>
    restartPolicy === 'RestartContainer'
      ? since('1.36', [invalid(path.index(at).child('restartPolicy'), restartPolicy, NO_SIDECAR)])
      : NONE,
  );

const NO_SIDECAR = "must not be set to 'RestartContainer' for non-sidecar initContainers";

function validateInitContainers(
  spec: PodSpec,
  volumes: Volumes,
  names: Set<string>,
  path: FieldPath,
): readonly FieldError[] {
  const hasNameless = names.has('');
  return (spec.initContainers ?? []).flatMap((container, at) => {
    const place = path.index(at);
    const { restartPolicy } = container;
    const errors = [...validateCommon(container, { spec, volumes }, place)];
    if (restartPolicy !== undefined && restartPolicy !== 'Always') {
      append(errors, until('1.34', [notSupported(place.child('restartPolicy'), restartPolicy, ['Always'])]));
      append(errors, since('1.34', knownRestart(restartPolicy, place.child('restartPolicy'))));
    }
    append(errors, neverResizedErrors(container, place.child('resizePolicy')));
    if (restartPolicy !== 'Always') append(errors, lastingErrors(container, place.child('resizePolicy')));
    append(errors, validateUnique(container, names, place));
    // Nameless containers of initialization are not alike, only like the others.
    if (!hasNameless) names.delete('');
    append(errors, validateHostPorts([container], path));
    if (restartPolicy === 'Always') return [...errors, ...validateRunning(container, place, graceOf(spec))];
    const why = 'may not be set for init containers without restartPolicy=Always';
    if (container.lifecycle) errors.push(forbidden(place.child('lifecycle'), why));
    for (const role of PROBES) if (container[role]) errors.push(forbidden(place.child(role), why));
    return errors;
  });
}

const EPHEMERAL_FORBIDDEN = [
  ...(['ports', 'resources', 'resizePolicy', 'restartPolicy'] as const),
  ...(['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'] as const),
];

function validateEphemeralContainers(
  spec: PodSpec,
  volumes: Volumes,
  names: Set<string>,
  path: FieldPath,
): readonly FieldError[] {
  const { ephemeralContainers } = spec;
  if (!ephemeralContainers || ephemeralContainers.length === 0) return NONE;
  const targets = new Set(names);
  const why = 'cannot be set for an Ephemeral Container';
  return ephemeralContainers.flatMap((container, at) => {
    const place = path.index(at);
    const { targetContainerName: target = '' } = container;
    const errors = [
      ...validateCommon(container, { spec, volumes }, place),
      ...validateTrimmedImage(container, place),
    ];
    append(errors, validateUnique(container, names, place));
    if (target !== '' && !targets.has(target))
      errors.push(notFoundValue(place.child('targetContainerName'), target));
    for (const member of EPHEMERAL_FORBIDDEN) {
      const value = container[member];
      if (member === 'resources' ? isFilled(value) : value !== undefined)
        errors.push(forbidden(place.child(member), why));
    }
    container.volumeMounts?.forEach(({ subPath, subPathExpr }, index) => {
      const mount = place.child('volumeMounts').index(index);
      if (subPath) errors.push(forbidden(mount.child('subPath'), why));
      if (subPathExpr) errors.push(forbidden(mount.child('subPathExpr'), why));
    });
    return errors;
  });
}

const isFilled = (value: unknown): boolean => {
  if (value === undefined || value === null) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
};

/** Blanks around an image are refused in pods; templates may have them. */
export function validateTrimmedImage(
  { image = '' }: EphemeralContainer,
  path: FieldPath,
): readonly FieldError[] {
  return image === image.trim()
    ? NONE
    : [invalid(path.child('image'), image, 'must not have leading or trailing whitespace')];
}

interface Surroundings {
  readonly spec: PodSpec;
  readonly volumes: Volumes;
}

function validateCommon(
  container: EphemeralContainer,
  { spec, volumes }: Surroundings,
  path: FieldPath,
): readonly FieldError[] {
  const { name = '', image = '', terminationMessagePolicy: policy = '', imagePullPolicy = '' } = container;
  const errors: FieldError[] = [];
  if (name === '') errors.push(required(path.child('name')));
  else for (const finding of dns1123Label(name)) errors.push(invalid(path.child('name'), name, finding));
  if (image === '') errors.push(required(path.child('image')));
  if (!MESSAGE_POLICIES.includes(policy)) {
    errors.push(notSupported(path.child('terminationMessagePolicy'), policy, MESSAGE_POLICIES));
  }
  append(errors, validatePorts(container, path.child('ports')));
  append(errors, validateEnv(container.env, path.child('env')));
  append(errors, validateEnvFrom(container.envFrom, path.child('envFrom')));
  append(errors, validateMounts(container, volumes, path.child('volumeMounts')));
  append(errors, validateDevices(container, volumes, path.child('volumeDevices')));
  if (!PULL_POLICIES.includes(imagePullPolicy)) {
    errors.push(notSupported(path.child('imagePullPolicy'), imagePullPolicy, PULL_POLICIES));
  }
  append(errors, validateResources(container.resources, path.child('resources')));
  append(
    errors,
    ifOn(
      'DynamicResourceAllocation',
      validateClaims(container.resources, spec, path.child('resources', 'claims')),
    ),
  );
  append(errors, resizeErrors(container, spec, path.child('resizePolicy')));
  append(errors, validateSecurityContext(container.securityContext, path.child('securityContext'), spec));
  return errors;
}

/** Names are unique among all containers of a pod. */
function validateUnique(
  { name = '' }: EphemeralContainer,
  names: Set<string>,
  path: FieldPath,
): readonly FieldError[] {
  if (names.has(name)) return [duplicate(path.child('name'), name)];
  names.add(name);
  return NONE;
}

const graceOf = ({ terminationGracePeriodSeconds = 0 }: PodSpec): number => terminationGracePeriodSeconds;

/** What only containers that keep running have. */
function validateRunning(container: Container, path: FieldPath, graceSeconds: number): readonly FieldError[] {
  return [
    ...validateLifecycle(container.lifecycle, path.child('lifecycle'), graceSeconds),
    ...PROBES.flatMap((role) => validateProbe(container[role], role, path.child(role))),
  ];
}

function validatePorts({ ports }: EphemeralContainer, path: FieldPath): readonly FieldError[] {
  if (!ports) return NONE;
  const names = new Set<string>();
  const errors: FieldError[] = [];
  ports.forEach(({ name, containerPort, hostPort, protocol = '' }, at) => {
    const own = path.index(at);
    if (name) {
      const findings = portName(name);
      for (const finding of findings) errors.push(invalid(own.child('name'), name, finding));
      if (findings.length === 0 && names.has(name)) errors.push(duplicate(own.child('name'), name));
      if (findings.length === 0) names.add(name);
    }
    if (!containerPort) errors.push(required(own.child('containerPort')));
    else
      for (const finding of portNumber(containerPort))
        errors.push(invalid(own.child('containerPort'), containerPort, finding));
    if (hostPort)
      for (const finding of portNumber(hostPort))
        errors.push(invalid(own.child('hostPort'), hostPort, finding));
    if (protocol === '') errors.push(required(own.child('protocol')));
    else if (!PROTOCOLS.includes(protocol))
      errors.push(notSupported(own.child('protocol'), protocol, PROTOCOLS));
  });
  return errors;
}

/** A port of the host belongs to one container. */
function validateHostPorts(containers: readonly Container[], path: FieldPath): readonly FieldError[] {
  const taken = new Set<string>();
  const errors: FieldError[] = [];
  containers.forEach(({ ports }, at) => {
    ports?.forEach(({ hostPort, hostIP = '', protocol = '' }, index) => {
      if (!hostPort) return;
      const text = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(text))
        errors.push(duplicate(path.index(at).child('ports').index(index).child('hostPort'), text));
      taken.add(text);
    });
  });
  return errors;
}

/** On the host's network a port of the host is the container's own. */
export function validateHostNetwork(
  { hostNetwork, containers }: PodSpec,
  path: FieldPath,
): readonly FieldError[] {
  if (!hostNetwork) return NONE;
  return (containers ?? []).flatMap(({ ports }, at) =>
    (ports ?? []).flatMap(({ hostPort = 0, containerPort }, index) => {
      if (hostPort === 0 || hostPort === containerPort) return NONE;
      const own = path.child('containers').index(at).child('ports').index(index).child('hostPort');
      return [invalid(own, hostPort, 'must match `containerPort` when `hostNetwork` is true')];
    }),
  );
}
