/** IPAddress: an address of the ranges of services, by its name, and the object that it belongs to, which never changes. */
import { AddressProblem, addressText, parseAddress } from '../../../../api/cel/library/ip-text.ts';
import { goQuote } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { IPAddress, ParentReference } from '../../../../api/types/networking-k8s-io-v1beta1.ts';
import { checkedBy, immutable } from '../../../../api/validation/field-checks.ts';
import { required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { formatIpv4, NOT_AN_IP, parseIp } from '../../../../api/validation/ip-address.ts';
import { dns1123Subdomain, type NameCheck, pathSegmentName } from '../../../../api/validation/names.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { defineKind } from '../../define-kind.ts';
import { goValue } from '../go-value.ts';

const GROUP = 'networking.k8s.io';
const PARENT = FieldPath.of('spec', 'parentRef');

const nameIsAddress: NameCheck = (name) => {
  try {
    return addressText(parseAddress(name)) === name ? [] : ['must be a canonical format IP address'];
  } catch (error) {
    if (error instanceof AddressProblem) return [error.message];
    throw error;
  }
};

const nameIsStandardAddress: NameCheck = (name) => {
  const ip = parseIp(name);
  if (!ip) return [NOT_AN_IP];
  if (!name.includes(':')) return formatIpv4(ip.bits) === name ? [] : ['must not have leading 0s'];
  if (ip.family === 'IPv4') return ['must not be an IPv4-mapped IPv6 address'];
  const canonical = addressText(parseAddress(name));
  return canonical === name ? [] : [`must be in canonical form (${goQuote(canonical)})`];
};

export const ipAddressKind = defineKind<IPAddress>({
  group: GROUP,
  resource: 'ipaddresses',
  strategy: {
    nameCheck: nameIsAddress,
    laterNameCheck: { since: '1.33', check: nameIsStandardAddress },
    generatesNothing: true,
    validate: ({ spec }) => parentErrors(spec?.parentRef),
    metadataChecks: ['object', 'change', 'update'],
    validateUpdate: ({ spec }, old) => [
      ...parentErrors(spec?.parentRef),
      ...immutable(
        isEqualJson(spec?.parentRef ?? null, old.spec?.parentRef ?? null),
        spec?.parentRef && goValue(`${GROUP}/v1beta1.ParentReference`, spec.parentRef),
        PARENT,
      ),
    ],
    tableRow: ({ metadata, spec }, { age }) => ({
      cells: [metadata.name, parentText(spec?.parentRef), age(metadata.creationTimestamp)],
    }),
  },
});

function parentErrors(parent: ParentReference | undefined): readonly FieldError[] {
  if (!parent) return [required(PARENT)];
  const { group = '', resource = '', namespace = '', name = '' } = parent;
  return [
    ...(group === '' ? [] : checkedBy(dns1123Subdomain, group, PARENT.child('group'))),
    ...named(resource, PARENT.child('resource')),
    ...named(name, PARENT.child('name')),
    ...(namespace === '' ? [] : checkedBy(pathSegmentName, namespace, PARENT.child('namespace'))),
  ];
}

const named = (name: string, path: FieldPath): readonly FieldError[] =>
  name === '' ? [required(path)] : checkedBy(pathSegmentName, name, path);

function parentText(parent: ParentReference | undefined): string {
  if (!parent) return '<none>';
  const { group, resource, namespace, name } = parent;
  return `${resource}${group ? `.${group}` : ''}/${namespace ? `${namespace}/` : ''}${name}`;
}
