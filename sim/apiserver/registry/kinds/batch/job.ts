/** Job: pods that run to their end. Its selector and labels are made from its uid. */
import { goStringMap, GoSyntax } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import { parseTime } from '../../../../api/time-format.ts';
import type { Job, JobSpec, JobStatus } from '../../../../api/types/batch-v1.ts';
import { invalid, required } from '../../../../api/validation/field-error.ts';
import { validateLabelSelector } from '../../../../api/validation/labels.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { IMMUTABLE } from '../../../../api/validation/numbers.ts';
import { humanDuration } from '../../../representation/age.ts';
import type { TableClock } from '../../table-row.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { keepMember, raiseGeneration, startGeneration, STATUS_RULES } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import type { Draft } from '../../strategy.ts';
import {
  containerCells,
  parsedSelector,
  selectorCell,
  SPEC,
  STATUS,
  TEMPLATE,
  TEMPLATE_WARNINGS,
  validateCounts,
} from '../apps/workload.ts';
import { defaultPodTemplate } from '../pod-spec/default-pod-spec.ts';
import { goLabelSelector } from '../pod-spec/go-label-selector.ts';
import { validateJobSpec } from './job-spec.ts';

const UID_LABEL = 'batch.kubernetes.io/controller-uid';
const NO_SPEC: JobSpec = { template: {} };

export const jobKind = defineKind<Job>({
  group: 'batch',
  resource: 'jobs',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    defaults: (draft) => {
      if (draft.spec) defaultSpec(draft.spec);
      followTemplateLabels(draft);
    },
    prepareForCreate: (draft, context) => {
      startGeneration(draft, { hasStatus: true, hasGeneration: true });
      if (draft.spec && draft.spec.manualSelector !== true)
        generateSelector(draft, draft.spec, context.isDryRun);
    },
    prepareForUpdate: (draft, old) => {
      keepMember(draft, old, 'status');
      raiseGeneration(draft, old, ['spec']);
    },
    validate: (job) => [...validateGenerated(job), ...validateSpec(job.spec ?? NO_SPEC)],
    validateUpdate: (job, old) => [...validateSpec(job.spec ?? NO_SPEC), ...validateFixed(job, old)],
    ...TEMPLATE_WARNINGS,
    warningsOnDelete: ({ propagationPolicy, orphanDependents }) =>
      propagationPolicy === undefined && orphanDependents === undefined
        ? [
            'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
          ]
        : [],
    defaultPropagation: 'Orphan',
    resetFields: [['status']],
    subresources: {
      status: {
        ...STATUS_RULES,
        validateUpdate: ({ status = {} }, old) => [
          ...validateStatus(status),
          ...validateSuccess(status, old.status ?? {}),
        ],
      },
    },
    selectableFields: ({ status = {} }) => ({ 'status.successful': String(status.succeeded ?? 0) }),
    tableRow: (job, clock) => ({
      cells: [
        job.metadata.name,
        progress(job),
        completions(job),
        duration(job, clock),
        clock.age(job.metadata.creationTimestamp),
        ...containerCells(job.spec?.template.spec),
        selectorCell(job.spec?.selector),
      ],
    }),
  },
});

const BACKOFF_LIMIT = 6;
const UNLIMITED = 2_147_483_647;

function defaultSpec(spec: Draft<JobSpec>): void {
  defaultPodTemplate(spec.template);
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? BACKOFF_LIMIT : UNLIMITED;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  for (const { onPodConditions } of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of onPodConditions ?? []) pattern.status ||= 'True';
  }
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed';
  spec.manualSelector ??= false;
}

