/** CSINode: the storage drivers that are installed on a node. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { CSINode, CSINodeDriver } from '../../../../api/types/storage-k8s-io-v1.ts';
import { checkedBy } from '../../../../api/validation/field-checks.ts';
import { duplicate, invalid, required, since, until } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { nameIsDnsSubdomain, qualifiedName } from '../../../../api/validation/names.ts';
import { isSemanticallyEqual } from '../../../verbs/equal-json.ts';
import { defineKind } from '../../define-kind.ts';
import type { HookContext } from '../../strategy.ts';
import { goValue } from '../go-value.ts';
import { driverNameErrors } from './driver-name.ts';

const MAX_NODE_ID = 256;

export const csiNodeKind = defineKind<CSINode>({
  group: 'storage.k8s.io',
  resource: 'csinodes',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    metadataChecks: ['object', 'rules', 'object', 'rules'],
    requiresVersionOnUpdate: true,
    returnsDeletedObject: true,
    validate: driversErrors,
    validateUpdate: (object, old, context) => changeErrors(object, old, context),
    tableRow: ({ metadata, spec }, { age }) => ({
      cells: [metadata.name, spec.drivers?.length ?? 0, age(metadata.creationTimestamp)],
    }),
  },
});

function driversErrors({ spec }: CSINode): FieldError[] {
  const names = new Set<string>();
  return (spec.drivers ?? []).flatMap((driver, at) => {
    const path = FieldPath.of('spec', 'drivers').index(at);
    const errors = driverErrors(driver, path);
    if (names.has(driver.name)) errors.push(duplicate(path.child('name'), driver.name));
    names.add(driver.name);
    return [...errors, ...topologyErrors(driver, path)];
  });
}

function driverErrors({ name, nodeID, allocatable }: CSINodeDriver, path: FieldPath): FieldError[] {
  const errors = driverNameErrors(name, path.child('name'));
  if (!nodeID) errors.push(required(path.child('nodeID')));
  else if (nodeID.length > MAX_NODE_ID) {
    errors.push(invalid(path.child('nodeID'), nodeID, `must be ${MAX_NODE_ID} characters or less`));
  }
  const count = allocatable?.count;
  if (count !== undefined && count < 0) {
    errors.push(invalid(path.child('allocatable', 'count'), count, 'must be greater than or equal to 0'));
  }
  return errors;
}

/** A driver may come and go, but is what it is. */
const changeErrors = (object: CSINode, before: CSINode, context: HookContext): readonly FieldError[] => [
  ...until(
    '1.34',
    changedErrors(object, before, { path: FieldPath.of('CSINodeDriver'), as: (driver) => driver }),
  ),
  ...since(
    '1.34',
    changedErrors(object, before, {
      path: FieldPath.of('spec', 'drivers'),
      // How much a driver can take is counted anew.
      as: context.isFeatureEnabled('MutableCSINodeAllocatableCount') ? withoutCount : (driver) => driver,
    }),
  ),
];

const withoutCount = ({ allocatable: _count, ...driver }: CSINodeDriver): CSINodeDriver => driver;

interface Change {
  readonly path: FieldPath;
  /** What of a driver is fixed. */
  as(driver: CSINodeDriver): CSINodeDriver;
}

const changedErrors = ({ spec }: CSINode, { spec: before }: CSINode, { path, as }: Change): FieldError[] =>
  (before.drivers ?? []).flatMap((old) =>
    (spec.drivers ?? [])
      .filter((driver) => driver.name === old.name && !isSemanticallyEqual(as(driver), as(old)))
      .map((driver) =>
        invalid(path, goValue('storage.k8s.io/v1.CSINodeDriver', as(driver)), 'field is immutable'),
      ),
  );

/** The server tells them under the driver. */
function topologyErrors({ topologyKeys }: CSINodeDriver, path: FieldPath): FieldError[] {
  const keys = new Set<string>();
  return (topologyKeys ?? []).flatMap((key) => {
    const errors: FieldError[] = key === '' ? [required(path)] : [];
    if (keys.has(key)) errors.push(duplicate(path, key));
    keys.add(key);
    append(errors, checkedBy(qualifiedName, key, path));
    return errors;
  });
}
