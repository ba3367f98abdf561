/** What ReplicaSets and ReplicationControllers have in common: how many replicas there are, and how that is shown. */
import type { ApiObject } from '../../../../api/object.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { ReplicaSetStatus } from '../../../../api/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../../../api/types/core-v1.ts';
import type { TableClock } from '../../table-row.ts';
import { STATUS_RULES } from '../../generic-strategy.ts';
import {
  containerCells,
  OVER_READY,
  OVER_REPLICAS,
  STATUS,
  validateCounts,
  validateNotGreater,
} from './workload.ts';

interface WithReplicas extends ApiObject {
  readonly spec?: { readonly replicas?: number | null; readonly template?: PodTemplateSpec | null };
  readonly status?: ReplicaSetStatus;
}

const NO_STATUS: ReplicaSetStatus = { replicas: 0 };

/** Spread by their strategies. */
export const REPLICA_STATUS = {
  subresources: {
    status: {
      ...STATUS_RULES,
      validateUpdate: ({ status = NO_STATUS }: WithReplicas) => validateReplicaStatus(status),
    },
  },
  selectableFields: ({ status }: WithReplicas) => ({ 'status.replicas': String(status?.replicas ?? 0) }),
};

/** A row but for its last cell, the selector. */
export const replicaCells = (
  { metadata, spec, status = NO_STATUS }: WithReplicas,
  clock: TableClock,
): readonly unknown[] => [
  metadata.name,
  spec?.replicas ?? 0,
  status.replicas,
  status.readyReplicas ?? 0,
  clock.age(metadata.creationTimestamp),
  ...containerCells(spec?.template?.spec),
];

function validateReplicaStatus(status: ReplicaSetStatus): readonly FieldError[] {
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
