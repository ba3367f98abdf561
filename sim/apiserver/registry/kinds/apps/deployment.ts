/** Deployment: replica sets one after another, so that its pods are replaced step by step. */
import type { FieldError } from '../../../../api/status.ts';
import { goQuote, GoSyntax } from '../../../../api/go-text.ts';
import type {
  Deployment,
  DeploymentSpec,
  DeploymentStatus,
  DeploymentStrategy,
  RollingUpdateDeployment,
} from '../../../../api/types/apps-v1.ts';
import { forbidden, invalid, notSupported, required } from '../../../../api/validation/field-error.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import {
  amountOf,
  goIntOrString,
  notMoreThanAll,
  notNegative,
  validateIntOrPercent,
} from '../../../../api/validation/numbers.ts';
import { keepMember, raiseGeneration, startGeneration } from '../../generic-strategy.ts';
import { isShared } from '../../shared-parts.ts';
import { withPodFields } from '../pod-spec/disabled-fields.ts';
import { defineKind, WORKLOAD_SCALE } from '../../define-kind.ts';
import type { Draft } from '../../strategy.ts';
import { defaultPodTemplate } from '../pod-spec/default-pod-spec.ts';
import { goValue } from '../go-value.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { validateSetSelector } from './replica-set.ts';
import {
  containerCells,
  OVER_READY,
  OVER_REPLICAS,
  selectorCell,
  SPEC,
  STATUS,
  TELLING_SELECTOR,
  TEMPLATE_WARNINGS,
  validateCountingStatus,
  validateCounts,
  validateNotGreater,
  validateSelectorKept,
} from './workload.ts';

const STRATEGY = SPEC.child('strategy');
const NO_SPEC: DeploymentSpec = { selector: {}, template: {} };

export const deploymentKind = defineKind<Deployment>({
  group: 'apps',
  resource: 'deployments',
  scale: WORKLOAD_SCALE,
  strategy: withPodFields<Deployment>(({ spec }) => spec?.template?.spec, {
    nameCheck: nameIsDnsSubdomain,
    tellingEmptyLists: TELLING_SELECTOR,
    sharesUnchanged: 'members',
    defaults: ({ spec }) => {
      if (!spec || isShared(spec)) return;
      defaultPodTemplate(spec.template);
      spec.replicas ??= 1;
      defaultStrategy((spec.strategy ??= {}));
      spec.revisionHistoryLimit ??= 10;
      spec.progressDeadlineSeconds ??= 600;
    },
    prepareForCreate: (draft) => startGeneration(draft, { hasStatus: true, hasGeneration: true }),
    prepareForUpdate: (draft, old) => {
      keepMember(draft, old, 'status');
      raiseGeneration(draft, old, ['spec']);
      const isSame = isEqualJson(draft.metadata.annotations ?? {}, old.metadata.annotations ?? {});
      if (!isSame) draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
    },
    validate: ({ spec = NO_SPEC }) => validateSpec(spec),
    validateUpdate: ({ spec = NO_SPEC }, old) => [
      ...validateSpec(spec),
      ...validateSelectorKept(spec.selector, old.spec?.selector),
    ],
    ...TEMPLATE_WARNINGS,
    resetFields: [['status']],
    subresources: {
      status: {
        prepareForUpdate: (draft, old) => {
          keepMember(draft, old, 'spec');
          const { labels } = old.metadata;
          if (labels) draft.metadata.labels = { ...labels };
          else delete draft.metadata.labels;
        },
        validateUpdate: validateCountingStatus(validateStatus, {}),
        resetFields: [['spec'], ['metadata', 'labels']],
      },
    },
    tableRow: ({ metadata, spec = NO_SPEC, status = {} }, clock) => ({
      cells: [
        metadata.name,
        `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
        status.updatedReplicas ?? 0,
        status.availableReplicas ?? 0,
        clock.age(metadata.creationTimestamp),
        ...containerCells(spec.template.spec),
        selectorCell(spec.selector),
      ],
    }),
  }),
});

const QUARTER = '25%';

function defaultStrategy(strategy: Draft<DeploymentStrategy>): void {
  strategy.type ||= 'RollingUpdate';
  if (strategy.type !== 'RollingUpdate') return;
  const rolling = (strategy.rollingUpdate ??= {});
  rolling.maxUnavailable ??= QUARTER;
  rolling.maxSurge ??= QUARTER;
}

function validateSpec(spec: DeploymentSpec): readonly FieldError[] {
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec;
  const path = SPEC.child('progressDeadlineSeconds');
  return [
    ...notNegative(spec.replicas, SPEC.child('replicas')),
    ...validateSetSelector(spec, 'ReplicaSet'),
    ...validateStrategy(spec.strategy ?? {}),
    ...notNegative(minReadySeconds, SPEC.child('minReadySeconds')),
    ...notNegative(spec.revisionHistoryLimit, SPEC.child('revisionHistoryLimit')),
    ...notNegative(deadline, path),
    ...(deadline !== undefined && deadline <= minReadySeconds
      ? [invalid(path, deadline, 'must be greater than minReadySeconds')]
      : []),
  ];
}

function validateStrategy(strategy: DeploymentStrategy): readonly FieldError[] {
  const { type = '', rollingUpdate } = strategy;
  const path = STRATEGY.child('rollingUpdate');
  if (type === 'Recreate') {
    return rollingUpdate ? [forbidden(path, "may not be specified when strategy `type` is 'Recreate'")] : [];
  }
  if (type === 'RollingUpdate') {
    if (!rollingUpdate) return [required(path, 'this should be defaulted and never be nil')];
    return validateRolling(rollingUpdate);
  }
  const pointer = rollingUpdate ? '0xc000000000' : 'nil';
  const shown = new GoSyntax(
    `apps.DeploymentStrategy{Type:${goQuote(type)}, RollingUpdate:(*apps.RollingUpdateDeployment)(${pointer})}`,
    () => goValue('apps/v1.DeploymentStrategy', strategy).json ?? '{}',
  );
  return [notSupported(STRATEGY, shown, ['Recreate', 'RollingUpdate'])];
}

function validateRolling({
  maxUnavailable = 0,
  maxSurge = 0,
}: RollingUpdateDeployment): readonly FieldError[] {
  const path = STRATEGY.child('rollingUpdate');
  const unavailable = path.child('maxUnavailable');
  const errors = [
    ...validateIntOrPercent(maxUnavailable, unavailable),
    ...validateIntOrPercent(maxSurge, path.child('maxSurge')),
  ];
  if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0) {
    errors.push(invalid(unavailable, goIntOrString(maxUnavailable), 'may not be 0 when `maxSurge` is 0'));
  }
  return [...errors, ...notMoreThanAll(maxUnavailable, unavailable)];
}

function validateStatus(status: DeploymentStatus): readonly FieldError[] {
  return [
    ...validateCounts(
      status,
      [
        'observedGeneration',
        'replicas',
        'updatedReplicas',
        'readyReplicas',
        'availableReplicas',
        'unavailableReplicas',
        'collisionCount',
      ],
      STATUS,
    ),
    ...validateNotGreater(
      status,
      [
        ['updatedReplicas', 'replicas', OVER_REPLICAS],
        ['readyReplicas', 'replicas', OVER_REPLICAS],
        ['availableReplicas', 'replicas', OVER_REPLICAS],
        ['availableReplicas', 'readyReplicas', OVER_READY],
      ],
      STATUS,
    ),
  ];
}
