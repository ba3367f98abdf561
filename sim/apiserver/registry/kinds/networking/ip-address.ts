/** IPAddress: an address of the ranges of services, by its name, and the object that it belongs to, which never changes. */
import type { FieldError } from '../../../../api/status.ts';
import type { IPAddress, ParentReference } from '../../../../api/types/networking-k8s-io-v1beta1.ts';
import { checkedBy, immutable } from '../../../../api/validation/field-checks.ts';
import { required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Subdomain, type NameCheck, pathSegmentName } from '../../../../api/validation/names.ts';
import { addressText, NetProblem, parseAddress } from '../../../../api/validation/netip.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { defineKind } from '../../define-kind.ts';
import { goValue } from '../go-value.ts';

const GROUP = 'networking.k8s.io';
const PARENT = FieldPath.of('spec', 'parentRef');

export const ipAddressKind = defineKind<IPAddress>({
  group: GROUP,
  resource: 'ipaddresses',
  strategy: {
    nameCheck: nameIsAddress(),
    validate: ({ spec }) => parentErrors(spec?.parentRef),
    metadataChecks: ['change', 'update'],
    validateUpdate: ({ spec }, old) => [
      ...parentErrors(spec?.parentRef),
      ...immutable(
        isEqualJson(spec?.parentRef ?? null, old.spec?.parentRef ?? null),
        goValue(`${GROUP}/v1beta1.ParentReference`, spec?.parentRef),
        PARENT,
      ),
    ],
    tableRow: ({ metadata, spec }, { age }) => ({
      cells: [metadata.name, parentText(spec?.parentRef), age(metadata.creationTimestamp)],
    }),
  },
});

function nameIsAddress(): NameCheck {
  return (name) => {
    const address = parseAddress(name);
    if (address instanceof NetProblem) return [address.message];
    return addressText(address) === name ? [] : ['must be a canonical format IP address'];
  };
}

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
