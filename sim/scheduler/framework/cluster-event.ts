/** What may happen in a cluster so that a pod that fits nowhere is worth another try. Kubernetes 1.31. */

export type EventResource =
  | 'Pod'
  | 'Node'
  | 'PersistentVolume'
  | 'PersistentVolumeClaim'
  | 'StorageClass'
  | 'CSINode'
  | 'CSIDriver'
  | 'CSIStorageCapacity'
  | '*';

export type EventAction =
  | 'add'
  | 'delete'
  | 'update'
  | 'update-allocatable'
  | 'update-label'
  | 'update-taint'
  | 'update-condition'
  | 'update-annotation';

export interface ClusterEvent {
  readonly resource: EventResource;
  readonly action: EventAction;
}

/** What a plugin wants to hear of. `update` stands for every change. */
export interface EventInterest {
  readonly resource: EventResource;
  readonly actions: readonly EventAction[];
}

/** Nobody has moved the pod for long. */
export const TIMEOUT: ClusterEvent = { resource: '*', action: 'update' };

export function concerns({ resource, actions }: EventInterest, event: ClusterEvent): boolean {
  if (event.resource === '*') return true;
  if (resource !== '*' && resource !== event.resource) return false;
  return actions.includes(event.action) || (event.action.startsWith('update-') && actions.includes('update'));
}
