/** ReplicationController: the older ReplicaSet, with labels as its selector. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import { selectorOfLabels } from '../../../../api/selector/label-selector.ts';
import type { ReplicationController, ReplicationControllerSpec } from '../../../../api/types/core-v1.ts';
import { required } from '../../../../api/validation/field-error.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { notNegative } from '../../../../api/validation/numbers.ts';
import { SPEC_AND_STATUS } from '../../generic-strategy.ts';
import { withPodFields } from '../pod-spec/disabled-fields.ts';
import { tellingEphemeral } from '../telling-lists.ts';
import { defineKind, WORKLOAD_SCALE } from '../../define-kind.ts';
import { REPLICA_STATUS, replicaCells } from '../apps/replica-status.ts';
import { labelsCell, SPEC, TEMPLATE, TEMPLATE_WARNINGS, validateWorkloadTemplate } from '../apps/workload.ts';
import { defaultPodTemplate } from '../pod-spec/default-pod-spec.ts';

const NO_SPEC: ReplicationControllerSpec = {};

export const replicationControllerKind = defineKind<ReplicationController>({
  resource: 'replicationcontrollers',
  storageDirectory: 'controllers',
  scale: WORKLOAD_SCALE,
  strategy: withPodFields<ReplicationController>(({ spec }) => spec?.template?.spec, {
    nameCheck: nameIsDnsSubdomain,
    tellingEmptyLists: [
      ['spec', 'template', 'metadata', 'labels'],
      ...tellingEphemeral('spec', 'template', 'spec'),
    ],
    metadataChecks: ['object', 'rules', 'change', 'rules'],
    laterChecks: [['1.35', ['change', 'rules']]],
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
    ...SPEC_AND_STATUS,
    validate: ({ spec = NO_SPEC }) => validateSpec(spec),
    ...TEMPLATE_WARNINGS,
    // Of the template that is given up, for the real server mixes up the two.
    warningsOnUpdate: (controller, old, context) =>
      TEMPLATE_WARNINGS.warningsOnUpdate({ ...controller, spec: old.spec ?? NO_SPEC }, old, context),
    defaultPropagation: 'Orphan',
    ...REPLICA_STATUS,
    tableRow: (controller, clock) => ({
      cells: [...replicaCells(controller, clock), labelsCell(controller.spec?.selector)],
    }),
  }),
});

function validateSpec(spec: ReplicationControllerSpec): readonly FieldError[] {
  const { selector = {}, template } = spec;
  const errors: FieldError[] = [...notNegative(spec.minReadySeconds, SPEC.child('minReadySeconds'))];
  if (Object.keys(selector).length === 0) errors.push(required(SPEC.child('selector')));
  append(errors, notNegative(spec.replicas, SPEC.child('replicas')));
  if (!template) return [...errors, required(TEMPLATE)];
  return [
    ...errors,
    ...validateWorkloadTemplate(selectorOfLabels(selector), template, 'ReplicationController'),
  ];
}
