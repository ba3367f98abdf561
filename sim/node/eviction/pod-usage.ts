/** What the containers of a pod use now. Pure. */
import type { Container, Pod } from '../../api/types/core-v1.ts';
import { bytesOf } from '../pods/container-limits.ts';
import { initContainersOf, mainContainersOf } from '../pods/pod-containers.ts';
import type { Pressure } from '../machine/pressure.ts';

export interface ContainerUsage {
  readonly name: string;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  readonly processes: number;
}

/** A pod that runs, and what each of its running containers uses. */
export interface PodUsage {
  readonly pod: Pod;
  readonly containers: readonly ContainerUsage[];
}

/** Bytes, or processes. */
export function usageOf(container: ContainerUsage, pressure: Pressure): number {
  if (pressure === 'memory') return container.memoryBytes;
  return pressure === 'disk' ? container.diskBytes : container.processes;
}

export const podUsageOf = ({ containers }: PodUsage, pressure: Pressure): number =>
  containers.reduce((sum, container) => sum + usageOf(container, pressure), 0);

const REQUESTS: Readonly<Record<Pressure, string | undefined>> = {
  memory: 'memory',
  disk: 'ephemeral-storage',
  pid: undefined,
};

/** As the container's author wrote it; `0` when nothing is requested. */
export function requestText({ resources }: Container, pressure: Pressure): string {
  const name = REQUESTS[pressure];
  return (name !== undefined && resources?.requests?.[name]) || '0';
}

/** What the containers request together, or the largest init container alone. Bytes. */
export function podRequestOf(pod: Pod, pressure: Pressure): number {
  const request = (container: Container): number => bytesOf(requestText(container, pressure)) ?? 0;
  const main = mainContainersOf(pod).reduce((sum, container) => sum + request(container), 0);
  return Math.max(main, ...initContainersOf(pod).map(request));
}
