/**
 * The status of a pod out of what its containers do: phase, conditions, container statuses. Pure; the
 * same rules, reasons and messages as Kubernetes' own node agent.
 * Specification: "Pods on nodes" (not shown: Kubernetes 1.31).
 */
import type { Container, ContainerStatus, Pod, PodStatus } from '../../api/types/core-v1.ts';
import { containerStatusOf } from './container-status.ts';
import type { ContainerRecord } from './container-state.ts';
import { conditionsOf } from './pod-conditions.ts';
import { ephemeralContainersOf, initContainersOf, mainContainersOf, type Role } from './pod-containers.ts';
import { hasBeenInitialized, type Phase, phaseOf } from './pod-phase.ts';
import type { PodRecord } from './pod-record.ts';

/** `old` gives conditions their transition times; `now` is RFC 3339. */
export function podStatusOf(pod: Pod, record: PodRecord, now: string, old: PodStatus | undefined): PodStatus {
  const { startTime, isOver, isRejected } = record;
  // What has been said to be over, whoever said it, stays so.
  const ended = old?.phase === 'Succeeded' || old?.phase === 'Failed' ? old : undefined;
  const phase = ended ? (ended.phase as Phase) : phaseOf(pod, record);
  const failure = isOver && record.failure ? record.failure : ended;
  return {
    phase,
    conditions: conditionsOf(pod, record, phase, now, old),
    ...(failure?.reason !== undefined && { reason: failure.reason }),
    ...(failure?.message !== undefined && { message: failure.message }),
    startTime,
    ...(old?.qosClass !== undefined && { qosClass: old.qosClass }),
    ...(!isRejected && { ...addresses(record), ...containerStatuses(pod, record) }),
  };
}

function addresses({ hostIP, podIPs }: PodRecord): PodStatus {
  const [podIP] = podIPs;
  return {
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(podIP !== undefined && { podIP, podIPs: podIPs.map((ip) => ({ ip })) }),
  };
}

function containerStatuses(pod: Pod, record: PodRecord): PodStatus {
  const standing = { isOver: record.isOver, wasInitialized: hasBeenInitialized(pod, record) };
  const statuses = (
    role: Role,
    containers: readonly Container[],
    records: ReadonlyMap<string, ContainerRecord>,
  ): readonly ContainerStatus[] =>
    containers.flatMap((container) => {
      const known = records.get(container.name);
      return known ? [containerStatusOf(role, container, known, standing)] : [];
    });
  const init = statuses('init', initContainersOf(pod), record.init);
  const ephemeral = statuses('ephemeral', ephemeralContainersOf(pod), record.ephemeral);
  return {
    ...(init.length > 0 && { initContainerStatuses: init }),
    containerStatuses: statuses('main', mainContainersOf(pod), record.main),
    ...(ephemeral.length > 0 && { ephemeralContainerStatuses: ephemeral }),
  };
}
