/** Endpoints: the addresses behind a service, stored exactly as they were sent. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  EndpointAddress,
  EndpointPort,
  Endpoints,
  EndpointSubset,
} from '../../../../api/types/core-v1.ts';
import { checkedBy, oneOf } from '../../../../api/validation/field-checks.ts';
import { invalid, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { validateIp, validateNonSpecialIp } from '../../../../api/validation/ip-address.ts';
import {
  dns1123Label,
  dns1123Subdomain,
  nameIsDnsSubdomain,
  portNumber,
  qualifiedName,
} from '../../../../api/validation/names.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { defineKind } from '../../define-kind.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export const endpointsKind = defineKind<Endpoints>({
  resource: 'endpoints',
  storageDirectory: 'services/endpoints',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    metadataChecks: ['change', 'object'],
    sharesUnchanged: 'parts',
    allowsCreateOnUpdate: true,
    defaults: (draft) => {
      for (const { ports } of draft.subsets ?? []) {
        for (const port of ports ?? []) port.protocol ||= 'TCP';
      }
    },
    validate: (object) => subsetsErrors(object),
    validateUpdate: (object, old) => (isEqualJson(object.subsets, old.subsets) ? [] : subsetsErrors(object)),
    tableRow: ({ metadata, subsets = [] }, { age }) => ({
      cells: [metadata.name, endpointsText(subsets), age(metadata.creationTimestamp)],
    }),
  },
});

function subsetsErrors({ subsets = [] }: Endpoints): FieldError[] {
  return subsets.flatMap((subset, at) => subsetErrors(subset, FieldPath.of('subsets').index(at)));
}

function subsetErrors(
  { addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (addresses.length === 0 && notReadyAddresses.length === 0) {
    errors.push(required(path, 'must specify `addresses` or `notReadyAddresses`'));
  }
  for (const [at, address] of addresses.entries())
    append(errors, addressErrors(address, path.child('addresses').index(at)));
  for (const [at, address] of notReadyAddresses.entries()) {
    append(errors, addressErrors(address, path.child('notReadyAddresses').index(at)));
  }
  for (const [at, port] of ports.entries())
    append(errors, portErrors(port, ports.length > 1, path.child('ports').index(at)));
  return errors;
}

function addressErrors({ ip, hostname, nodeName }: EndpointAddress, path: FieldPath): FieldError[] {
  const errors = [...validateIp(ip, path.child('ip'))];
  if (hostname) append(errors, checkedBy(dns1123Label, hostname, path.child('hostname')));
  // A node's name may be set once; it has to be a name then.
  if (nodeName !== undefined) {
    append(errors, checkedBy(dns1123Subdomain, nodeName, path.child('nodeName')));
  }
  return [...errors, ...validateNonSpecialIp(ip, path.child('ip'))];
}

function portErrors(
  { name, port, protocol, appProtocol }: EndpointPort,
  needsName: boolean,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (needsName && !name) errors.push(required(path.child('name')));
  else if (name) append(errors, checkedBy(dns1123Label, name, path.child('name')));
  for (const finding of portNumber(port)) errors.push(invalid(path.child('port'), port, finding));
  if (!protocol) errors.push(required(path.child('protocol')));
  else append(errors, oneOf(protocol, PROTOCOLS, path.child('protocol')));
  if (appProtocol !== undefined)
    append(errors, checkedBy(qualifiedName, appProtocol, path.child('appProtocol')));
  return errors;
}

const MAX_SHOWN = 3;

function endpointsText(subsets: readonly EndpointSubset[]): string {
  if (subsets.length === 0) return '<none>';
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) =>
          addresses.map(({ ip }) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)),
        ),
  );
  const shown = all.slice(0, MAX_SHOWN).join(',');
  if (all.length > MAX_SHOWN) return `${shown} + ${all.length - MAX_SHOWN} more...`;
  return shown;
}
