/** Job: pods that run to their end. Its selector and labels are made from its uid. */
import { goStringMap } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import { parseTime } from '../../../../api/time-format.ts';
import type { Job, JobSpec } from '../../../../api/types/batch-v1.ts';
import { ownMember } from '../../../../api/own-member.ts';
import { type BadValue, invalid, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { validateLabelSelector } from '../../../../api/validation/labels.ts';
import { dns1123Label, nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { IMMUTABLE } from '../../../../api/validation/numbers.ts';
import { humanDuration } from '../../../representation/age.ts';
import type { TableClock } from '../../table-row.ts';
import { isEqualJson, isSemanticallyEqual } from '../../../verbs/equal-json.ts';
import { keepMember, raiseGeneration, startGeneration, STATUS_RULES } from '../../generic-strategy.ts';
import { withPodFields } from '../pod-spec/disabled-fields.ts';
import { isSameSelector, tellingJob } from '../telling-lists.ts';
import { defineKind } from '../../define-kind.ts';
import type { Draft, HookContext } from '../../strategy.ts';
import { containerCells, parsedSelector, selectorCell, POD_NAMES, SPEC, TEMPLATE } from '../apps/workload.ts';
import { defaultPodTemplate } from '../pod-spec/default-pod-spec.ts';
import { hostnameWarning } from '../pod-spec/warnings.ts';
import { goLabelSelector } from '../pod-spec/go-label-selector.ts';
import { goValue } from '../go-value.ts';
import { validateJobSpec } from './job-spec.ts';
import { isTrue, jobStatusErrors } from './job-status.ts';
import { jobWarnings } from './job-warnings.ts';

const UID_LABEL = 'batch.kubernetes.io/controller-uid';
const NO_SPEC: JobSpec = { template: {} };

export const jobKind = defineKind<Job>({
  group: 'batch',
  resource: 'jobs',
  strategy: withPodFields<Job>(({ spec }) => spec?.template?.spec, {
    nameCheck: nameIsDnsSubdomain,
    tellingEmptyLists: tellingJob('spec'),
    metadataChecks: ['object', 'rules', 'change'],
    defaults: (draft) => {
      if (draft.spec) defaultSpec(draft.spec);
      followTemplateLabels(draft);
    },
    prepareForCreate: (draft, context) => {
      startGeneration(draft, { hasStatus: true, hasGeneration: true });
      dropDisabled(draft, context);
      if (draft.spec && draft.spec.manualSelector !== true) generateSelector(draft, draft.spec);
    },
    prepareForUpdate: (draft, old, context) => {
      keepMember(draft, old, 'status');
      if (!context.isFeatureEnabled('JobSuccessPolicy') && !old.spec?.successPolicy)
        delete draft.spec?.successPolicy;
      raiseGeneration(draft, old, ['spec']);
    },
    validate: (job) => [
      ...validateGenerated(job),
      ...validateSpec(job.spec ?? NO_SPEC),
      ...validateIndexedName(job),
    ],
    rulesOnUpdate: (job, old) => [...validateGenerated(job, old), ...validateSpec(job.spec ?? NO_SPEC)],
    validateUpdate: (job, old) => [...validateSpec(job.spec ?? NO_SPEC), ...validateFixed(job, old)],
    // What was stored is defaulted again.
    canonicalize: followTemplateLabels,
    isStoredOtherwise: hasGeneratedLabelsAlone,
    warningsOnCreate: (object, context) => [
      ...hostnameWarning(object.metadata.name, POD_NAMES),
      ...jobWarnings(object.spec, SPEC, context),
    ],
    warningsOnUpdate: ({ metadata, spec }, old, context) =>
      metadata.generation === old.metadata.generation ? [] : jobWarnings(spec, SPEC, context),
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
        validateUpdate: jobStatusErrors,
      },
    },
    selectableFields: ({ status = {} }) => ({ 'status.successful': String(status.succeeded ?? 0) }),
    tableRow: (job, clock) => ({
      cells: [
        job.metadata.name,
        progress(job, clock),
        completions(job),
        duration(job, clock),
        clock.age(job.metadata.creationTimestamp),
        ...containerCells(job.spec?.template.spec),
        selectorCell(job.spec?.selector),
      ],
    }),
  }),
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

function dropDisabled({ spec }: Draft<Job>, context: HookContext): void {
  if (spec && !context.isFeatureEnabled('JobManagedBy')) delete spec.managedBy;
  if (spec && !context.isFeatureEnabled('JobSuccessPolicy')) delete spec.successPolicy;
}

/** A job without labels has those of its pods. */
function followTemplateLabels({ metadata, spec }: Draft<Job>): void {
  const labels = spec?.template.metadata?.labels;
  if (labels && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
}

/** It was stored without labels, before those of its template were made; they are shown since. */
function hasGeneratedLabelsAlone({ metadata, spec }: Job): boolean {
  const { labels = {} } = metadata;
  if (spec?.manualSelector === true || Object.keys(labels).length !== GENERATED_LABELS.length) return false;
  return GENERATED_LABELS.every(([label, member]) => labels[label] === metadata[member]);
}

function generateSelector({ metadata }: Draft<Job>, spec: Draft<JobSpec>): void {
  const { uid = '', name = '' } = metadata;
  const template = (spec.template.metadata ??= {});
  const isFollowing = isEqualJson(metadata.labels ?? {}, template.labels ?? {});
  template.labels = {
    'controller-uid': uid,
    [UID_LABEL]: uid,
    'job-name': name,
    'batch.kubernetes.io/job-name': name,
    ...template.labels,
  };
  if (isFollowing && metadata.labels) metadata.labels = { ...template.labels };
  const selector = (spec.selector ??= {});
  selector.matchLabels = { ...selector.matchLabels };
  selector.matchLabels[UID_LABEL] ??= uid;
}

const PLAIN_LABELS = [
  ['controller-uid', 'uid'],
  ['job-name', 'name'],
] as const;
const PREFIXED_LABELS = [
  [UID_LABEL, 'uid'],
  ['batch.kubernetes.io/job-name', 'name'],
] as const;
const GENERATED_LABELS = [...PLAIN_LABELS, ...PREFIXED_LABELS];

function validateGenerated({ metadata, spec = NO_SPEC }: Job, old?: Job): readonly FieldError[] {
  const { selector, manualSelector, template } = spec;
  if (manualSelector === true) return [];
  const labels = template?.metadata?.labels ?? {};
  const path = TEMPLATE.child('metadata', 'labels');
  const errors: FieldError[] = [];
  if (!selector) return errors;
  const oldLabels = old?.spec?.template?.metadata?.labels;
  // Jobs of releases before the labels with a prefix go on without them.
  const isPrefixed = !old || PREFIXED_LABELS.every(([label]) => oldLabels && Object.hasOwn(oldLabels, label));
  const wanted = isPrefixed ? GENERATED_LABELS : PLAIN_LABELS;
  for (const [label, member] of wanted) {
    const expected = metadata[member] ?? '';
    const value = ownMember(labels, label);
    if (value === undefined) errors.push(required(path.key(label), `must be '${expected}'`));
    else if (value !== expected)
      errors.push(invalid(path.key(label), goStringMap(labels), `must be '${expected}'`));
  }
  const generated = Object.fromEntries(wanted.map(([label, member]) => [label, metadata[member] ?? '']));
  if (parsedSelector(selector)?.matches(generated) === false)
    errors.push(invalid(SPEC.child('selector'), goLabelSelector(selector), '`selector` not auto-generated'));
  return errors;
}

/** The pods of an indexed job have the job's name and their index as host name. */
function validateIndexedName({ metadata: { name = '' }, spec = NO_SPEC }: Job): readonly FieldError[] {
  const { completionMode, completions } = spec;
  if (completionMode !== 'Indexed' || completions === undefined || completions < 1) return [];
  const pod = `${name}-${completions - 1}`;
  if (dns1123Label(pod).length === 0) return [];
  const why = `will not able to create pod with invalid DNS label: ${pod}`;
  return [invalid(FieldPath.of('metadata', 'name'), name, why)];
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
const FIXED_TYPES: Readonly<Record<string, string>> = {
  podFailurePolicy: 'batch/v1.PodFailurePolicy',
  successPolicy: 'batch/v1.SuccessPolicy',
};

const shownFixed = (name: string, value: unknown): BadValue =>
  typeof value === 'object' && value !== null
    ? goValue(FIXED_TYPES[name] ?? '', value)
    : (value as string | number | undefined);

function validateFixed(
  { spec = NO_SPEC }: Job,
  { spec: before = NO_SPEC, status = {} }: Job,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (spec.completions !== before.completions) {
    if (spec.completionMode !== 'Indexed')
      errors.push(invalid(SPEC.child('completions'), spec.completions, IMMUTABLE));
    else if (spec.completions !== undefined && spec.completions !== spec.parallelism) {
      const why = 'can only be modified in tandem with spec.parallelism';
      errors.push(invalid(SPEC.child('completions'), spec.completions, why));
    }
  }
  if (!isSameSelector(spec.selector, before.selector)) {
    errors.push(
      invalid(SPEC.child('selector'), spec.selector ? goLabelSelector(spec.selector) : null, IMMUTABLE),
    );
  }
  const mayMove = before.suspend === true && status.startTime === undefined;
  if (!isSemanticallyEqual(fixedTemplate(spec, mayMove), fixedTemplate(before, mayMove))) {
    errors.push(invalid(TEMPLATE, goValue('v1.PodTemplateSpec', spec.template), IMMUTABLE));
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
    errors.push(invalid(SPEC.child(name), shownFixed(name, value), IMMUTABLE));
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

function progress(job: Job, clock: TableClock): string {
  const has = (wanted: string): boolean => isTrue(job, wanted);
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const last = clock.isReleasedBy('1.34') ? ['SuccessCriteriaMet'] : [];
  return ['Suspended', 'FailureTarget', ...last].find(has) ?? 'Running';
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
