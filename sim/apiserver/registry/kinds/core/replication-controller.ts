/** ReplicationController: the older ReplicaSet, with labels as its selector. */
import type { FieldError } from '../../../../api/status.ts';
import { selectorOfLabels } from '../../../../api/selector/label-selector.ts';
import type {
  ReplicationController,
  ReplicationControllerSpec,
  ReplicationControllerStatus,
} from '../../../../api/types/core-v1.ts';
import { required } from '../../../../api/validation/field-error.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { notNegative } from '../../../../api/validation/numbers.ts';
import { keepMember, raiseGeneration, startGeneration, STATUS_RULES } from '../../generic-strategy.ts';
import type { Strategy } from '../../strategy.ts';
import { validateReplicaStatus } from '../apps/replica-set.ts';
import {
  containerCells,
  labelsCell,
  SPEC,
  TEMPLATE,
  TEMPLATE_WARNINGS,
  validateWorkloadTemplate,
} from '../apps/workload.ts';
import { defaultPodTemplate } from '../pod-spec/default-pod-spec.ts';

const NO_SPEC: ReplicationControllerSpec = {};
const NO_STATUS: ReplicationControllerStatus = { replicas: 0 };

export const replicationControllerStrategy: Strategy<ReplicationController> = {
  nameCheck: nameIsDnsSubdomain,
  defaults: (draft) => {
    const { spec, metadata } = draft;
    const labels = spec?.template?.metadata?.labels;
    if (spec) {
      defaultPodTemplate(spec.template);
      spec.replicas ??= 1;
      if (labels && Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
    }
    if (labels && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
  },
  prepareForCreate: (draft) => startGeneration(draft, { hasStatus: true, hasGeneration: true }),
  prepareForUpdate: (draft, old) => {
    keepMember(draft, old, 'status');
    raiseGeneration(draft, old, ['spec']);
  },
  validate: ({ spec = NO_SPEC }) => validateSpec(spec),
  validateUpdate: ({ spec = NO_SPEC }) => validateSpec(spec),
  ...TEMPLATE_WARNINGS,
  resetFields: [['status']],
  defaultPropagation: 'Orphan',
  subresources: {
    status: { ...STATUS_RULES, validateUpdate: ({ status = NO_STATUS }) => validateReplicaStatus(status) },
  },
  selectableFields: ({ status }) => ({ 'status.replicas': String(status?.replicas ?? 0) }),
  tableRow: ({ metadata, spec = NO_SPEC, status = NO_STATUS }, clock) => ({
    cells: [
      metadata.name,
      spec.replicas ?? 0,
      status.replicas,
      status.readyReplicas ?? 0,
      clock.age(metadata.creationTimestamp),
      ...containerCells(spec.template?.spec),
      labelsCell(spec.selector),
    ],
  }),
};

function validateSpec(spec: ReplicationControllerSpec): readonly FieldError[] {
  const { selector = {}, template } = spec;
  const errors: FieldError[] = [...notNegative(spec.minReadySeconds, SPEC.child('minReadySeconds'))];
  if (Object.keys(selector).length === 0) errors.push(required(SPEC.child('selector')));
  errors.push(...notNegative(spec.replicas, SPEC.child('replicas')));
  if (!template) return [...errors, required(TEMPLATE)];
  return [
    ...errors,
    ...validateWorkloadTemplate(selectorOfLabels(selector), template, 'ReplicationController'),
  ];
}
