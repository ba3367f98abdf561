/** PodDisruptionBudget: how many of the selected pods may be taken away by evictions at one time. */
import type { FieldError } from '../../../../api/status.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus } from '../../../../api/types/policy-v1.ts';
import { GoSyntax } from '../../../../api/go-text.ts';
import { invalid, notSupported, required } from '../../../../api/validation/field-error.ts';
import { validateLabelSelector } from '../../../../api/validation/labels.ts';
import { nameIsDnsSubdomain, qualifiedName } from '../../../../api/validation/names.ts';
import { notMoreThanAll, validateIntOrPercent } from '../../../../api/validation/numbers.ts';
import { keepMember, raiseGeneration, startGeneration } from '../../generic-strategy.ts';
import type { Strategy } from '../../strategy.ts';
import { SPEC, STATUS, STATUS_UPDATE, validateCounts } from '../apps/workload.ts';

const NO_SPEC: PodDisruptionBudgetSpec = {};
const NO_STATUS: PodDisruptionBudgetStatus = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
const POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];
const CONDITION_STATUSES = ['False', 'True', 'Unknown'];

export const podDisruptionBudgetStrategy: Strategy<PodDisruptionBudget> = {
  nameCheck: nameIsDnsSubdomain,
  requiresVersionOnUpdate: true,
  prepareForCreate: (draft) => startGeneration(draft, { hasStatus: true, hasGeneration: true }),
  prepareForUpdate: (draft, old) => {
    keepMember(draft, old, 'status');
    raiseGeneration(draft, old, ['spec']);
  },
  validate: ({ spec = NO_SPEC }) => validateSpec(spec),
  validateUpdate: ({ spec = NO_SPEC }) => validateSpec(spec),
  resetFields: [['status']],
  subresources: {
    status: { ...STATUS_UPDATE, validateUpdate: ({ status = NO_STATUS }) => validateStatus(status) },
  },
  tableRow: ({ metadata, spec = NO_SPEC, status = NO_STATUS }, clock) => ({
    cells: [
      metadata.name,
      spec.minAvailable === undefined ? 'N/A' : String(spec.minAvailable),
      spec.maxUnavailable === undefined ? 'N/A' : String(spec.maxUnavailable),
      status.disruptionsAllowed,
      clock.age(metadata.creationTimestamp),
    ],
  }),
};

function validateSpec({ minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy }: PodDisruptionBudgetSpec): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const shown = new GoSyntax('policy.PodDisruptionBudgetSpec{}');
    errors.push(invalid(SPEC, shown, 'minAvailable and maxUnavailable cannot be both set'));
  }
  for (const [name, value] of [['minAvailable', minAvailable], ['maxUnavailable', maxUnavailable]] as const) {
    if (value === undefined) continue;
    errors.push(...validateIntOrPercent(value, SPEC.child(name)), ...notMoreThanAll(value, SPEC.child(name)));
  }
  errors.push(...validateLabelSelector(selector, SPEC.child('selector')));
  if (policy !== undefined && !POLICIES.includes(policy)) {
    errors.push(notSupported(SPEC.child('unhealthyPodEvictionPolicy'), policy, POLICIES));
  }
  return errors;
}

function validateStatus(status: PodDisruptionBudgetStatus): readonly FieldError[] {
  const path = STATUS.child('conditions');
  return [
    ...(status.conditions ?? []).flatMap(({ type, status: value, lastTransitionTime, reason }, at) => {
      const own = path.index(at);
      const errors = qualifiedName(type).map((finding) => invalid(own.child('type'), type, finding));
      if (!CONDITION_STATUSES.includes(value)) errors.push(notSupported(own.child('status'), value, CONDITION_STATUSES));
      if (!lastTransitionTime) errors.push(required(own.child('lastTransitionTime'), 'must be set'));
      if (!reason) errors.push(required(own.child('reason'), 'must be set'));
      return errors;
    }),
    ...validateCounts(status, ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'], STATUS),
  ];
}
