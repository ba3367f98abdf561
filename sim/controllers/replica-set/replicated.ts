/** What differs between the two kinds that keep a number of equal pods. */
import type { ApiObject, ObjectMeta } from '../../api/object.ts';
import {
  EVERYTHING,
  labelSelectorOf,
  type LabelSelector,
  selectorOfLabels,
} from '../../api/selector/label-selector.ts';
import type { ReplicaSet, ReplicaSetStatus } from '../../api/types/apps-v1.ts';
import type { PodTemplateSpec, ReplicationController } from '../../api/types/core-v1.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';

export interface Replicated<T extends ApiObject = ApiObject> {
  readonly handle: ResourceHandle<T>;
  /** Of its Events. */
  readonly component: string;
  replicasOf(object: T): number;
  minReadySecondsOf(object: T): number;
  templateOf(object: T): PodTemplateSpec | undefined;
  selectorOf(object: T): LabelSelector;
  statusOf(object: T): ReplicaSetStatus | undefined;
}

export const REPLICA_SETS: Replicated<ReplicaSet> = {
  handle: BUILTIN_HANDLES.replicaSets,
  component: 'replicaset-controller',
  replicasOf: ({ spec }) => spec?.replicas ?? 1,
  minReadySecondsOf: ({ spec }) => spec?.minReadySeconds ?? 0,
  templateOf: ({ spec }) => spec?.template,
  selectorOf: ({ spec }) => labelSelectorOf(spec?.selector),
  statusOf: ({ status }) => status,
};

export const REPLICATION_CONTROLLERS: Replicated<ReplicationController> = {
  handle: BUILTIN_HANDLES.replicationControllers,
  component: 'replication-controller',
  replicasOf: ({ spec }) => spec?.replicas ?? 1,
  minReadySecondsOf: ({ spec }) => spec?.minReadySeconds ?? 0,
  templateOf: ({ spec }) => spec?.template,
  selectorOf: ({ spec }) => (spec?.selector ? selectorOfLabels(spec.selector) : EVERYTHING),
  statusOf: ({ status }) => status,
};

export const keyOfMeta = ({
  namespace = '',
  name = '',
}: ObjectMeta): { namespace: string; name: string } => ({
  namespace,
  name,
});
