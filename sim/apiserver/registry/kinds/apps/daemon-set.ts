/** DaemonSet: one pod on every node. An annotation counts the changes of its template. */
import type { FieldError } from '../../../../api/status.ts';
import { goQuote, GoSyntax } from '../../../../api/go-text.ts';
import type {
  DaemonSet,
  DaemonSetSpec,
  DaemonSetStatus,
  DaemonSetUpdateStrategy,
  RollingUpdateDaemonSet,
} from '../../../../api/types/apps-v1.ts';
import { invalid, notSupported, required } from '../../../../api/validation/field-error.ts';
import { validateLabelSelector } from '../../../../api/validation/labels.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import {
  amountOf,
  goIntOrString,
  notMoreThanAll,
  notNegative,
  validateIntOrPercent,
} from '../../../../api/validation/numbers.ts';
import { keepMember, raiseGeneration, startGeneration, STATUS_RULES } from '../../generic-strategy.ts';
import { withPodFields } from '../pod-spec/disabled-fields.ts';
import { defineKind } from '../../define-kind.ts';
import { goValue } from '../go-value.ts';
import type { Draft, DraftObject } from '../../strategy.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { defaultPodTemplate } from '../pod-spec/default-pod-spec.ts';
import { goLabelSelector } from '../pod-spec/go-label-selector.ts';
import { validatePodTemplate } from '../pod-spec/validate-pod-spec.ts';
import { podTemplateWarnings } from '../pod-spec/warnings.ts';
import {
  containerCells,
  isEmptySelector,
  labelsCell,
  parsedSelector,
  selectorCell,
  SPEC,
  STATUS,
  TEMPLATE,
  TELLING_SELECTOR,
  TEMPLATE_WARNINGS,
  validateCountingStatus,
  validateCounts,
  validateEndlessTemplate,
  validateSelectorKept,
  validateTemplateLabels,
} from './workload.ts';

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';
const STRATEGY = SPEC.child('updateStrategy');
const NO_SPEC: DaemonSetSpec = { selector: {}, template: {} };
const NO_STATUS: DaemonSetStatus = {
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
};

const validateStatus = (status: DaemonSetStatus): readonly FieldError[] =>
  validateCounts(
    status,
    [
      ...(['currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled', 'numberReady'] as const),
      ...([
        'observedGeneration',
        'updatedNumberScheduled',
        'numberAvailable',
        'numberUnavailable',
        'collisionCount',
      ] as const),
    ],
    STATUS,
  );

export const daemonSetKind = defineKind<DaemonSet>({
  group: 'apps',
  resource: 'daemonsets',
  strategy: withPodFields<DaemonSet>(({ spec }) => spec?.template?.spec, {
    nameCheck: nameIsDnsSubdomain,
    versionedAnnotations: [TEMPLATE_GENERATION],
    tellingEmptyLists: TELLING_SELECTOR,
    metadataChecks: ['object', 'rules', 'change', 'rules'],
    laterChecks: [['1.34', ['change', 'update', 'rules']]],
    defaults: (draft) => {
      const { spec } = draft;
      if (!spec) return;
      setTemplateGeneration(draft, templateGenerationOf(draft));
      defaultPodTemplate(spec.template);
      defaultStrategy((spec.updateStrategy ??= {}));
      spec.revisionHistoryLimit ??= 10;
    },
    prepareForCreate: (draft) => {
      startGeneration(draft, { hasStatus: true, hasGeneration: true });
      setTemplateGeneration(draft, Math.max(1, templateGenerationOf(draft)));
    },
    prepareForUpdate: (draft, old) => {
      keepMember(draft, old, 'status');
      raiseGeneration(draft, old, ['spec']);
      const isSame = isEqualJson(draft.spec?.template, old.spec?.template);
      setTemplateGeneration(draft, templateGenerationOf(old as DraftObject) + (isSame ? 0 : 1));
    },
    // The server keeps numbers there that are not optional.
    canonicalize: ({ spec }) => {
      const rolling = spec?.updateStrategy?.rollingUpdate;
      if (!rolling) return;
      rolling.maxUnavailable ??= 0;
      rolling.maxSurge ??= 0;
    },
    validate: ({ spec = NO_SPEC }) => validateSpec(spec),
    validateUpdate: ({ spec = NO_SPEC }, old) => validateSelectorKept(spec.selector, old.spec?.selector),
    warningsOnCreate: ({ spec }, context) => podTemplateWarnings(spec?.template, TEMPLATE, context),
    warningsOnUpdate: TEMPLATE_WARNINGS.warningsOnUpdate,
    resetFields: [['status']],
    subresources: {
      status: {
        ...STATUS_RULES,
        prepareForUpdate: (draft, old) => {
          keepMember(draft, old, 'spec');
          setTemplateGeneration(draft, templateGenerationOf(old as DraftObject));
        },
        validateUpdate: validateCountingStatus(validateStatus, NO_STATUS),
      },
    },
    tableRow: ({ metadata, spec = NO_SPEC, status = NO_STATUS }, clock) => ({
      cells: [
        metadata.name,
        status.desiredNumberScheduled,
        status.currentNumberScheduled,
        status.numberReady,
        status.updatedNumberScheduled ?? 0,
        status.numberAvailable ?? 0,
        labelsCell(spec.template.spec?.nodeSelector),
        clock.age(metadata.creationTimestamp),
        ...containerCells(spec.template.spec),
        selectorCell(spec.selector),
      ],
    }),
  }),
});

