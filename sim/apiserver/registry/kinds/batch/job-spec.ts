/** Rules of a job's spec that hold for the template of a CronJob as well. */
import { domainPrefixedPathErrors } from '../../../../api/validation/domain-prefixed-path.ts';
import { goLength } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { JobSpec } from '../../../../api/types/batch-v1.ts';
import { invalid, longerThan, notSupported, required } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { notNegative } from '../../../../api/validation/numbers.ts';
import { validatePodTemplate } from '../pod-spec/validate-pod-spec.ts';
import { failurePolicyErrors } from './pod-failure-policy.ts';
import { successPolicyErrors } from './success-policy.ts';

const MODES = ['NonIndexed', 'Indexed'];
const REPLACEMENT = ['Failed', 'TerminatingOrFailed'];
const ENDING = ['OnFailure', 'Never'];
const MAX_PARALLEL_INDEXES = 100_000;
const MANY_INDEXES = 100_000;
const MAX_OF_MANY = 10_000;
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
    ...(spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined
      ? [required(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified')]
      : []),
    ...validateManager(spec.managedBy, path.child('managedBy')),
    ...validateIndexes(spec, path),
    ...(spec.podFailurePolicy ? failurePolicyErrors(spec, path.child('podFailurePolicy')) : []),
    ...(spec.successPolicy ? successPolicyErrors(spec, path.child('successPolicy')) : []),
    ...validateReplacement(spec, path.child('podReplacementPolicy')),
    ...validatePodTemplate(spec.template, path.child('template')),
    ...validateRestartPolicy(spec, path.child('template', 'spec', 'restartPolicy')),
  ];
}

const MAX_MANAGER = 63;

function validateManager(manager: string | undefined, path: FieldPath): readonly FieldError[] {
  if (manager === undefined) return [];
  const errors = [...domainPrefixedPathErrors(manager, path)];
  return goLength(manager) > MAX_MANAGER ? [...errors, longerThan(path, MAX_MANAGER)] : errors;
}

function validateIndexes(spec: JobSpec, path: FieldPath): readonly FieldError[] {
  const { completionMode: mode } = spec;
  const errors: FieldError[] = [];
  if (mode !== undefined && !MODES.includes(mode))
    errors.push(notSupported(path.child('completionMode'), mode, MODES));
  if (mode === 'Indexed') return [...errors, ...validateIndexed(spec, path)];
  if (errors.length > 0) return errors;
  for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const) {
    const count = spec[name];
    if (count !== undefined)
      errors.push(invalid(path.child(name), count, 'requires indexed completion mode'));
  }
  return errors;
}

function validateIndexed(spec: JobSpec, path: FieldPath): readonly FieldError[] {
  const { completions, parallelism = 0, backoffLimitPerIndex, maxFailedIndexes } = spec;
  const errors: FieldError[] = [];
  const check = (name: 'parallelism' | 'maxFailedIndexes', most: number, when: string): void => {
    const count = spec[name] ?? 0;
    if (count > most)
      errors.push(invalid(path.child(name), count, `must be less than or equal to ${most}${when}`));
  };
  if (completions === undefined)
    errors.push(required(path.child('completions'), 'when completion mode is Indexed'));
  check('parallelism', MAX_PARALLEL_INDEXES, ' when completion mode is Indexed');
  if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions)
    errors.push(
      invalid(path.child('maxFailedIndexes'), maxFailedIndexes, 'must be less than or equal to completions'),
    );
  check('maxFailedIndexes', MAX_PARALLEL_INDEXES, '');
  if (completions === undefined || completions <= MANY_INDEXES || backoffLimitPerIndex === undefined)
    return errors;
  if (maxFailedIndexes === undefined)
    errors.push(
      required(path.child('maxFailedIndexes'), `must be specified when completions is above ${MANY_INDEXES}`),
    );
  const when = ` when completions are above ${MANY_INDEXES} and used with backoff limit per index`;
  if (parallelism > 0) check('parallelism', MAX_OF_MANY, when);
  check('maxFailedIndexes', MAX_OF_MANY, when);
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

function validateRestartPolicy(
  { template, podFailurePolicy }: JobSpec,
  path: FieldPath,
): readonly FieldError[] {
  const policy = template?.spec?.restartPolicy ?? '';
  if (policy === '' || policy === 'Always') return [required(path, 'valid values: "OnFailure", "Never"')];
  if (!ENDING.includes(policy)) return [notSupported(path, policy, ENDING)];
  if (podFailurePolicy === undefined || policy === 'Never') return [];
  return [invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}
