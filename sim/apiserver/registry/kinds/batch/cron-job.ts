/** CronJob: jobs from a template, by a schedule. */
import type { FieldError } from '../../../../api/status.ts';
import type { CronJob, CronJobSpec } from '../../../../api/types/batch-v1.ts';
import { invalid, notSupported, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { maxLengthFinding, nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { notNegative } from '../../../../api/validation/numbers.ts';
import { SPEC_AND_STATUS, STATUS_RULES } from '../../generic-strategy.ts';
import { withPodFields } from '../pod-spec/disabled-fields.ts';
import { tellingJob } from '../telling-lists.ts';
import { defineKind } from '../../define-kind.ts';
import { containerCells, POD_NAMES, SPEC } from '../apps/workload.ts';
import { defaultPodTemplate } from '../pod-spec/default-pod-spec.ts';
import { goLabelSelector } from '../pod-spec/go-label-selector.ts';
import { hostnameWarning } from '../pod-spec/warnings.ts';
import { isTimeZone } from '../../../../api/time-zone/time-zone.ts';
import { scheduleFinding } from './cron-schedule.ts';
import { validateJobSpec } from './job-spec.ts';
import { jobWarnings } from './job-warnings.ts';

const JOB_TEMPLATE = SPEC.child('jobTemplate');
const JOB_SPEC = JOB_TEMPLATE.child('spec');
const CONCURRENCY = ['Allow', 'Forbid', 'Replace'];
/** Eleven characters are left for what its jobs add. */
const MAX_NAME = 52;
const NO_SPEC: CronJobSpec = { schedule: '', jobTemplate: {} };

export const cronJobKind = defineKind<CronJob>({
  group: 'batch',
  resource: 'cronjobs',
  strategy: withPodFields<CronJob>(({ spec }) => spec?.jobTemplate?.spec?.template?.spec, {
    nameCheck: nameIsDnsSubdomain,
    tellingEmptyLists: tellingJob('spec', 'jobTemplate', 'spec'),
    defaults: ({ spec }) => {
      if (!spec) return;
      defaultPodTemplate(spec.jobTemplate?.spec?.template);
      spec.concurrencyPolicy ||= 'Allow';
      spec.suspend ??= false;
      spec.successfulJobsHistoryLimit ??= 3;
      spec.failedJobsHistoryLimit ??= 1;
    },
    ...SPEC_AND_STATUS,
    validate: ({ metadata: { name = '' }, spec = NO_SPEC }) => [
      ...validateSpec(spec, undefined),
      ...(name.length > MAX_NAME
        ? [invalid(FieldPath.of('metadata', 'name'), name, maxLengthFinding(MAX_NAME))]
        : []),
    ],
    validateUpdate: ({ spec = NO_SPEC }, old) => validateSpec(spec, old.spec),
    warningsOnCreate: ({ metadata, spec }, context) => [
      ...hostnameWarning(metadata.name, POD_NAMES),
      ...jobWarnings(spec?.jobTemplate.spec, JOB_SPEC, context),
      ...timeZoneWarnings(spec),
    ],
    warningsOnUpdate: ({ metadata, spec }, old, context) => [
      ...(metadata.generation === old.metadata.generation
        ? []
        : jobWarnings(spec?.jobTemplate.spec, JOB_SPEC, context)),
      ...timeZoneWarnings(spec),
    ],
    subresources: { status: { ...STATUS_RULES, metadataChecks: [] } },
    tableRow: ({ metadata, spec = NO_SPEC, status = {} }, clock) => ({
      cells: [
        metadata.name,
        spec.schedule,
        spec.timeZone ?? '<none>',
        spec.suspend === undefined ? '<unset>' : spec.suspend ? 'True' : 'False',
        status.active?.length ?? 0,
        status.lastScheduleTime ? clock.age(status.lastScheduleTime) : '<none>',
        clock.age(metadata.creationTimestamp),
        ...containerCells(spec.jobTemplate.spec?.template.spec),
        '<none>',
      ],
    }),
  }),
});

function validateSpec(spec: CronJobSpec, before: CronJobSpec | undefined): readonly FieldError[] {
  const { concurrencyPolicy: policy = '' } = spec;
  return [
    ...validateSchedule(spec, before),
    ...notNegative(spec.startingDeadlineSeconds, SPEC.child('startingDeadlineSeconds')),
    ...validateTimeZone(spec.timeZone, before?.timeZone),
    ...(policy === '' ? [required(SPEC.child('concurrencyPolicy'))] : []),
    ...(policy !== '' && !CONCURRENCY.includes(policy)
      ? [notSupported(SPEC.child('concurrencyPolicy'), policy, CONCURRENCY)]
      : []),
    ...validateTemplate(spec),
    ...notNegative(spec.successfulJobsHistoryLimit, SPEC.child('successfulJobsHistoryLimit')),
    ...notNegative(spec.failedJobsHistoryLimit, SPEC.child('failedJobsHistoryLimit')),
  ];
}

function validateTemplate({ jobTemplate }: CronJobSpec): readonly FieldError[] {
  const { spec = { template: {} } } = jobTemplate;
  const path = JOB_TEMPLATE.child('spec');
  const errors: FieldError[] = [...validateJobSpec(spec, path)];
  if (spec.selector) {
    errors.push(
      invalid(path.child('selector'), goLabelSelector(spec.selector), '`selector` will be auto-generated'),
    );
  }
  if (spec.manualSelector === true) {
    errors.push(notSupported(path.child('manualSelector'), true, ['nil', 'false']));
  }
  return errors;
}

const hasZone = (schedule: string): boolean => schedule.includes('TZ=');

function validateSchedule(
  { schedule, timeZone }: CronJobSpec,
  before: CronJobSpec | undefined,
): readonly FieldError[] {
  const path = SPEC.child('schedule');
  const errors: FieldError[] = [];
  const hadZone = hasZone(before?.schedule ?? '');
  if (!schedule) errors.push(required(path));
  else if (hasZone(schedule) && hadZone && timeZone !== undefined) {
    errors.push(invalid(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
  } else if (hasZone(schedule) && !hadZone) {
    errors.push(invalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
  } else {
    const finding = scheduleFinding(schedule.replace(/^(CRON_)?TZ=\S+\s+/, ''));
    if (finding) errors.push(invalid(path, schedule, finding));
  }
  return errors;
}

function validateTimeZone(zone: string | undefined, before: string | undefined): readonly FieldError[] {
  const path = SPEC.child('timeZone');
  if (zone === undefined || zone === before) return [];
  if (zone === '') return [invalid(path, zone, 'timeZone must be nil or non-empty string')];
  if (zone.toLowerCase() === 'local') {
    const why = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    return [
      invalid(path, zone, why),
      ...(zone === 'Local' ? [] : [invalid(path, zone, `unknown time zone ${zone}`)]),
    ];
  }
  return isTimeZone(zone) ? [] : [invalid(path, zone, `unknown time zone ${zone}`)];
}

function timeZoneWarnings(spec: CronJobSpec | undefined): readonly string[] {
  if (!spec || !hasZone(spec.schedule)) return [];
  return [
    'spec.schedule: CRON_TZ or TZ used in spec.schedule is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
  ];
}
