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
const SYSTEM = [
  { name: 'kubelet', milliCores: 20 },
  { name: 'runtime', milliCores: 10 },
] as const;

export function containerUsages(view: AgentView): readonly ContainerUsage[] {
  const nowMs = wholeMs(view);
  return view.running().map((container) => ({
    container,
    startedMs: container.startedWallMs,
    nanoCores: view.runtime.nanoCoresOf(container),
    coreNanoSeconds: view.runtime.coreNanoSecondsOf(container, nowMs),
    memoryBytes: view.runtime.memoryOf(container, view.runtimeMs),
    diskBytes: container.behaviour.diskBytes ?? 0,
    processes: container.behaviour.processes ?? 1,
  }));
}

/** As whole as the times that readers are told with it: they divide by what is between two of these. */
const wholeMs = ({ runtimeMs }: AgentView): number => Math.floor(runtimeMs);

/** What has run before was used, too: what is counted never becomes less while the machine is up. */
export function nodeUsage(view: AgentView, containers: readonly Usage[]): Usage {
  const system = sumOf(systemUsages(view));
  return {
    ...sumOf([...containers, system]),
    coreNanoSeconds: view.runtime.coreNanoSeconds(wholeMs(view)) + system.coreNanoSeconds,
  };
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
