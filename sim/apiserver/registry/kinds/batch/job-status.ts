/** What a job's status may say: counts, pods that are not counted yet, and conditions that do not contradict one another. */
import type { FieldError } from '../../../../api/status.ts';
import type { Job, JobStatus } from '../../../../api/types/batch-v1.ts';
import { duplicate, invalid } from '../../../../api/validation/field-error.ts';
import { STATUS, validateCounts } from '../apps/workload.ts';
import type { HookContext } from '../../strategy.ts';

/** Whether a condition of a job is true. */
export const isTrue = ({ status }: Job, wanted: string): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === wanted && value === 'True') ?? false;

/** `before`: as it was. */
export function jobStatusErrors(job: Job, before: Job, context: HookContext): readonly FieldError[] {
  const { status = {} } = job;
  return [
    ...validateCounts(status, ['active', 'succeeded', 'failed', 'ready', 'terminating'], STATUS),
    ...uncountedErrors(status),
    ...contradictions(job, before, context).map((why) => ({
      reason: 'FieldValueInvalid' as const,
      field: STATUS.child('conditions').text,
      message: `Invalid value: ${why}`,
    })),
  ];
}

/** A pod is named once, be it among those that succeeded or among those that failed. */
function uncountedErrors({ uncountedTerminatedPods: pods = {} }: JobStatus): readonly FieldError[] {
  const seen = new Set<string>();
  return (['succeeded', 'failed'] as const).flatMap((outcome) =>
    (pods[outcome] ?? []).flatMap((uid, at) => {
      const path = STATUS.child('uncountedTerminatedPods', outcome).index(at);
      if (uid === '') return [invalid(path, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicate(path, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

/** That its criteria of success are met excludes failures, and is never taken back. */
function contradictions(job: Job, before: Job, context: HookContext): readonly string[] {
  const [isMet, wasMet] = [isTrue(job, MET), isTrue(before, MET)];
  const { completionMode, successPolicy } = job.spec ?? {};
  const mayBeMetAnyway = wasMet || OF_ANY_JOB.some((gate) => context.isFeatureEnabled(gate));
  const rules: readonly (readonly [broken: boolean, why: string])[] = [
    [
      isMet && !mayBeMetAnyway && completionMode !== 'Indexed',
      'cannot set SuccessCriteriaMet to NonIndexed Job',
    ],
    [isMet && isTrue(job, 'Failed'), 'cannot set SuccessCriteriaMet=True and Failed=true conditions'],
    [
      isMet && isTrue(job, 'FailureTarget'),
      'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions',
    ],
    [
      isMet && !mayBeMetAnyway && !successPolicy,
      'cannot set SuccessCriteriaMet=True for Job without SuccessPolicy',
    ],
    [
      !isMet && successPolicy !== undefined && isTrue(job, 'Complete'),
      'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True',
    ],
    [wasMet && !isMet, 'cannot disable the SuccessCriteriaMet=True condition'],
    [
      isMet && !wasMet && isTrue(before, 'Complete'),
      'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions',
    ],
  ];
  return rules.flatMap(([broken, why]) => (broken ? [why] : []));
}

const MET = 'SuccessCriteriaMet';
/** With one of them jobs without a policy of success have such criteria, too. */
const OF_ANY_JOB = ['JobManagedBy', 'JobPodReplacementPolicy'];
