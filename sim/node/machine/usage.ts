/**
 * What containers, pods and the node use of the machine: what the workloads' behaviour says, as a function of time.
 * The agent and the runtime use some of the processor, too.
 */
import { approximateNumber, parseQuantity } from '../../api/quantity.ts';
import type { AgentView } from '../endpoint/agent-view.ts';
import type { RuntimeContainer } from '../runtime/container-runtime.ts';

export interface Usage {
  /** Cores in use now, in billionths. */
  readonly nanoCores: number;
  /** Core-seconds since the start, in billionths. */
  readonly coreNanoSeconds: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  readonly processes: number;
}

export interface ContainerUsage extends Usage {
  readonly container: RuntimeContainer;
  readonly startedMs: number;
}

export interface SystemUsage extends Usage {
  readonly name: 'kubelet' | 'runtime';
}

const NANO = 1_000_000_000;
const NANO_OF_MILLICORE = 1_000_000;
const DEFAULT_CPU_MILLICORES = 1;
const SYSTEM = [
  { name: 'kubelet', milliCores: 20 },
  { name: 'runtime', milliCores: 10 },
] as const;

export function containerUsages(view: AgentView): readonly ContainerUsage[] {
  // As whole as the times that readers are told with it: they divide by what is between two of these.
  const nowMs = Math.floor(view.runtimeMs);
  return view.running().map((container) => {
    const nanoCores = (container.behaviour.cpuMillicores ?? DEFAULT_CPU_MILLICORES) * NANO_OF_MILLICORE;
    const seconds = Math.max(0, nowMs - container.startedAtMs) / 1_000;
    return {
      container,
      startedMs: container.startedWallMs,
      nanoCores,
      coreNanoSeconds: Math.round(nanoCores * seconds),
      memoryBytes: view.runtime.memoryOf(container, view.runtimeMs),
      diskBytes: container.behaviour.diskBytes ?? 0,
      processes: container.behaviour.processes ?? 1,
    };
  });
}

export function systemUsages(view: AgentView): readonly SystemUsage[] {
  const seconds = (view.context.wallMs() - view.startedMs) / 1_000;
  return SYSTEM.map(({ name, milliCores }) => {
    const nanoCores = milliCores * NANO_OF_MILLICORE;
    const coreNanoSeconds = Math.round(nanoCores * seconds);
    return { name, nanoCores, coreNanoSeconds, memoryBytes: 0, diskBytes: 0, processes: 1 };
  });
}

export function sumOf(usages: readonly Usage[]): Usage {
  const sum = (member: keyof Usage): number => usages.reduce((total, usage) => total + usage[member], 0);
  return {
    nanoCores: sum('nanoCores'),
    coreNanoSeconds: sum('coreNanoSeconds'),
    memoryBytes: sum('memoryBytes'),
    diskBytes: sum('diskBytes'),
    processes: sum('processes'),
  };
}

export const secondsOf = ({ coreNanoSeconds }: Usage): number => coreNanoSeconds / NANO;

/** Of a resource of the machine, such as `memory`; 0: it has none. */
export function capacityOf({ capacity }: AgentView, resource: string): number {
  const text = capacity[resource];
  return text === undefined ? 0 : approximateNumber(parseQuantity(text));
}
