/** What a claim may ask of devices: requests with their classes and selectors, constraints between them, configuration. */
import { goLength } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  DeviceClaim,
  DeviceConstraint,
  DeviceRequest,
  OpaqueDeviceConfiguration,
  ResourceClaimSpec,
} from '../../../../api/types/resource-k8s-io-v1alpha3.ts';
import { checkedBy } from '../../../../api/validation/field-checks.ts';
import {
  duplicate,
  invalid,
  longerThan,
  notSupported,
  required,
  tooLong,
  typeInvalid,
} from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { cIdentifier, dns1123Label, dns1123Subdomain } from '../../../../api/validation/names.ts';
import type { Draft } from '../../strategy.ts';
import { selectorErrors } from './device-selectors.ts';

const MOST = 32;
const LONGEST_ID = 32;
const LONGEST_DRIVER = 63;
const MODES = ['All', 'ExactCount'];

export function requestDefaults(claim: Draft<DeviceClaim> | undefined): void {
  for (const request of claim?.requests ?? []) {
    request.allocationMode ||= 'ExactCount';
    if (request.allocationMode === 'ExactCount') request.count ||= 1;
  }
}

/** `areStored`: its expressions are in force already. */
export function claimErrors(
  { devices, controller }: ResourceClaimSpec,
  path: FieldPath,
  areStored: boolean,
): readonly FieldError[] {
  const requests = devices?.requests ?? [];
  const constraints = devices?.constraints ?? [];
  const config = devices?.config ?? [];
  const at = path.child('devices');
  const names = new Set(requests.map(({ name = '' }) => name));
  return [
    ...requests.flatMap((each, index) => requestErrors(each, at.child('requests').index(index), areStored)),
    ...bounded(requests, at.child('requests')),
    ...repeated(
      requests.map(({ name = '' }) => name),
      (index) => at.child('requests').index(index).child('name'),
    ),
    ...constraints.flatMap((each, index) =>
      constraintErrors(each, at.child('constraints').index(index), names),
    ),
    ...bounded(constraints, at.child('constraints')),
    ...config.flatMap(({ requests: named = [], opaque }, index) => [
      ...nameErrors(named, at.child('config').index(index).child('requests'), names),
      ...opaqueErrors(opaque, at.child('config').index(index).child('opaque')),
    ]),
    ...bounded(config, at.child('config')),
    ...(controller ? driverErrors(controller, path.child('controller')) : []),
  ];
}

function requestErrors(request: DeviceRequest, path: FieldPath, areStored: boolean): readonly FieldError[] {
  const { name = '', deviceClassName = '', selectors = [], allocationMode = '', count = 0 } = request;
  const own = path.child('deviceClassName');
  const counted = path.child('count');
  return [
    ...checkedBy(dns1123Label, name, path.child('name')),
    ...(deviceClassName === '' ? [required(own)] : checkedBy(dns1123Subdomain, deviceClassName, own)),
    ...selectorErrors(selectors, path.child('selectors'), areStored),
    ...(MODES.includes(allocationMode)
      ? []
      : [notSupported(path.child('allocationMode'), allocationMode, MODES)]),
    ...(allocationMode === 'All' && count !== 0
      ? [invalid(counted, count, "must not be specified when allocationMode is 'All'")]
      : []),
    ...(allocationMode === 'ExactCount' && count <= 0
      ? [invalid(counted, count, 'must be greater than zero')]
      : []),
  ];
}

function constraintErrors(
  { requests = [], matchAttribute }: DeviceConstraint,
  path: FieldPath,
  names: ReadonlySet<string>,
): readonly FieldError[] {
  const own = path.child('matchAttribute');
  return [
    ...nameErrors(requests, path.child('requests'), names),
    ...(matchAttribute === undefined ? [required(own)] : attributeErrors(matchAttribute, own)),
  ];
}

function nameErrors(
  named: readonly string[],
  path: FieldPath,
  names: ReadonlySet<string>,
): readonly FieldError[] {
  return [
    ...named.flatMap((name, index) => [
      ...checkedBy(dns1123Label, name, path.index(index)),
      ...(names.has(name)
        ? []
        : [invalid(path.index(index), name, 'must be the name of a request in the claim')]),
    ]),
    ...bounded(named, path),
    ...repeated(named, (index) => path.index(index)),
  ];
}

function attributeErrors(name: string, path: FieldPath): readonly FieldError[] {
  const errors = nameInDriverErrors(name, path);
  return name.includes('/') ? errors : [...errors, required(path.child('domain'), 'must include a prefix')];
}

/** With the driver's name in front, or without where it is the driver that speaks. */
export function nameInDriverErrors(name: string, path: FieldPath): readonly FieldError[] {
  const parts = name.split('/');
  if (name === '') return [required(path, 'name required')];
  if (parts.length === 1) return identifierErrors(name, path);
  if (parts.length > 2) return [];
  const [prefix = '', rest = ''] = parts;
  return [
    ...(prefix === '' ? [required(path, 'the prefix must not be empty')] : driverErrors(prefix, path)),
    ...(rest === '' ? [required(path, 'the name must not be empty')] : identifierErrors(rest, path)),
  ];
}

const identifierErrors = (id: string, path: FieldPath): readonly FieldError[] => [
  ...(goLength(id) > LONGEST_ID ? [longerThan(path, LONGEST_ID)] : []),
  ...cIdentifier(id).map((finding) => typeInvalid(path, id, finding)),
];

/** As of a driver for storage. */
export function driverErrors(name: string, path: FieldPath): readonly FieldError[] {
  return [
    ...(name === '' ? [required(path)] : []),
    ...(goLength(name) > LONGEST_DRIVER ? [tooLong(path, LONGEST_DRIVER)] : []),
    // Its letters may be large.
    ...dns1123Subdomain(name.toLowerCase()).map((finding) => invalid(path, name, finding)),
  ];
}

export function opaqueErrors(
  opaque: OpaqueDeviceConfiguration | undefined,
  path: FieldPath,
): readonly FieldError[] {
  if (!opaque) return [required(path)];
  const { driver = '', parameters } = opaque;
  const own = path.child('parameters');
  const errors = driverErrors(driver, path.child('driver'));
  if (parameters === undefined || parameters === null) return [...errors, required(own)];
  const isObject = typeof parameters === 'object' && !Array.isArray(parameters);
  return isObject
    ? errors
    : [...errors, invalid(own, '<value omitted>', 'parameters must be a valid JSON object')];
}

export const bounded = (list: readonly unknown[], path: FieldPath): readonly FieldError[] =>
  list.length > MOST ? [longerThan(path, MOST)] : [];

const repeated = (keys: readonly string[], at: (index: number) => FieldPath): readonly FieldError[] =>
  keys.flatMap((key, index) => (keys.indexOf(key) < index ? [duplicate(at(index), key)] : []));
