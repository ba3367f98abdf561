/** The phase of a pod, out of what its containers do. Pure; Kubernetes' own rules. */
import type { Pod } from '../../api/types/core-v1.ts';
import { initContainersOf, isSidecar, mainContainersOf } from './pod-containers.ts';
import type { PodRecord } from './pod-record.ts';

export type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

export function phaseOf(pod: Pod, record: PodRecord): Phase {
  const policy = pod.spec?.restartPolicy ?? 'Always';
  const main = mainCounts(pod, record);
  if (record.isOver) {
    if (record.failure) return 'Failed';
    const isWell = main.succeeded === main.stopped && main.stopped === mainContainersOf(pod).length;
    return isWell ? 'Succeeded' : 'Failed';
  }
  const init = initCounts(pod, record);
  const sidecars = sidecarCounts(pod, record);
  const running = main.running + sidecars.running;
  const unknown = main.unknown + sidecars.unknown;
  // What has failed for good is told when nothing of the pod runs any more.
  if (init.failed > 0 && policy === 'Never') return 'Pending';
  if (init.pending + init.failed > 0 || (sidecars.pending > 0 && !hasBeenInitialized(pod, record)))
    return 'Pending';
  if (main.waiting + sidecars.waiting > 0) return 'Pending';
  if (unknown > 0 || running + main.stopped === 0) return 'Pending';
  return 'Running';
}

/** Of init containers that have to end. */
function initCounts(pod: Pod, { init }: PodRecord): { readonly pending: number; readonly failed: number } {
  let pending = 0;
  let failed = 0;
  for (const container of initContainersOf(pod)) {
    if (isSidecar(container)) continue;
    const record = init.get(container.name);
    const end = record?.state.kind === 'terminated' ? record.state : record?.lastTermination;
    if (!record || record.state.kind === 'running' || !end) pending += 1;
    else if (end.exitCode !== 0) failed += 1;
  }
  return { pending, failed };
}

function sidecarCounts(pod: Pod, { init }: PodRecord) {
  const counts = { pending: 0, running: 0, waiting: 0, unknown: 0 };
  for (const container of initContainersOf(pod).filter(isSidecar)) {
    const record = init.get(container.name);
    if (!record) counts.unknown += 1;
    else if (record.state.kind === 'running') {
      counts.running += 1;
      if (!record.isStarted) counts.pending += 1;
    } else if (record.state.kind === 'waiting' && !record.lastTermination) {
      counts.pending += 1;
      counts.waiting += 1;
    }
  }
  return counts;
}

function mainCounts(pod: Pod, { main }: PodRecord) {
  const counts = { unknown: 0, running: 0, waiting: 0, stopped: 0, succeeded: 0 };
  for (const { name } of mainContainersOf(pod)) {
    const record = main.get(name);
    if (!record) counts.unknown += 1;
    else if (record.state.kind === 'running') counts.running += 1;
    else if (record.state.kind === 'terminated' || record.lastTermination) {
      counts.stopped += 1;
      const end = record.state.kind === 'terminated' ? record.state : record.lastTermination;
      if (end?.exitCode === 0) counts.succeeded += 1;
    } else counts.waiting += 1;
  }
  return counts;
}

/** No init container is in the way of the main containers any more. */
export function hasBeenInitialized(pod: Pod, { init, main }: PodRecord): boolean {
  const containers = initContainersOf(pod);
  const last = containers.at(-1);
  if (!last) return true;
  if ([...main.values()].some(({ state, lastTermination }) => state.kind !== 'waiting' || lastTermination))
    return true;
  const record = init.get(last.name);
  if (isSidecar(last)) return record?.state.kind === 'running' && record.isStarted;
  return record?.state.kind === 'terminated' && record.state.exitCode === 0;
}
