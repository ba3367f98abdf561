/**
 * What containers, pods and the node use of the machine: what the workloads' behaviour says, as a function of time.
 * The agent and the runtime use something, too.
 */
import { approximateNumber, parseQuantity } from '../api/quantity.ts';
import type { AgentView } from './agent-view.ts';
import type { RuntimeContainer } from './runtime/container-runtime.ts';

export interface Usage {
  /** Cores in use now, in billionths. */
  readonly nanoCores: number;
  /** Core-seconds since the start, in billionths. */
  readonly coreNanoSeconds: number;
  readonly memoryBytes: number;
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
const MIB = 1024 ** 2;
const SYSTEM = [
  { name: 'kubelet', milliCores: 20, memoryBytes: 64 * MIB },
  { name: 'runtime', milliCores: 10, memoryBytes: 48 * MIB },
] as const;

export function containerUsages(view: AgentView): readonly ContainerUsage[] {
  return view.running().map((container) => {
    const nanoCores = (container.behaviour.cpuMillicores ?? DEFAULT_CPU_MILLICORES) * NANO_OF_MILLICORE;
    const seconds = (view.runtimeMs - container.startedAtMs) / 1_000;
    return {
      container,
      startedMs: view.wallMsOf(container.startedAtMs),
      nanoCores,
      coreNanoSeconds: Math.round(nanoCores * seconds),
      memoryBytes: view.runtime.memoryOf(container, view.runtimeMs),
    };
  });
}

export function systemUsages(view: AgentView): readonly SystemUsage[] {
  const seconds = (view.context.wallMs() - view.startedMs) / 1_000;
  return SYSTEM.map(({ name, milliCores, memoryBytes }) => {
    const nanoCores = milliCores * NANO_OF_MILLICORE;
    return { name, nanoCores, coreNanoSeconds: Math.round(nanoCores * seconds), memoryBytes };
  });
}

export const sumOf = (usages: readonly Usage[]): Usage => ({
  nanoCores: usages.reduce((sum, { nanoCores }) => sum + nanoCores, 0),
  coreNanoSeconds: usages.reduce((sum, { coreNanoSeconds }) => sum + coreNanoSeconds, 0),
  memoryBytes: usages.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
});

export const secondsOf = ({ coreNanoSeconds }: Usage): number => coreNanoSeconds / NANO;

/** Of a resource of the machine, such as `memory`; 0: it has none. */
export function capacityOf({ capacity }: AgentView, resource: string): number {
  const text = capacity[resource];
  return text === undefined ? 0 : approximateNumber(parseQuantity(text));
}
