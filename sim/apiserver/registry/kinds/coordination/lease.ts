/** Lease: who holds something, and since when. It may be made by PUT, and a PUT has to say what it replaces. */
import type { FieldError } from '../../../../api/status.ts';
import type { Lease } from '../../../../api/types/coordination-k8s-io-v1.ts';
import { invalid } from '../../../../api/validation/field-error.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { notNegative, POSITIVE } from '../../../../api/validation/numbers.ts';
import type { Strategy } from '../../strategy.ts';
import { SPEC } from '../apps/workload.ts';

export const leaseStrategy: Strategy<Lease> = {
  nameCheck: nameIsDnsSubdomain,
  allowsCreateOnUpdate: true,
  requiresVersionOnUpdate: true,
  validate: validateSpec,
  validateUpdate: validateSpec,
  tableRow: ({ metadata, spec }, clock) => ({
    cells: [metadata.name, spec?.holderIdentity ?? '', clock.age(metadata.creationTimestamp)],
  }),
};

function validateSpec({ spec }: Lease): readonly FieldError[] {
  if (!spec) return [];
  const { leaseDurationSeconds: seconds, leaseTransitions } = spec;
  const path = SPEC.child('leaseDurationSeconds');
  return [
    ...(seconds !== undefined && seconds <= 0 ? [invalid(path, seconds, POSITIVE)] : []),
    ...notNegative(leaseTransitions, SPEC.child('leaseTransitions')),
  ];
}
