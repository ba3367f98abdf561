/** StatefulSet: pods with names and volumes of their own, in order. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import { GoSyntax } from '../../../../api/go-text.ts';
import type { StatefulSet, StatefulSetSpec, StatefulSetStatus } from '../../../../api/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../../../api/types/core-v1.ts';
import { checkedBy } from '../../../../api/validation/field-checks.ts';
import {
  forbidden,
  invalid,
  notSupported,
  required,
  since,
  until,
} from '../../../../api/validation/field-error.ts';
import {
  validateAnnotations,
  validateLabels,
  validateLabelSelector,
} from '../../../../api/validation/labels.ts';
import { dns1123Label, nameIsDnsLabel } from '../../../../api/validation/names.ts';
import {
  amountOf,
  goIntOrString,
  type IntOrString,
  notMoreThanAll,
  notNegative,
  validateIntOrPercent,
} from '../../../../api/validation/numbers.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { isShared } from '../../shared-parts.ts';
import { SPEC_AND_STATUS, STATUS_RULES } from '../../generic-strategy.ts';
import { withPodFields } from '../pod-spec/disabled-fields.ts';
import { defineKind, WORKLOAD_SCALE } from '../../define-kind.ts';
import type { Draft, HookContext } from '../../strategy.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { isSameSelector } from '../telling-lists.ts';
import { claimSizeWarnings, claimSpecErrors, defaultClaimSpec } from '../core/claim-spec.ts';
import { defaultPodTemplate } from '../pod-spec/default-pod-spec.ts';
import { podAnnotationErrors } from '../pod-spec/pod-annotations.ts';
import { GO_ADDRESS } from '../../../../api/codec/go-value.ts';
import { goValue } from '../go-value.ts';
import { validatePodTemplate } from '../pod-spec/validate-pod-spec.ts';
import { goLabelSelector } from '../pod-spec/go-label-selector.ts';
import {
  containerCells,
  isEmptySelector,
  OVER_REPLICAS,
  parsedSelector,
  SPEC,
  STATUS,
  TEMPLATE,
  TELLING_SELECTOR,
  TEMPLATE_WARNINGS,
  validateCountingStatus,
  validateCounts,
  validateEndlessTemplate,
  validateNotGreater,
  validateTemplateLabels,
} from './workload.ts';

const NO_SPEC: StatefulSetSpec = { selector: {}, template: {}, serviceName: '' };
const NO_STATUS: StatefulSetStatus = { replicas: 0, availableReplicas: 0 };
const CHANGEABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const;
/** Gate of `maxUnavailable`. */
const MORE_AT_ONCE = 'MaxUnavailableStatefulSet';
const FIXED =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