/** A job without labels has those of its pods. */
function followTemplateLabels({ metadata, spec }: Draft<Job>): void {
  const labels = spec?.template.metadata?.labels;
  if (labels && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
}

function generateSelector({ metadata }: Draft<Job>, spec: Draft<JobSpec>, isDryRun: boolean): void {
  const { uid = '', name = '' } = metadata;
  const template = (spec.template.metadata ??= {});
  const isFollowing = isEqualJson(metadata.labels ?? {}, template.labels ?? {});
  template.labels = {
    ...template.labels,
    'controller-uid': uid,
    [UID_LABEL]: uid,
    'job-name': name,
    'batch.kubernetes.io/job-name': name,
  };
  // A stored job is defaulted again when it is read; a dry run is not.
  if (isFollowing && (!isDryRun || metadata.labels)) metadata.labels = { ...template.labels };
  const selector = (spec.selector ??= {});
  selector.matchLabels = { ...selector.matchLabels };
  selector.matchLabels[UID_LABEL] ??= uid;
}

function validateGenerated({ metadata, spec = NO_SPEC }: Job): readonly FieldError[] {
  const { selector, manualSelector } = spec;
  if (manualSelector === true || !selector) return [];
  const expected = { matchLabels: { [UID_LABEL]: metadata.uid ?? '' } };
  if (isEqualJson(selector, expected)) return [];
  return [invalid(SPEC.child('selector'), goLabelSelector(selector), '`selector` not auto-generated')];
}

function validateSpec(spec: JobSpec): readonly FieldError[] {
  const { selector, template } = spec;
  const path = SPEC.child('selector');
  const parsed = parsedSelector(selector);
  const labels = template.metadata?.labels;
  return [
    ...validateJobSpec(spec, SPEC),
    ...(selector ? validateLabelSelector(selector, path) : [required(path)]),
    ...(parsed && !parsed.matches(labels)
      ? [
          invalid(
            TEMPLATE.child('metadata', 'labels'),
            goStringMap(labels),
            '`selector` does not match template `labels`',
          ),
        ]
      : []),
  ];
}

const SCHEDULING = ['nodeSelector', 'affinity', 'tolerations', 'schedulingGates'] as const;
/** The real server prints the whole value in Go's syntax, with addresses of the moment. */
const SOME_VALUE = new GoSyntax('{}');

function validateFixed(
  { spec = NO_SPEC }: Job,
  { spec: before = NO_SPEC, status = {} }: Job,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const isElastic = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  if (spec.completions !== before.completions && !isElastic) {
    errors.push(invalid(SPEC.child('completions'), spec.completions, IMMUTABLE));
  }
  if (!isEqualJson(spec.selector ?? null, before.selector ?? null)) {
    errors.push(invalid(SPEC.child('selector'), goLabelSelector(spec.selector), IMMUTABLE));
  }
  const mayMove = before.suspend === true && status.startTime === undefined;
  if (!isEqualJson(fixedTemplate(spec, mayMove), fixedTemplate(before, mayMove))) {
    errors.push(invalid(TEMPLATE, SOME_VALUE, IMMUTABLE));
  }
  for (const name of [
    'completionMode',
    'podFailurePolicy',
    'backoffLimitPerIndex',
    'managedBy',
    'successPolicy',
  ] as const) {
    const value = spec[name];
    if (isEqualJson(value ?? null, before[name] ?? null)) continue;
    errors.push(invalid(SPEC.child(name), typeof value === 'object' ? SOME_VALUE : value, IMMUTABLE));
  }
  return errors;
}

/** The template, without what a suspended job that never ran may still change. */
function fixedTemplate({ template }: JobSpec, mayMove: boolean): object {
  if (!mayMove) return template;
  const spec: object = { ...template.spec };
  for (const name of SCHEDULING) Reflect.deleteProperty(spec, name);
  return { spec };
}

const validateStatus = (status: JobStatus): readonly FieldError[] =>
  validateCounts(status, ['active', 'succeeded', 'failed', 'ready', 'terminating'], STATUS);

/** A job that has ended cannot meet its criteria of success any more. */
function validateSuccess(status: JobStatus, before: JobStatus): readonly FieldError[] {
  const has = ({ conditions }: JobStatus, wanted: string): boolean =>
    conditions?.some(({ type, status: value }) => type === wanted && value === 'True') ?? false;
  if (!has(status, 'SuccessCriteriaMet') || has(before, 'SuccessCriteriaMet')) return [];
  return ['Failed', 'Complete']
    .filter((ended) => has(before, ended))
    .map((ended) => ({
      reason: 'FieldValueInvalid',
      field: STATUS.child('conditions').text,
      message: `Invalid value: cannot set SuccessCriteriaMet=True for Job already has ${ended}=true conditions`,
    }));
}

function progress({ metadata, status = {} }: Job): string {
  const has = (wanted: string): boolean =>
    status.conditions?.some(({ type, status: value }) => type === wanted && value === 'True') ?? false;
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(has) ?? 'Running';
}

function completions({ spec = NO_SPEC, status = {} }: Job): string {
  const done = status.succeeded ?? 0;
  if (spec.completions !== undefined) return `${done}/${spec.completions}`;
  const parallelism = spec.parallelism ?? 0;
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

function duration({ status = {} }: Job, { nowMs }: TableClock): string {
  const { startTime, completionTime } = status;
  if (!startTime) return '';
  const endMs = completionTime ? parseTime(completionTime).epochSeconds * 1_000 : nowMs;
  return humanDuration(endMs - parseTime(startTime).epochSeconds * 1_000);
}
