/** How far a claim has grown, as its status says it where growth that fails may be given up. */
import { append } from '../../../../api/append.ts';
import { GoSyntax } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { PersistentVolumeClaimStatus } from '../../../../api/types/core-v1.ts';
import { checkedBy } from '../../../../api/validation/field-checks.ts';
import { notSupported } from '../../../../api/validation/field-error.ts';
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
  const ofSteps = STATUS.child('allocatedResourceStatus');
  for (const [name, step] of Object.entries(allocatedResourceStatuses)) {
    append(errors, nameErrors(name, ofSteps));
    if (!STEPS.includes(step))
      errors.push(notSupported(ofSteps, new GoSyntax(name, JSON.stringify(name)), STEPS));
  }
  const ofAmounts = STATUS.child('allocatedResources');
  for (const [name, amount] of Object.entries(allocatedResources)) {
    append(errors, nameErrors(name, ofAmounts));
    append(errors, basicResourceErrors(amount, ofAmounts.key(name)));
  }
  return errors;
}

/** Of its own resources a claim has room alone. */
function nameErrors(name: string, path: FieldPath): readonly FieldError[] {
  const findings = checkedBy(qualifiedName, name, path);
  if (findings.length > 0) return findings;
  const isForeign = name.includes('/') && !name.startsWith('kubernetes.io/');
  return isForeign || NATIVE.includes(name) ? [] : [notSupported(path, name, NATIVE)];
}
