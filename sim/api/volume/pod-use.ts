/** Pods that are done with their volumes. Pure. */
import type { ContainerStatus, Pod } from '../types/core-v1.ts';

const isStill = (statuses: readonly ContainerStatus[] | undefined): boolean =>
  (statuses ?? []).every(({ state }) => state?.terminated !== undefined || state?.waiting !== undefined);

/** It has ended, or is being deleted and nothing of it runs. */
export function isOver({ metadata, status }: Pod): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return true;
  return (
    metadata.deletionTimestamp !== undefined &&
    isStill(status?.initContainerStatuses) &&
    isStill(status?.containerStatuses) &&
    isStill(status?.ephemeralContainerStatuses)
  );
}
