/** What slices say of devices: names, attributes and capacities. */
import { byKey, goLength } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { Device, DeviceAttribute } from '../../../../api/types/resource-k8s-io-v1alpha3.ts';
import { checkedBy, repeatedAt } from '../../../../api/validation/field-checks.ts';
import { duplicate, invalid, longerThan, required } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Label } from '../../../../api/validation/names.ts';
import { goValue } from '../go-value.ts';
import { nameInDriverErrors } from './device-claim.ts';

const MOST_DEVICES = 128;
const MOST_FACTS = 32;
const LONGEST_VALUE = 64;

export function deviceErrors(devices: readonly Device[], path: FieldPath): readonly FieldError[] {
  const names = devices.map((device) => device?.name ?? '');
  return [
    ...devices.flatMap((device, at) => oneDeviceErrors(device ?? {}, path.index(at))),
    ...(devices.length > MOST_DEVICES ? [longerThan(path, MOST_DEVICES)] : []),
    ...[...repeatedAt(names)].map((at) => duplicate(path.index(at).child('name'), names[at] ?? '')),
  ];
}

function oneDeviceErrors({ name = '', basic }: Partial<Device>, path: FieldPath): readonly FieldError[] {
  const ofName = checkedBy(dns1123Label, name, path.child('name'));
  const own = path.child('basic');
  if (!basic) return [...ofName, required(own)];
  const attributes = Object.entries(basic.attributes ?? {}).sort(byKey);
  const capacity = Object.keys(basic.capacity ?? {}).sort();
  const total = attributes.length + capacity.length;
  return [
    ...ofName,
    ...attributes.flatMap(([key, attribute]) => [
      ...nameInDriverErrors(key, own.child('attributes')),
      ...attributeErrors(attribute ?? {}, own.child('attributes').key(key)),
    ]),
    ...capacity.flatMap((key) => nameInDriverErrors(key, own.child('capacity'))),
    ...(total > MOST_FACTS
      ? [invalid(own, total, `the total number of attributes and capacities must not exceed ${MOST_FACTS}`)]
      : []),
  ];
}

function attributeErrors(attribute: DeviceAttribute, path: FieldPath): readonly FieldError[] {
  const { int, bool, string: text, version } = attribute;
  const given = [int, bool, text, version].filter((value) => value !== undefined && value !== null).length;
  return [
    ...(text === undefined ? [] : longErrors(text, path.child('string'))),
    ...(version === undefined ? [] : versionErrors(version, path.child('version'))),
    ...(given === 0 ? [required(path, 'exactly one value must be specified')] : []),
    ...(given > 1
      ? [
          invalid(
            path,
            goValue('resource.k8s.io/v1alpha3.DeviceAttribute', attribute),
            'exactly one field must be specified',
          ),
        ]
      : []),
  ];
}

const longErrors = (text: string, path: FieldPath): readonly FieldError[] =>
  goLength(text) > LONGEST_VALUE ? [longerThan(path, LONGEST_VALUE)] : [];

/** Of which numbers may be as large as they like. */
const VERSION =
  /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

const versionErrors = (version: string, path: FieldPath): readonly FieldError[] => [
  ...(VERSION.test(version)
    ? []
    : [invalid(path, version, 'must be a string compatible with semver.org spec 2.0.0')]),
  ...longErrors(version, path),
];
