/** Rules of a job's spec that hold for the template of a CronJob as well. */
import type { FieldError } from '../../../../api/status.ts';
import type { JobSpec, PodFailurePolicy, SuccessPolicy } from '../../../../api/types/batch-v1.ts';
import { forbidden, invalid, notSupported, required } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { notNegative } from '../../../../api/validation/numbers.ts';
import { RESTART_POLICIES, validatePodTemplate } from '../pod-spec/validate-pod-spec.ts';

const MODES = ['NonIndexed', 'Indexed'];
const REPLACEMENT = ['Failed', 'TerminatingOrFailed'];
const ENDING = ['OnFailure', 'Never'];
const MAX_PARALLEL_INDEXES = 100_000;
const COUNTS = [
  ...([
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
  ] as const),
  ...(['backoffLimitPerIndex', 'maxFailedIndexes'] as const),
];

export function validateJobSpec(spec: JobSpec, path: FieldPath): readonly FieldError[] {
  return [
    ...COUNTS.flatMap((name) => notNegative(spec[name], path.child(name))),
    ...validateIndexes(spec, path),
    ...(spec.podFailurePolicy
      ? validateFailurePolicy(spec.podFailurePolicy, spec, path.child('podFailurePolicy'))
      : []),
    ...(spec.successPolicy
      ? validateSuccessPolicy(spec.successPolicy, spec, path.child('successPolicy'))
      : []),
    ...validateReplacement(spec, path.child('podReplacementPolicy')),
    ...validatePodTemplate(spec.template, path.child('template')),
    ...validateRestartPolicy(spec, path.child('template', 'spec', 'restartPolicy')),
  ];
}

function validateIndexes(spec: JobSpec, path: FieldPath): readonly FieldError[] {
  const { completionMode: mode, completions, parallelism = 0, backoffLimitPerIndex, maxFailedIndexes } = spec;
  const errors: FieldError[] = [];
  if (backoffLimitPerIndex !== undefined && mode !== 'Indexed') {
    errors.push(
      invalid(path.child('backoffLimitPerIndex'), backoffLimitPerIndex, 'requires indexed completion mode'),
    );
  }
  if (maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined) {
    errors.push(required(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified'));
  }
  if (mode === undefined) return errors;
  if (!MODES.includes(mode)) errors.push(notSupported(path.child('completionMode'), mode, MODES));
  if (mode !== 'Indexed') return errors;
  if (completions === undefined)
    errors.push(required(path.child('completions'), 'when completion mode is Indexed'));
  if (parallelism > MAX_PARALLEL_INDEXES) {
    const why = `must be less than or equal to ${MAX_PARALLEL_INDEXES} when completion mode is Indexed`;
    errors.push(invalid(path.child('parallelism'), parallelism, why));
  }
  return errors;
}

function validateReplacement(
  { podReplacementPolicy: policy, podFailurePolicy }: JobSpec,
  path: FieldPath,
): readonly FieldError[] {
  if (policy === undefined) return [];
  const supported = podFailurePolicy ? ['Failed'] : REPLACEMENT;
  return supported.includes(policy) ? [] : [notSupported(path, policy, supported)];
}

function validateRestartPolicy({ template }: JobSpec, path: FieldPath): readonly FieldError[] {
  const policy = template.spec?.restartPolicy ?? '';
  if (ENDING.includes(policy)) return [];
  if (policy === '' || policy === 'Always') return [required(path, 'valid values: "OnFailure", "Never"')];
  return RESTART_POLICIES.includes(policy) ? [] : [notSupported(path, policy, ENDING)];
}

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const MAX_RULES = 20;

function validateFailurePolicy(
  { rules }: PodFailurePolicy,
  { template }: JobSpec,
  path: FieldPath,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const policy = template.spec?.restartPolicy;
  if (policy !== 'Never') {
    errors.push(invalid(path, policy ?? '', 'only "Never" is supported for podFailurePolicy'));
  }
  (rules ?? []).slice(0, MAX_RULES).forEach(({ action, onExitCodes, onPodConditions }, at) => {
    const own = path.child('rules').index(at);
    if (!action)
      errors.push(
        required(
          own.child('action'),
          `valid values: ${ACTIONS.map((name) => JSON.stringify(name)).join(', ')}`,
        ),
      );
    else if (!ACTIONS.includes(action)) errors.push(notSupported(own.child('action'), action, ACTIONS));
    const hasConditions = (onPodConditions?.length ?? 0) > 0;
    if (onExitCodes && hasConditions) {
      errors.push(invalid(own, action, 'specifying both OnExitCodes and OnPodConditions is not supported'));
    }
    if (!onExitCodes && !hasConditions) {
      errors.push(invalid(own, action, 'specifying one of OnExitCodes and OnPodConditions is required'));
    }
    if (!onExitCodes) return;
    const { operator, values = [] } = onExitCodes;
    if (!OPERATORS.includes(operator))
      errors.push(notSupported(own.child('onExitCodes', 'operator'), operator, OPERATORS));
    if (values.length === 0)
      errors.push(invalid(own.child('onExitCodes', 'values'), 0, 'at least one value is required'));
  });
  return errors;
}

function validateSuccessPolicy(
  { rules = [] }: SuccessPolicy,
  { completionMode, completions = 0 }: JobSpec,
  path: FieldPath,
): readonly FieldError[] {
  const own = path.child('rules');
  if (completionMode !== 'Indexed') return [forbidden(path, 'requires indexed completion mode')];
  if (rules.length === 0)
    return [required(own, 'at least one rules must be specified when the successPolicy is specified')];
  return rules.flatMap(({ succeededCount, succeededIndexes }, at) => {
    const place = own.index(at);
    if (succeededCount === undefined && succeededIndexes === undefined) {
      return [required(place, 'at least one of succeededCount or succeededIndexes must be specified')];
    }
    if (succeededCount === undefined || (succeededCount > 0 && succeededCount <= completions)) return [];
    return [
      invalid(
        place.child('succeededCount'),
        succeededCount,
        `must be less than or equal to ${completions} (the number of specified completions)`,
      ),
    ];
  });
}