export const statefulSetKind = defineKind<StatefulSet>({
  group: 'apps',
  resource: 'statefulsets',
  scale: WORKLOAD_SCALE,
  strategy: withPodFields<StatefulSet>(({ spec }) => spec?.template?.spec, {
    nameCheck: nameIsDnsLabel,
    tellingEmptyLists: TELLING_SELECTOR,
    defaults: ({ spec }, _, features) => {
      if (!spec) return;
      defaultSpec(spec);
      if (features?.isFeatureEnabled(MORE_AT_ONCE) === true) defaultUnavailable(spec);
    },
    ...SPEC_AND_STATUS,
    prepareForCreate: (draft, context) => {
      SPEC_AND_STATUS.prepareForCreate(draft);
      dropUnavailable(draft, undefined, context);
    },
    prepareForUpdate: (draft, old, context) => {
      dropUnavailable(draft, old, context);
      SPEC_AND_STATUS.prepareForUpdate(draft, old);
    },
    validate: ({ spec = NO_SPEC }) => validateSpec(spec, partsOfNewSets(spec)),
    validateUpdate: ({ spec = NO_SPEC }, { spec: before = NO_SPEC }) => [
      ...validateSpec(spec),
      ...(isSameSelector(spec.selector, before.selector) && isEqualJson(fixedPart(spec), fixedPart(before))
        ? []
        : [forbidden(SPEC, FIXED)]),
    ],
    warningsOnCreate: (object, context) => [
      ...TEMPLATE_WARNINGS.warningsOnCreate(object, context),
      ...claimWarnings(object),
    ],
    warningsOnUpdate: (object, old, context) => [
      ...TEMPLATE_WARNINGS.warningsOnUpdate(object, old, context),
      ...claimWarnings(object),
    ],
    subresources: {
      status: {
        ...STATUS_RULES,
        validateUpdate: validateCountingStatus(validateStatus, NO_STATUS),
      },
    },
    tableRow: ({ metadata, spec = NO_SPEC, status = NO_STATUS }, clock) => ({
      cells: [
        metadata.name,
        `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
        clock.age(metadata.creationTimestamp),
        ...containerCells(spec.template.spec),
      ],
    }),
  }),
});

/** One pod after the other, where more at once may be asked for. */
function defaultUnavailable({ updateStrategy: { type, rollingUpdate } = {} }: Draft<StatefulSetSpec>): void {
  if (type === 'RollingUpdate' && rollingUpdate && !isShared(rollingUpdate))
    rollingUpdate.maxUnavailable ??= 1;
}

/** Elsewhere that is asked for in vain. */
function dropUnavailable(
  { spec }: Draft<StatefulSet>,
  old: StatefulSet | undefined,
  context: HookContext,
): void {
  const { rollingUpdate } = spec?.updateStrategy ?? {};
  if (!rollingUpdate || isShared(rollingUpdate) || context.isFeatureEnabled(MORE_AT_ONCE)) return;
  if (old?.spec?.updateStrategy?.rollingUpdate?.maxUnavailable === undefined)
    delete rollingUpdate.maxUnavailable;
}

function defaultSpec(spec: Draft<StatefulSetSpec>): void {
  defaultPodTemplate(spec.template);
  spec.podManagementPolicy ||= 'OrderedReady';
  const strategy = (spec.updateStrategy ??= {});
  if (!strategy.type) {
    strategy.type = 'RollingUpdate';
    strategy.rollingUpdate ??= {};
  }
  if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate) strategy.rollingUpdate.partition ??= 0;
  const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  retention.whenDeleted ||= 'Retain';
  retention.whenScaled ||= 'Retain';
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.kind = 'PersistentVolumeClaim';
    claim.apiVersion = 'v1';
    claim.status ??= {};
    claim.status.phase ||= 'Pending';
    if (claim.spec) defaultClaimSpec(claim.spec);
  }
}

const claimWarnings = ({ spec }: StatefulSet): readonly string[] =>
  (spec?.volumeClaimTemplates ?? []).flatMap((claim, at) =>
    // The path is the template's, though the resources are its spec's.
    claimSizeWarnings(claim.spec ?? {}, SPEC.child('volumeClaimTemplates').index(at)),
  );

type Errors = readonly FieldError[];

/** But for the selector. */
function fixedPart({ selector: _selector, ...spec }: StatefulSetSpec): object {
  const copy: object = { ...spec };
  for (const name of CHANGEABLE) Reflect.deleteProperty(copy, name);
  return copy;
}

/** What can never be changed is asked of new sets alone, and was not always. */
const partsOfNewSets = ({ volumeClaimTemplates = [], serviceName = '' }: StatefulSetSpec): Errors => [
  ...volumeClaimTemplates.flatMap(({ spec = {} }, at) =>
    since('1.34', claimSpecErrors(spec, SPEC.child('volumeClaimTemplates').index(at).child('spec'))),
  ),
  ...(serviceName ? since('1.33', checkedBy(dns1123Label, serviceName, SPEC.child('serviceName'))) : []),
];

/** The template with the volumes that its pods get of their claims, in whose place those of the same name stand back. */
function withClaims({ template, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec | undefined {
  if (volumeClaimTemplates.length === 0 || !template?.spec) return template;
  const names = new Set(volumeClaimTemplates.map(({ metadata }) => metadata?.name ?? ''));
  const claimed = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const others = (template.spec.volumes ?? []).filter(({ name }) => !names.has(name));
  return { ...template, spec: { ...template.spec, volumes: [...claimed, ...others] } };
}

function validateSpec(spec: StatefulSetSpec, ofNewSets: Errors = []): Errors {
  const { selector, template } = spec;
  const path = SPEC.child('selector');
  const errors: FieldError[] = [
    ...validatePolicies(spec),
    ...notNegative(spec.replicas, SPEC.child('replicas')),
    ...notNegative(spec.minReadySeconds, SPEC.child('minReadySeconds')),
    ...notNegative(spec.ordinals?.start, SPEC.child('ordinals', 'start')),
    ...ofNewSets,
  ];
  if (!selector) errors.push(required(path));
  else {
    append(errors, validateLabelSelector(selector, path));
    if (isEmptySelector(selector)) {
      errors.push(invalid(path, goLabelSelector(selector), 'empty selector is invalid for statefulset'));
    }
  }
  const parsed = parsedSelector(selector);
  if (!parsed) errors.push(invalid(path, goLabelSelector(selector), ''));
  else {
    append(errors, validateTemplateLabels(parsed, template));
    // Earlier servers do not look at the containers of the template.
    append(
      errors,
      until('1.34', [
        ...validateLabels(template?.metadata?.labels, TEMPLATE.child('labels')),
        ...validateAnnotations(template?.metadata?.annotations, TEMPLATE.child('annotations')),
        ...podAnnotationErrors(
          template?.metadata?.annotations,
          template?.spec ?? { containers: [] },
          TEMPLATE.child('annotations'),
        ),
      ]),
    );
    append(errors, since('1.34', validatePodTemplate(withClaims(spec), TEMPLATE)));
  }
  return [...errors, ...validateEndlessTemplate(template?.spec, 'StatefulSet')];
}

const RETENTION = ['Delete', 'Retain'];

function validatePolicies(spec: StatefulSetSpec): readonly FieldError[] {
  const errors: FieldError[] = [];
  const {
    podManagementPolicy: management = '',
    updateStrategy = {},
    persistentVolumeClaimRetentionPolicy = {},
  } = spec;
  if (management !== 'OrderedReady' && management !== 'Parallel') {
    errors.push(
      invalid(SPEC.child('podManagementPolicy'), management, "must be 'OrderedReady' or 'Parallel'"),
    );
  }
  append(errors, validateUpdateStrategy(updateStrategy));
  for (const name of ['whenDeleted', 'whenScaled'] as const) {
    const policy = persistentVolumeClaimRetentionPolicy[name] ?? '';
    if (RETENTION.includes(policy)) continue;
    errors.push(
      notSupported(SPEC.child('persistentVolumeClaimRetentionPolicy', name), policy, ['Retain', 'Delete']),
    );
  }
  return errors;
}

const validateUnavailable = (amount: IntOrString, path: FieldPath): readonly FieldError[] => [
  ...validateIntOrPercent(amount, path),
  ...(amountOf(amount) === 0 ? [invalid(path, goIntOrString(amount), 'cannot be 0')] : []),
  ...notMoreThanAll(amount, path),
];

function validateUpdateStrategy({
  type = '',
  rollingUpdate,
}: NonNullable<StatefulSetSpec['updateStrategy']>): readonly FieldError[] {
  const path = SPEC.child('updateStrategy');
  const rolling = path.child('rollingUpdate');
  if (type === 'OnDelete') {
    if (!rollingUpdate) return [];
    const { partition = 0, maxUnavailable } = rollingUpdate;
    const amount = maxUnavailable === undefined ? 'nil' : GO_ADDRESS;
    const shown = new GoSyntax(
      `apps.RollingUpdateStatefulSetStrategy{Partition:${partition}, MaxUnavailable:(*intstr.IntOrString)(${amount})}`,
      JSON.stringify({ Partition: partition, MaxUnavailable: maxUnavailable ?? null }),
    );
    return [invalid(rolling, shown, "only allowed for updateStrategy 'RollingUpdate'")];
  }
  if (type === 'RollingUpdate') {
    const { partition, maxUnavailable } = rollingUpdate ?? {};
    return [
      ...notNegative(partition, rolling.child('partition')),
      ...(maxUnavailable === undefined
        ? []
        : validateUnavailable(maxUnavailable, rolling.child('maxUnavailable'))),
    ];
  }
  const shown = goValue('apps/v1.StatefulSetUpdateStrategy', { type, rollingUpdate });
  return [invalid(path, shown, "must be 'RollingUpdate' or 'OnDelete'")];
}

function validateStatus(status: StatefulSetStatus): readonly FieldError[] {
  return [
    ...validateCounts(
      status,
      [
        'replicas',
        'readyReplicas',
        'currentReplicas',
        'updatedReplicas',
        'availableReplicas',
        'observedGeneration',
        'collisionCount',
      ],
      STATUS,
    ),
    ...validateNotGreater(
      status,
      [
        ['readyReplicas', 'replicas', OVER_REPLICAS],
        ['currentReplicas', 'replicas', OVER_REPLICAS],
        ['updatedReplicas', 'replicas', OVER_REPLICAS],
        ['availableReplicas', 'replicas', OVER_REPLICAS],
        ['availableReplicas', 'readyReplicas', 'cannot be greater than status.readyReplicas'],
      ],
      STATUS,
    ),
  ];
}
