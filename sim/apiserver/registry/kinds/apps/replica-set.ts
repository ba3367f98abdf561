/** ReplicaSet: so many pods of one template. */
import type { FieldError } from '../../../../api/status.ts';
import type { ReplicaSet, ReplicaSetSpec, ReplicaSetStatus } from '../../../../api/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../../../api/types/core-v1.ts';
import type { LabelSelector } from '../../../../api/types/meta-k8s-io-v1.ts';
import { invalid, required } from '../../../../api/validation/field-error.ts';
import { validateLabelSelector } from '../../../../api/validation/labels.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { notNegative } from '../../../../api/validation/numbers.ts';
import { keepMember, raiseGeneration, startGeneration, STATUS_RULES } from '../../generic-strategy.ts';
import type { Strategy } from '../../strategy.ts';
import { defaultPodTemplate } from '../pod-spec/default-pod-spec.ts';
import { goLabelSelector } from '../pod-spec/go-label-selector.ts';
import {
  containerCells,
  isEmptySelector,
  OVER_READY,
  OVER_REPLICAS,
  parsedSelector,
  selectorCell,
  SPEC,
  STATUS,
  TEMPLATE_WARNINGS,
  validateCounts,
  validateNotGreater,
  validateSelectorKept,
  validateWorkloadTemplate,
} from './workload.ts';

const NO_SPEC: ReplicaSetSpec = { selector: {} };
const NO_STATUS: ReplicaSetStatus = { replicas: 0 };

export const replicaSetStrategy: Strategy<ReplicaSet> = {
  nameCheck: nameIsDnsSubdomain,
  defaults: ({ spec }) => {
    if (!spec) return;
    defaultPodTemplate(spec.template);
    spec.replicas ??= 1;
  },
  prepareForCreate: (draft) => startGeneration(draft, { hasStatus: true, hasGeneration: true }),
  prepareForUpdate: (draft, old) => {
    keepMember(draft, old, 'status');
    raiseGeneration(draft, old, ['spec']);
  },
  validate: ({ spec = NO_SPEC }) => validateSpec(spec),
  validateUpdate: ({ spec = NO_SPEC }, old) => [
    ...validateSpec(spec),
    ...validateSelectorKept(spec.selector, old.spec?.selector),
  ],
  ...TEMPLATE_WARNINGS,
  resetFields: [['status']],
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
      selectorCell(spec.selector),
    ],
  }),
};

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
    errors.push(...validateLabelSelector(selector, path));
    if (isEmptySelector(selector)) {
      errors.push(invalid(path, goLabelSelector(selector), 'empty selector is invalid for deployment'));
    }
  }
  const parsed = parsedSelector(selector);
  if (!parsed) return [...errors, invalid(path, goLabelSelector(selector), 'invalid label selector')];
  return [...errors, ...validateWorkloadTemplate(parsed, template, kind)];
}

/** The status of a set of replicas, also of a ReplicationController. */
export function validateReplicaStatus(status: ReplicaSetStatus): readonly FieldError[] {
  return [
    ...validateCounts(
      status,
      ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'],
      STATUS,
    ),
    ...validateNotGreater(
      status,
      [
        ['fullyLabeledReplicas', 'replicas', OVER_REPLICAS],
        ['readyReplicas', 'replicas', OVER_REPLICAS],
        ['availableReplicas', 'replicas', OVER_REPLICAS],
        ['availableReplicas', 'readyReplicas', OVER_READY],
      ],
      STATUS,
    ),
  ];
}
