/** Rules of probes and of the handlers that run at a container's start and end. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { Lifecycle, LifecycleHandler, Probe } from '../../../../api/types/core-v1.ts';
import {
  forbidden,
  ifOff,
  ifOn,
  invalid,
  notSupported,
  required,
  since,
  until,
} from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { httpHeaderName, portName, portNumber } from '../../../../api/validation/names.ts';
import { type IntOrString, notNegative, POSITIVE } from '../../../../api/validation/numbers.ts';

const NONE: readonly FieldError[] = [];

export type ProbeRole = 'livenessProbe' | 'readinessProbe' | 'startupProbe';

const COUNTS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

/** Only a readiness probe may have to succeed more than once, and only it never ends the container. */
export function validateProbe(
  probe: Probe | undefined,
  role: ProbeRole,
  path: FieldPath,
): readonly FieldError[] {
  if (!probe) return NONE;
  const { terminationGracePeriodSeconds: grace, successThreshold = 1 } = probe;
  const gracePath = path.child('terminationGracePeriodSeconds');
  const errors = [...validateHandler(probe, path)];
  for (const name of COUNTS) append(errors, notNegative(probe[name], path.child(name)));
  if (grace !== undefined && grace <= 0) errors.push(invalid(gracePath, grace, POSITIVE));
  if (role === 'readinessProbe') {
    if (grace !== undefined) errors.push(invalid(gracePath, grace, 'must not be set for readinessProbes'));
  } else if (successThreshold !== 1) {
    errors.push(invalid(path.child('successThreshold'), successThreshold, 'must be 1'));
  }
  return errors;
}

export function validateLifecycle(
  lifecycle: Lifecycle | undefined,
  path: FieldPath,
  graceSeconds: number,
): readonly FieldError[] {
  if (!lifecycle) return NONE;
  const { postStart, preStop } = lifecycle;
  return [
    ...(postStart ? validateHandler(postStart, path.child('postStart'), graceSeconds) : NONE),
    ...(preStop ? validateHandler(preStop, path.child('preStop'), graceSeconds) : NONE),
  ];
}

type Handler = Probe & LifecycleHandler;

const CHECKS: readonly [
  name: keyof Handler,
  check: (handler: Handler, path: FieldPath, graceSeconds: number) => readonly FieldError[],
][] = [
  ['exec', ({ exec }, path) => ((exec?.command?.length ?? 0) > 0 ? NONE : [required(path.child('command'))])],
  ['httpGet', ({ httpGet }, path) => (httpGet ? validateHttpGet(httpGet, path) : NONE)],
  ['tcpSocket', ({ tcpSocket }, path) => validatePort(tcpSocket?.port ?? 0, path.child('port'))],
  ['grpc', ({ grpc }, path) => validatePort(grpc?.port ?? 0, path.child('port'))],
  ['sleep', ({ sleep }, path, graceSeconds) => validateSleep(sleep?.seconds ?? 0, graceSeconds, path)],
];

function validateHandler(handler: Handler, path: FieldPath, graceSeconds = 0): readonly FieldError[] {
  const errors: FieldError[] = [];
  let count = 0;
  for (const [name, check] of CHECKS) {
    if (!handler[name]) continue;
    count += 1;
    if (count > 1) errors.push(forbidden(path.child(name), 'may not specify more than 1 handler type'));
    else append(errors, check(handler, path.child(name), graceSeconds));
  }
  if (count === 0) errors.push(required(path, 'must specify a handler type'));
  return errors;
}

const SCHEMES = ['HTTP', 'HTTPS'];

function validateHttpGet(get: NonNullable<Probe['httpGet']>, path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (!get.path) errors.push(required(path.child('path')));
  append(errors, validatePort(get.port, path.child('port')));
  if (!SCHEMES.includes(get.scheme ?? ''))
    errors.push(notSupported(path.child('scheme'), get.scheme ?? '', SCHEMES));
  for (const { name } of get.httpHeaders ?? []) {
    for (const finding of httpHeaderName(name))
      errors.push(invalid(path.child('httpHeaders'), name, finding));
  }
  return errors;
}

/** A number, or the name of a port of the container. */
export function validatePort(port: IntOrString, path: FieldPath): readonly FieldError[] {
  const findings = typeof port === 'number' ? portNumber(port) : portName(port);
  return findings.map((finding) => invalid(path, port, finding));
}

const TAKES_NO_SLEEP = 'PodLifecycleSleepActionAllowZero';
/** The server calls the gate by another name than its own. */
const HINT = '. Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep.';

function validateSleep(seconds: number, graceSeconds: number, path: FieldPath): readonly FieldError[] {
  if (seconds > 0 && seconds <= graceSeconds) return NONE;
  const unlessBelow = (bound: string, hint = ''): readonly FieldError[] => [
    invalid(
      path,
      seconds,
      `must be ${bound} and less than terminationGracePeriodSeconds (${graceSeconds})${hint}`,
    ),
  ];
  return [
    ...until('1.32', unlessBelow('greater than 0')),
    ...since('1.32', [
      ...ifOff(TAKES_NO_SLEEP, unlessBelow('greater than 0', HINT)),
      ...(seconds === 0 ? NONE : ifOn(TAKES_NO_SLEEP, unlessBelow('non-negative'))),
    ]),
  ];
}
