/** ReplicaSet: so many pods of one template. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { ReplicaSet, ReplicaSetSpec } from '../../../../api/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../../../api/types/core-v1.ts';
import type { LabelSelector } from '../../../../api/types/meta-k8s-io-v1.ts';
import { invalid, required } from '../../../../api/validation/field-error.ts';
import { validateLabelSelector } from '../../../../api/validation/labels.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { notNegative } from '../../../../api/validation/numbers.ts';
import { SPEC_AND_STATUS } from '../../generic-strategy.ts';
import { isShared } from '../../shared-parts.ts';
import { withPodFields } from '../pod-spec/disabled-fields.ts';
import { defineKind, WORKLOAD_SCALE } from '../../define-kind.ts';
import { defaultPodTemplate } from '../pod-spec/default-pod-spec.ts';
import { goLabelSelector } from '../pod-spec/go-label-selector.ts';
import { REPLICA_STATUS, replicaCells } from './replica-status.ts';
import {
  isEmptySelector,
  parsedSelector,
  selectorCell,
  SPEC,
  TELLING_SELECTOR,
  TEMPLATE_WARNINGS,
  validateSelectorKept,
  validateWorkloadTemplate,
} from './workload.ts';

const NO_SPEC: ReplicaSetSpec = { selector: {} };

export const replicaSetKind = defineKind<ReplicaSet>({
  group: 'apps',
  resource: 'replicasets',
  scale: WORKLOAD_SCALE,
  strategy: withPodFields<ReplicaSet>(({ spec }) => spec?.template?.spec, {
    nameCheck: nameIsDnsSubdomain,
    tellingEmptyLists: TELLING_SELECTOR,
    metadataChecks: ['object', 'rules', 'change', 'rules'],
    laterChecks: [['1.34', ['change', 'rules']]],
    sharesUnchanged: 'members',
    defaults: ({ spec }) => {
      if (!spec || isShared(spec)) return;
      defaultPodTemplate(spec.template);
      spec.replicas ??= 1;
    },
    ...SPEC_AND_STATUS,
    validate: ({ spec = NO_SPEC }) => validateSpec(spec),
    validateUpdate: ({ spec = NO_SPEC }, old) => validateSelectorKept(spec.selector, old.spec?.selector),
    ...TEMPLATE_WARNINGS,
    ...REPLICA_STATUS,
    tableRow: (set, clock) => ({ cells: [...replicaCells(set, clock), selectorCell(set.spec?.selector)] }),
  }),
});

function validateSpec(spec: ReplicaSetSpec): readonly FieldError[] {
  return [
    ...notNegative(spec.replicas, SPEC.child('replicas')),
    ...notNegative(spec.minReadySeconds, SPEC.child('minReadySeconds')),
    ...validateSetSelector(spec, 'ReplicaSet'),
  ];
}

interface Selecting {
  readonly selector?: LabelSelector | null;
  readonly template?: PodTemplateSpec;
}

/** The selector and the template that it has to match. An empty selector is told in the words of deployments. */
export function validateSetSelector({ selector, template }: Selecting, kind: string): readonly FieldError[] {
  const path = SPEC.child('selector');
  const errors: FieldError[] = [];
  if (!selector) errors.push(required(path));
  else {
    append(errors, validateLabelSelector(selector, path));
    if (isEmptySelector(selector)) {
      errors.push(invalid(path, goLabelSelector(selector), 'empty selector is invalid for deployment'));
    }
  }
  const parsed = parsedSelector(selector);
  if (!parsed) return [...errors, invalid(path, goLabelSelector(selector), 'invalid label selector')];
  return [...errors, ...validateWorkloadTemplate(parsed, template, kind)];
}
