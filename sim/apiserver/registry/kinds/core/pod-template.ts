/** PodTemplate: a template that stands alone. */
import type { PodTemplate } from '../../../../api/types/core-v1.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { raiseGeneration } from '../../generic-strategy.ts';
import { withPodFields } from '../pod-spec/disabled-fields.ts';
import { tellingEphemeral } from '../telling-lists.ts';
import { defineKind } from '../../define-kind.ts';
import { containerCells, labelsCell } from '../apps/workload.ts';
import { defaultPodTemplate } from '../pod-spec/default-pod-spec.ts';
import { validatePodTemplate } from '../pod-spec/validate-pod-spec.ts';
import { podTemplateWarnings } from '../pod-spec/warnings.ts';

const TEMPLATE = FieldPath.of('template');

export const podTemplateKind = defineKind<PodTemplate>({
  resource: 'podtemplates',
  strategy: withPodFields<PodTemplate>(({ template }) => template?.spec, {
    nameCheck: nameIsDnsSubdomain,
    tellingEmptyLists: [...tellingEphemeral('template', 'spec')],
    defaults: ({ template }) => defaultPodTemplate(template),
    prepareForCreate: ({ metadata }) => {
      metadata.generation = 1;
    },
    prepareForUpdate: (draft, old) => raiseGeneration(draft, old, ['template']),
    validate: ({ template }) => validatePodTemplate(template, TEMPLATE),
    validateUpdate: ({ template }) => validatePodTemplate(template, TEMPLATE),
    warningsOnCreate: ({ template }, context) => podTemplateWarnings(template, TEMPLATE, context),
    warningsOnUpdate: ({ template }, _old, context) => podTemplateWarnings(template, TEMPLATE, context),
    returnsDeletedObject: true,
    tableRow: ({ metadata, template }) => ({
      cells: [metadata.name, ...containerCells(template?.spec), labelsCell(template?.metadata?.labels)],
    }),
  }),
});