const templateGenerationOf = ({ metadata }: DraftObject): number => {
  const text = metadata.annotations?.[TEMPLATE_GENERATION] ?? '';
  return /^[0-9]+$/.test(text) ? Number(text) : 0;
};

function setTemplateGeneration({ metadata }: DraftObject, generation: number): void {
  (metadata.annotations ??= {})[TEMPLATE_GENERATION] = String(generation);
}

function defaultStrategy(strategy: Draft<DaemonSetUpdateStrategy>): void {
  strategy.type ||= 'RollingUpdate';
  const isRolling = strategy.type === 'RollingUpdate';
  // The server keeps numbers there that are not optional.
  const rolling = isRolling ? (strategy.rollingUpdate ??= {}) : strategy.rollingUpdate;
  if (!rolling) return;
  rolling.maxUnavailable ??= isRolling ? 1 : 0;
  rolling.maxSurge ??= 0;
}

function validateSpec(spec: DaemonSetSpec): readonly FieldError[] {
  const { selector, template } = spec;
  const path = SPEC.child('selector');
  const parsed = parsedSelector(selector);
  return [
    ...validateLabelSelector(selector, path),
    ...(parsed ? validateTemplateLabels(parsed, template) : []),
    ...(selector && isEmptySelector(selector)
      ? [invalid(path, goLabelSelector(selector), 'empty selector is invalid for daemonset')]
      : []),
    ...validatePodTemplate(template, TEMPLATE),
    ...validateEndlessTemplate(template?.spec, 'DaemonSet'),
    ...notNegative(spec.minReadySeconds, SPEC.child('minReadySeconds')),
    ...validateStrategy(spec.updateStrategy ?? {}),
    ...notNegative(spec.revisionHistoryLimit, SPEC.child('revisionHistoryLimit')),
  ];
}

function validateStrategy({ type = '', rollingUpdate }: DaemonSetUpdateStrategy): readonly FieldError[] {
  if (type === 'OnDelete') return [];
  if (type === 'RollingUpdate') {
    return rollingUpdate ? validateRolling(rollingUpdate) : [required(STRATEGY.child('rollingUpdate'))];
  }
  const shown = new GoSyntax(
    `apps.DaemonSetUpdateStrategy{Type:${goQuote(type)}, RollingUpdate:(*apps.RollingUpdateDaemonSet)(${rollingUpdate ? '0xc000000000' : 'nil'})}`,
    () => goValue('apps/v1.DaemonSetUpdateStrategy', { type, rollingUpdate }).json ?? '{}',
  );
  return [notSupported(STRATEGY, shown, ['RollingUpdate', 'OnDelete'])];
}

function validateRolling({
  maxUnavailable = 0,
  maxSurge = 0,
}: RollingUpdateDaemonSet): readonly FieldError[] {
  const unavailable = STRATEGY.child('rollingUpdate', 'maxUnavailable');
  const surge = STRATEGY.child('rollingUpdate', 'maxSurge');
  const errors = [
    ...validateIntOrPercent(maxUnavailable, unavailable),
    ...validateIntOrPercent(maxSurge, surge),
    ...notMoreThanAll(maxUnavailable, unavailable),
    ...notMoreThanAll(maxSurge, surge),
  ];
  const hasUnavailable = amountOf(maxUnavailable) !== 0;
  const hasSurge = amountOf(maxSurge) !== 0;
  if (hasUnavailable && hasSurge) {
    errors.push(invalid(surge, goIntOrString(maxSurge), 'may not be set when maxUnavailable is non-zero'));
  } else if (!hasUnavailable && !hasSurge) {
    errors.push(required(unavailable, 'cannot be 0 when maxSurge is 0'));
  }
  return errors;
}
