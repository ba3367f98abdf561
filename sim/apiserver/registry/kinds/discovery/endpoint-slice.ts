/** EndpointSlice: a part of the addresses behind a service; its type of address never changes. */
import { append } from '../../../../api/append.ts';
import { addressText, parseAddress } from '../../../../api/cel/library/ip-text.ts';
import { goQuote } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  Endpoint,
  EndpointPort,
  EndpointSlice,
  ForZone,
} from '../../../../api/types/discovery-k8s-io-v1.ts';
import {
  checkedBy,
  immutable,
  oneOf,
  repeatedAt,
  requiredOneOf,
} from '../../../../api/validation/field-checks.ts';
import {
  duplicate,
  invalid,
  required,
  since,
  tooMany,
  until,
} from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import {
  formatIpv4,
  parseIp,
  validateIp,
  validateNonSpecialIp,
} from '../../../../api/validation/ip-address.ts';
import {
  dns1123Label,
  dns1123Subdomain,
  labelValue,
  nameIsDnsSubdomain,
  qualifiedName,
} from '../../../../api/validation/names.ts';
import { isSemanticallyEqual } from '../../../verbs/equal-json.ts';
import { standardAddressWarnings } from '../core/standard-addresses.ts';
import { defineKind } from '../../define-kind.ts';
import type { Draft, HookContext } from '../../strategy.ts';

const MAX_ENDPOINTS = 1000;
const MAX_ADDRESSES = 100;
const MAX_PORTS = 20_000;
const MAX_ZONES = 8;
const MAX_SHOWN = 3;

/** Release that began to look at how addresses are written. */
const KNOWS_FORMS = '1.33';

export const endpointSliceKind = defineKind<EndpointSlice>({
  group: 'discovery.k8s.io',
  resource: 'endpointslices',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    metadataChecks: ['object'],
    defaults: (draft) => {
      for (const port of draft.ports ?? []) {
        port.name ??= '';
        port.protocol ??= 'TCP';
      }
    },
    prepareForCreate: (draft, { apiVersion }) => {
      draft.metadata.generation = 1;
      if (apiVersion === STABLE) dropTopology(draft);
    },
    validate: (object) => sliceErrors(object),
    prepareForUpdate: (draft, old, { apiVersion }) => {
      const isSame =
        draft.addressType === old.addressType &&
        isSemanticallyEqual(draft.endpoints, old.endpoints) &&
        isSemanticallyEqual(draft.ports, old.ports) &&
        isSemanticallyEqual(draft.metadata.labels ?? {}, old.metadata.labels ?? {});
      if (!isSame) draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
      if (apiVersion === STABLE && !isSemanticallyEqual(draft.endpoints, old.endpoints)) dropTopology(draft);
    },
    validateUpdate: (object, old) => [
      ...sliceErrors(object, old),
      ...immutable(object.addressType === old.addressType, object.addressType, FieldPath.of('addressType')),
    ],
    warningsOnCreate: (object, context) => [...typeWarnings(object), ...formWarnings(object, context)],
    warningsOnUpdate: (object, _old, context) => formWarnings(object, context),
    tableRow: ({ metadata, addressType, ports, endpoints }, { age }) => ({
      cells: [
        metadata.name,
        addressType,
        listText((ports ?? []).map(({ port, name }) => (port === undefined ? (name ?? '*') : String(port)))),
        listText((endpoints ?? []).flatMap(({ addresses }) => addresses)),
        age(metadata.creationTimestamp),
      ],
    }),
  },
});

const STABLE = 'discovery.k8s.io/v1';

/** Version 1 of the API has the member only to read what older ones wrote. */
function dropTopology({ endpoints }: Draft<EndpointSlice>): void {
  for (const endpoint of endpoints ?? []) delete endpoint.deprecatedTopology;
}

function typeWarnings({ addressType }: EndpointSlice): string[] {
  return addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : [];
}

/** Those that write slices of their own accord have cleaned the addresses before. */
const CLEAN_WRITERS: readonly (string | undefined)[] = [
  'endpointslice-controller.k8s.io',
  'endpointslicemirroring-controller.k8s.io',
];

function formWarnings({ metadata, endpoints }: EndpointSlice, context: HookContext): readonly string[] {
  if (!context.isReleasedBy(KNOWS_FORMS)) return [];
  if (CLEAN_WRITERS.includes(metadata.labels?.['endpointslice.kubernetes.io/managed-by'])) return [];
  const warningsOf = standardAddressWarnings(context);
  return (endpoints ?? []).flatMap(({ addresses }, at) =>
    addresses.flatMap((address, index) => warningsOf(`endpoints[${at}].addresses[${index}]`, address)),
  );
}

/** Later releases look at ports first, and at endpoints only where some have changed. */
function sliceErrors({ addressType, endpoints, ports }: EndpointSlice, old?: EndpointSlice): FieldError[] {
  const ofEndpoints = endpointsErrors(endpoints ?? [], addressType, FieldPath.of('endpoints'));
  const ofPorts = portsErrors(ports ?? [], FieldPath.of('ports'));
  const isSame = ofEndpoints.length > 0 && old !== undefined && isSemanticallyEqual(endpoints, old.endpoints);
  return [
    ...requiredOneOf(addressType, ['FQDN', 'IPv4', 'IPv6'], FieldPath.of('addressType')),
    ...since(KNOWS_FORMS, ofPorts),
    ...(isSame ? until(KNOWS_FORMS, ofEndpoints) : ofEndpoints),
    ...until(KNOWS_FORMS, ofPorts),
  ];
}

