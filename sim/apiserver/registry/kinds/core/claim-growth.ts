/** How far a claim has grown, as its status says it where growth that fails may be given up. */
import { append } from '../../../../api/append.ts';
import { GoSyntax } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { PersistentVolumeClaimStatus } from '../../../../api/types/core-v1.ts';
import { checkedBy } from '../../../../api/validation/field-checks.ts';
import { notSupported, since, until } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { qualifiedName } from '../../../../api/validation/names.ts';
import { basicResourceErrors } from './persistent-volume-validation.ts';

const STATUS = FieldPath.of('status');
const STEPS = [
  ...['ControllerResizeInProgress', 'ControllerResizeInfeasible'],
  ...['NodeResizeInProgress', 'NodeResizeInfeasible', 'NodeResizePending'],
];
const NATIVE = ['storage'];

export function growthErrors({
  allocatedResourceStatuses = {},
  allocatedResources = {},
}: PersistentVolumeClaimStatus): readonly FieldError[] {
  const errors: FieldError[] = [];
  const steps = Object.entries(allocatedResourceStatuses);
  append(errors, until('1.34', stepsErrors(steps, STATUS.child('allocatedResourceStatus'))));
  append(errors, since('1.34', stepsErrors(steps, STATUS.child('allocatedResourceStatuses'))));
  const ofAmounts = STATUS.child('allocatedResources');
  for (const [name, amount] of Object.entries(allocatedResources)) {
    const ofName = nameErrors(name, ofAmounts);
    append(errors, ofName.length > 0 ? ofName : basicResourceErrors(amount, ofAmounts.key(name)));
  }
  return errors;
}

function stepsErrors(
  steps: readonly (readonly [name: string, step: string])[],
  path: FieldPath,
): readonly FieldError[] {
  return steps.flatMap(([name, step]) => [
    ...nameErrors(name, path),
    ...(STEPS.includes(step) ? [] : [notSupported(path, new GoSyntax(name, JSON.stringify(name)), STEPS)]),
  ]);
}

/** Of its own resources a claim has room alone. */
function nameErrors(name: string, path: FieldPath): readonly FieldError[] {
  const findings = checkedBy(qualifiedName, name, path);
  if (findings.length > 0) return findings;
  const isForeign = name.includes('/') && !name.startsWith('kubernetes.io/');
  return isForeign || NATIVE.includes(name) ? [] : [notSupported(path, name, NATIVE)];
}
