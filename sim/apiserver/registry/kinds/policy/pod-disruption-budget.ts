/** PodDisruptionBudget: how many pods of a selection may be disrupted at a time. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { PodDisruptionBudget } from '../../../../api/types/policy-v1.ts';
import { invalid, notSupported } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { validateLabelSelector } from '../../../../api/validation/labels.ts';
import { nameIsDnsSubdomain, percent } from '../../../../api/validation/names.ts';
import { goIntOrString } from '../../../../api/validation/numbers.ts';
import { goValue } from '../go-value.ts';
import { keepMember, SPEC_AND_STATUS } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import { conditionsErrors } from '../conditions.ts';

const SPEC = FieldPath.of('spec');
const STATUS = FieldPath.of('status');
const POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];

export const podDisruptionBudgetKind = defineKind<PodDisruptionBudget>({
  group: 'policy',
  resource: 'poddisruptionbudgets',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    metadataChecks: [],
    hasFreeFinalizers: true,
    ignoresMetadataOfNew: true,
    requiresVersionOnUpdate: true,
    ...SPEC_AND_STATUS,
    validate: (budget) => specErrors(budget),
    validateUpdate: (budget) => specErrors(budget),
    subresources: {
      status: {
        prepareForUpdate: (draft, old) => keepMember(draft, old, 'spec'),
        validateUpdate: (budget) => statusErrors(budget),
        resetFields: [['spec']],
      },
    },
    tableRow: ({ metadata, spec, status }, clock) => ({
      cells: [
        metadata.name,
        spec?.minAvailable === undefined ? 'N/A' : String(spec.minAvailable),
        spec?.maxUnavailable === undefined ? 'N/A' : String(spec.maxUnavailable),
        status?.disruptionsAllowed ?? 0,
        clock.age(metadata.creationTimestamp),
      ],
    }),
  },
});

function specErrors({ spec = {} }: PodDisruptionBudget): FieldError[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const shown = goValue('policy/v1.PodDisruptionBudgetSpec', spec);
    errors.push(invalid(SPEC, shown, 'minAvailable and maxUnavailable cannot be both set'));
  }
  if (minAvailable !== undefined) append(errors, amountErrors(minAvailable, SPEC.child('minAvailable')));
  if (maxUnavailable !== undefined)
    append(errors, amountErrors(maxUnavailable, SPEC.child('maxUnavailable')));
  if (selector) append(errors, validateLabelSelector(selector, SPEC.child('selector')));
  if (policy !== undefined && !POLICIES.includes(policy)) {
    errors.push(notSupported(SPEC.child('unhealthyPodEvictionPolicy'), policy, POLICIES));
  }
  return errors;
}

/** A whole number from 0, or a percentage up to 100. */
export function amountErrors(amount: number | string, path: FieldPath): FieldError[] {
  if (typeof amount === 'number')
    return amount < 0 ? [invalid(path, amount, 'must be greater than or equal to 0')] : [];
  const messages = percent(amount);
  const shown = goIntOrString(amount);
  if (messages.length > 0) return messages.map((message) => invalid(path, shown, message));
  return Number(amount.slice(0, -1)) > 100 ? [invalid(path, shown, 'must not be greater than 100%')] : [];
}

function statusErrors({
  status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
}: PodDisruptionBudget): FieldError[] {
  const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;
  return [
    ...conditionsErrors(status.conditions ?? [], STATUS.child('conditions')),
    ...counts.flatMap((name) => {
      const count = status[name] ?? 0;
      return count < 0 ? [invalid(STATUS.child(name), count, 'must be greater than or equal to 0')] : [];
    }),
  ];
}