function endpointsErrors(endpoints: readonly Endpoint[], type: string, path: FieldPath): FieldError[] {
  if (endpoints.length > MAX_ENDPOINTS) return [tooMany(path, endpoints.length, MAX_ENDPOINTS)];
  return endpoints.flatMap((endpoint, at) => endpointErrors(endpoint, type, path.index(at)));
}

function endpointErrors(endpoint: Endpoint, type: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const addresses = endpoint.addresses ?? [];
  const addressPath = path.child('addresses');
  if (addresses.length === 0) errors.push(required(addressPath, 'must contain at least 1 address'));
  else if (addresses.length > MAX_ADDRESSES)
    errors.push(tooMany(addressPath, addresses.length, MAX_ADDRESSES));
  for (const [at, address] of addresses.entries())
    append(errors, addressErrors(address, type, addressPath, at));
  const { nodeName, hostname, hints } = endpoint;
  if (nodeName !== undefined) append(errors, checkedBy(dns1123Subdomain, nodeName, path.child('nodeName')));
  if (hostname !== undefined) append(errors, checkedBy(dns1123Label, hostname, path.child('hostname')));
  append(errors, zoneErrors(hints?.forZones ?? [], path.child('hints', 'forZones')));
  return errors;
}

function zoneErrors(zones: readonly ForZone[], path: FieldPath): readonly FieldError[] {
  if (zones.length > MAX_ZONES) return [tooMany(path, zones.length, MAX_ZONES)];
  const repeated = repeatedAt(zones.map(({ name }) => name));
  return zones.flatMap(({ name }, at) => {
    const field = path.index(at).child('name');
    return [...(repeated.has(at) ? [duplicate(field, name)] : []), ...checkedBy(labelValue, name, field)];
  });
}

function addressErrors(address: string, type: string, all: FieldPath, at: number): readonly FieldError[] {
  const path = all.index(at);
  if (type === 'FQDN') return fqdnErrors(address, path);
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  const family = parseIp(address)?.family;
  const wrong = family === type ? [] : [invalid(path, address, `must be a valid ${type} address`)];
  const wrongFamily = family === type ? [] : [invalid(all, address, `must be an ${type} address`)];
  const special = validateNonSpecialIp(address, path);
  const form = formErrors(address, path);
  return [
    ...until(KNOWS_FORMS, [...wrong, ...special]),
    ...since(KNOWS_FORMS, form ?? [...wrongFamily, ...special]),
  ];
}

/** Slices have one form of an address only; leading zeros were let through a while longer. Undefined: as it should be. */
function formErrors(address: string, path: FieldPath): readonly FieldError[] | undefined {
  const ip = parseIp(address);
  if (!ip) return validateIp(address, path);
  if (!address.includes(':')) {
    const hasZeros = formatIpv4(ip.bits) !== address;
    return hasZeros ? since('1.36', [invalid(path, address, 'must not have leading 0s')]) : undefined;
  }
  if (ip.family === 'IPv4') return [invalid(path, address, 'must not be an IPv4-mapped IPv6 address')];
  const canonical = addressText(parseAddress(address));
  if (canonical === address) return undefined;
  return [invalid(path, address, `must be in canonical form (${goQuote(canonical)})`)];
}

function fqdnErrors(name: string, path: FieldPath): readonly FieldError[] {
  if (name === '') return [required(path)];
  const findings = checkedBy(dns1123Subdomain, name, path);
  if (findings.length > 0) return findings;
  if (name.split('.').length < 2) {
    return [invalid(path, name, 'should be a domain with at least two segments separated by dots')];
  }
  return [];
}

function portsErrors(ports: readonly EndpointPort[], path: FieldPath): FieldError[] {
  if (ports.length > MAX_PORTS) return [tooMany(path, ports.length, MAX_PORTS)];
  const names = new Set<string>();
  return ports.flatMap(({ name = '', protocol, appProtocol }, at) => {
    const field = path.index(at);
    const errors: FieldError[] = name === '' ? [] : [...checkedBy(dns1123Label, name, field.child('name'))];
    if (names.has(name)) errors.push(duplicate(field.child('name'), name));
    names.add(name);
    if (protocol === undefined) errors.push(required(field.child('protocol')));
    else append(errors, oneOf(protocol, ['SCTP', 'TCP', 'UDP'], field.child('protocol')));
    if (appProtocol !== undefined)
      append(errors, checkedBy(qualifiedName, appProtocol, field.child('appProtocol')));
    return errors;
  });
}

function listText(items: readonly string[]): string {
  const shown = items.slice(0, MAX_SHOWN).join(',');
  if (items.length > MAX_SHOWN) return `${shown} + ${items.length - MAX_SHOWN} more...`;
  return shown || '<unset>';
}
